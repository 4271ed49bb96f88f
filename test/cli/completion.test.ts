import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Command, Option } from 'commander';
import { pathOf } from '../../cli/command.ts';
import { createProgram } from '../../cli/create-program.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runProgram } from '../helpers/run-docbuild.ts';
import { testIf } from '../helpers/test-if.ts';

type Shell = 'bash' | 'zsh' | 'fish';

const hasShell = (shell: Shell): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const shellTest = (shell: Shell) => testIf(hasShell(shell), `needs ${shell}`, { isRequiredInCi: true });

const refuse = (): never => {
  throw new Error('Wrong use');
};

function listCommands(command: Command = createProgram([], refuse)): readonly Command[] {
  return [command, ...command.commands.flatMap((one) => listCommands(one))];
}

const namesOf = ({ long, short }: Option): readonly string[] =>
  [long, short].filter((name) => typeof name === 'string');
const optionsOf = (command: Command): readonly Option[] => command.createHelp().visibleOptions(command);
const childrenOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .flatMap((one) => [one.name(), ...one.aliases()]);

/** What is typed, with a tab behind a part of a word, and the words that it becomes. */
const TYPED: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['sit\t', ['site']],
  ['compl\tzs\t', ['completion', 'zsh']],
  ['project tra\t', ['project', 'transfer']],
  ['p tra\t', ['p', 'transfer']],
  ['help proj\t', ['help', 'project']],
  ['project help tra\t', ['project', 'help', 'transfer']],
  ['site --ann\tun\tx', ['site', '--announcement', 'x']],
  ['site . --annot\tgit\t', ['site', '.', '--annotate', 'github']],
  ['site --annotate=git\t .', ['site', '--annotate=github', '.']],
  ['site --out site-of-g\t', ['site', '--out', 'site-of-guide/']],
  ['site -o site-of-g\t', ['site', '-o', 'site-of-guide/']],
  ['site site-of-g\t', ['site', 'site-of-guide/']],
  ['api --config docb\t --role bui\t', ['api', '--config', 'docbuild.yml', '--role', 'build']],
  ['user key 1 --perm\trea\t', ['user', 'key', '1', '--permission', 'read']],
  // Not a command, and no file either.
  ['docb\t', ['docb']],
  ['project docb\t', ['project', 'docb']],
];

/** Options with fixed values, each typed without its last letter where that tells it from the others. */
const VALUES = listCommands().flatMap((command) =>
  optionsOf(command).flatMap(({ long, argChoices = [] }) =>
    argChoices
      .filter((choice) => argChoices.filter((other) => other.startsWith(choice.slice(0, -1))).length === 1)
      .map((choice): (typeof TYPED)[number] => {
        const words = pathOf(command).split(' ').slice(1);
        return [`${words.join(' ')} ${long} ${choice.slice(0, -1)}\t`, [...words, long!, choice]];
      }),
  ),
);

/** Commands, each with an option that all have. */
const PATHS = listCommands().map((command): (typeof TYPED)[number] => {
  const words = pathOf(command).split(' ').slice(1);
  return [[...words, '--hel\t'].join(' '), [...words, '--help']];
});

async function writeScript(t: ExecutionContext, shell: Shell): Promise<{ folder: string; script: string }> {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'site-of-guide'));
  writeFileSync(join(folder, 'docbuild.yml'), '');
  const { code, stdout } = await runCommand(['completion', shell]);
  t.is(code, 0);
  writeFileSync(join(folder, `script.${shell}`), stdout);
  return { folder, script: join(folder, `script.${shell}`) };
}

/** How an interactive shell without anybody's settings starts, and what it is told first: `docbuild` prints its words. */
const INTERACTIVE: Readonly<Record<'bash' | 'zsh', { readonly start: string; readonly setup: string }>> = {
  bash: {
    start: 'bash --norc --noprofile -i',
    setup: `bind 'set bell-style none'; docbuild() { printf '<%s>' "$@"; echo; }`,
  },
  zsh: {
    start: 'zsh -f -i',
    setup: `unsetopt beep auto_remove_slash; autoload -Uz compinit; compinit -u -D; docbuild() { printf '<%s>' "$@"; echo }`,
  },
};

/** Types lines, with tabs, into a shell in a terminal. Returns the words that `docbuild` got from each. */
async function typeInto(t: ExecutionContext, shell: 'bash' | 'zsh', lines: readonly string[]) {
  const { folder, script } = await writeScript(t, shell);
  const { start, setup } = INTERACTIVE[shell];
  const input = [setup, `. '${script}'`, ...lines.map((line) => `docbuild ${line}`), 'exit', ''].join('\n');
  const { stdout, stderr } = await runProgram(
    ['script', '--quiet', '--command', `stty cols 500 rows 50; exec ${start}`, '/dev/null'],
    { cwd: folder, input, env: { TERM: 'xterm', HOME: folder, HISTFILE: '' } },
  );
  t.is(stderr, '');
  const found = [...stdout.matchAll(/^(?:<[^<>\r\n]*>)+(?=\r?$)/gm)].map(([line]) => line.slice(1, -1).split('><'));
  t.is(found.length, lines.length, stdout);
  return found;
}

