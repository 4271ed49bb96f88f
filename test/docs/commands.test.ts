import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Argument, Command, Option } from 'commander';
import { findCacheFolder } from '../../cli/cache-folder.ts';
import { pathOf } from '../../cli/command.ts';
import { createProgram } from '../../cli/create-program.ts';

const root = new URL('../../../', import.meta.url);
const readPage = (language: string): string => readFileSync(new URL(`docs/${language}/commands.md`, root), 'utf8');

const program = createProgram([], () => {
  throw new Error('Nothing is run');
});

/** What most commands have is in a table of its own. */
const COMMON = ['-c, --config <file>', '--json'];

/** Headings of groups in Chinese, by those of the help. */
const GROUPS: Readonly<Record<string, string>> = {
  Write: '编写',
  Publish: '发布',
  'Operate a server': '运维服务器',
  Help: '帮助',
};

function listLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

const groupOf = (command: Command): string =>
  command.parent === program ? command.helpGroup().replace(/:$/, '') : groupOf(command.parent!);

const isShown = ({ description }: Argument): boolean => description !== '';

/** Returns a default value as the page has it; the folder of the cache is another one on each machine. */
function describeDefault({ defaultValue, long, mandatory }: Option): string | undefined {
  if (long === '--cache' && (mandatory || defaultValue === findCacheFolder())) return '~/.cache/docbuild';
  return typeof defaultValue === 'string' ? defaultValue : undefined;
}

/** Returns the options that the table of a command has. */
function listOptions(command: Command): readonly Option[] {
  const isCommon = ({ flags, description }: Option): boolean =>
    COMMON.includes(flags) && !description.startsWith('print one JSON object');
  return command.options.filter((option) => !option.hidden && !isCommon(option));
}

/** Escapes what Markdown and its tables would take for syntax, outside of code. */
const escapeMarkdown = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[|*_<]/g, '\\$&')))
    .join('');

const capitalize = (text: string): string =>
  text.startsWith('docbuild') ? text : text.charAt(0).toUpperCase() + text.slice(1);

/** Writes the part of the English page that has the commands. */
function writeCommands(): string {
  const leaves = listLeaves(program);
  const isFirst = (command: Command, at: number): boolean => at === 0 || groupOf(leaves[at - 1]!) !== groupOf(command);
  const parts = leaves.flatMap((command, at) => {
    const group = groupOf(command);
    const heading = `## ${group} {#${group.toLowerCase().replaceAll(' ', '-')}}`;
    return [...(isFirst(command, at) ? [heading] : []), writeCommand(command)];
  });
  return parts.join('\n\n');
}

function writeCommand(command: Command): string {
  const options = listOptions(command).map((option) => {
    const choices = option.argChoices?.map((choice) => `\`${choice}\``).join(', ');
    const usual = describeDefault(option);
    const more = [choices && `one of ${choices}`, usual && `default: \`${usual}\``].filter(Boolean).join('; ');
    return `| \`${option.flags}\` | ${capitalize(escapeMarkdown(option.description))}${more && ` (${more})`} |`;
  });
  const args = command.registeredArguments.filter(isShown).map((arg) => {
    const choices = arg.argChoices?.map((choice) => `\`${choice}\``).join(', ');
    return `\`${arg.name()}\`: ${escapeMarkdown(arg.description)}${choices ? ` (${choices})` : ''}.`;
  });
  return [
    writeHeading(command),
    `${capitalize(escapeMarkdown(command.description()))}.`,
    ...args,
    ...(options.length > 0 ? [['| Option | Meaning |', '| --- | --- |', ...options].join('\n')] : []),
  ].join('\n\n');
}

function writeHeading(command: Command): string {
  const args = command.registeredArguments.map((arg) => {
    const name = `${arg.name()}${arg.variadic ? '...' : ''}`;
    return ` ${arg.required ? `<${name}>` : `[${name}]`}`;
  });
  const words = pathOf(command).split(' ').slice(1);
  return `### \`docbuild ${words.join(' ')}${args.join('')}\` {#docbuild-${words.join('-')}}`;
}

test('documentation in en: its page of commands has what the help has', (t) => {
  const page = readPage('en');
  const begin = page.indexOf('\n## Write {#write}\n') + 1;
  t.true(begin > 0);
  t.is(page.slice(begin).trimEnd(), writeCommands());
});

test('documentation in zh_CN: its page of commands has all commands, arguments, options, choices and defaults', (t) => {
  const page = readPage('zh_CN');
  const blocks = page.split(/\n(?=###? )/).filter((block) => /^### `/.test(block));
  const commands = listLeaves(program);
  t.deepEqual(
    blocks.map((block) => block.split('\n')[0]),
    commands.map(writeHeading),
  );
  commands.forEach((command, at) => {
    const block = blocks[at]!;
    const rows = [...block.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, flags, text]) => [flags!, text!] as const);
    t.deepEqual(
      rows.map(([flags]) => flags),
      listOptions(command).map(({ flags }) => flags),
    );
    listOptions(command).forEach((option, row) => {
      const values = [...(option.argChoices ?? []), describeDefault(option)].filter((value) => value !== undefined);
      for (const value of values) t.true(rows[row]![1].includes(`\`${value}\``), `${pathOf(command)} ${option.flags}`);
    });
    for (const arg of command.registeredArguments.filter(isShown)) {
      t.true(block.includes(`\n\`${arg.name()}\`：`), `${pathOf(command)} ${arg.name()}`);
    }
    // Nothing was left in English.
    const texts = block
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && !/^\| (?:选项|---)/.test(line));
    t.deepEqual(
      texts.filter((line) => !/\p{Script=Han}/u.test(line)),
      [],
    );
  });
  const groups = [...page.matchAll(/^## (.+) \{#(?:write|publish|operate-a-server|help)\}$/gm)].map(([, name]) => name);
  t.deepEqual(
    groups,
    [...new Set(commands.map(groupOf))].map((group) => GROUPS[group]),
  );
});

for (const language of ['en', 'zh_CN']) {
  test(`documentation in ${language}: the options that commands share have a table`, (t) => {
    const [, table = ''] = /\{#common\}\n([\s\S]*?)\n## /.exec(readPage(language)) ?? [];
    const flags = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, found]) => found);
    t.deepEqual(flags, [...COMMON, '-h, --help']);
  });
}