for (const shell of ['bash', 'zsh'] as const) {
  shellTest(shell)(`${shell} completes commands, options, their values, and file names`, async (t) => {
    t.timeout(120_000);
    const rows = [...TYPED, ...VALUES, ...PATHS];
    t.true(VALUES.length >= 10 && PATHS.length > 50);
    const found = await typeInto(
      t,
      shell,
      rows.map(([line]) => line),
    );
    // zsh puts "=" behind an option with a value, the others a blank.
    const split = (words: readonly string[]) => words.flatMap((word) => word.split('='));
    rows.forEach(([line, words], at) => {
      t.deepEqual(split(found[at]!), split(words), line.replaceAll('\t', '⇥'));
    });
  });
}

/** Returns what bash offers for words, the last of which is being typed. */
async function askBash(script: string, questions: readonly (readonly string[])[]): Promise<readonly string[][]> {
  const asked = questions.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _docbuild 2>/dev/null; echo "\${COMPREPLY[*]}"`;
  });
  const { code, stdout } = await runProgram(['bash', '--norc', '-c', `. '${script}'; ${asked.join('\n')}`], {});
  if (code !== 0) throw new Error(`bash ended with ${code}`);
  return stdout.split('\n').map((line) => line.split(' ').filter(Boolean));
}

shellTest('bash')('bash offers every command and every option, and no others', async (t) => {
  const { script } = await writeScript(t, 'bash');
  const commands = listCommands();
  const paths = commands.map((command) => pathOf(command).split(' '));
  const offered = await askBash(script, [
    ...paths.map((path) => [...path, '-']),
    ...paths.map((path) => [...path, '']),
    ['docbuild', 'site', '--annotate', '='],
    ['docbuild', 'site', '--annotate', '=', 'git'],
    ['docbuild', 'site', '--', '--ann'],
    ['docbuild', 'site', '--annotate', 'no'],
  ]);
  commands.forEach((command, at) => {
    t.deepEqual([...offered[at]!].sort(), optionsOf(command).flatMap(namesOf).sort(), pathOf(command));
    const below = childrenOf(command);
    if (below.length > 0) t.deepEqual([...offered[commands.length + at]!].sort(), [...below].sort(), pathOf(command));
  });
  t.deepEqual(offered.slice(2 * commands.length, -1), [['github'], ['github'], [], []]);
});

/** Returns what fish offers for lines whose last word is being typed. */
async function askFish(t: ExecutionContext, lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { folder, script } = await writeScript(t, 'fish');
  const asked = lines.map((line) => `complete -C '${line}'; echo @`).join('\n');
  const { code, stdout, stderr } = await runProgram(['fish', '--no-config', '-c', `source '${script}'\n${asked}`], {
    cwd: folder,
    env: { HOME: folder },
  });
  t.deepEqual([code, stderr], [0, '']);
  return stdout.split('@\n').map((part) =>
    part
      .split('\n')
      .filter(Boolean)
      .map((row) => row.split('\t')[0]!),
  );
}

shellTest('fish')('fish offers every command and every option, values and file names', async (t) => {
  t.timeout(120_000);
  const commands = listCommands();
  const typed = TYPED.filter(([line]) => /^[^\t]*\t$/.test(line));
  const values = VALUES.map(([line]) => line);
  const lines = [
    ...commands.map((command) => `${pathOf(command)} -`),
    ...commands.map((command) => `${pathOf(command)} `),
    ...[...typed.map(([line]) => line), ...values].map((line) => `docbuild ${line.slice(0, -1)}`),
  ];
  const offered = await askFish(t, lines);
  commands.forEach((command, at) => {
    const names = optionsOf(command).flatMap(namesOf);
    // A short name is offered where one dash is typed, and a long one with both.
    t.deepEqual([...offered[at]!].sort(), [...names].sort(), pathOf(command));
    const below = childrenOf(command);
    if (below.length > 0) t.deepEqual([...offered[commands.length + at]!].sort(), [...below].sort(), pathOf(command));
  });
  [...typed, ...VALUES].forEach(([line, words], at) => {
    const found = offered[2 * commands.length + at]!;
    t.deepEqual(found, words.at(-1) === 'docb' ? [] : [words.at(-1)!], line);
  });
});

test.serial('docbuild completion says which shells there are', async (t) => {
  t.regex((await runCommand(['completion'])).stderr, /missing required argument 'shell'/);
  const { code, stderr } = await runCommand(['completion', 'tcsh']);
  t.is(code, 2);
  t.regex(stderr, /'tcsh' is invalid .*Allowed choices are bash, zsh, fish\./);
});
