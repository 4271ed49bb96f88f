import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Command } from 'commander';
import { locatePage, pathOf } from '../../cli/command.ts';
import { createProgram } from '../../cli/create-program.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { runInTerminal } from '../helpers/run-in-terminal.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/** What a bar begins with. */
const REDRAW = '\r\u001b[K';

const refuse = (): never => {
  throw new Error('Wrong use');
};

/** Returns all commands that do something. */
function listLeaves(command: Command = createProgram([], refuse)): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

/** Returns what the help of a command says in all, not wrapped. */
async function readHelp(path: string): Promise<string> {
  const { code, stdout } = await runCommand([...path.split(' ').slice(1), '--help']);
  return code === 0 ? stdout : `${code}`;
}

/** Returns the words of a line for a shell that quotes with '. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
}

const typingErrors: readonly (readonly [args: readonly string[], said: string])[] = [
  [['site', '--ouut', 'x', '.'], "error: unknown option '--ouut'\n(Did you mean --out?)\n"],
  [['site', '--ouut=x', '.'], "error: unknown option '--ouut'\n(Did you mean --out?)\n"],
  [['site', '--output', 'x', '.'], "error: unknown option '--output'\n(Did you mean --out?)\n"],
  [['site', '.', '--verson'], "error: unknown option '--verson'\n(Did you mean --version?)\n"],
  [['site', '.', '--hlep'], "error: unknown option '--hlep'\n(Did you mean --help?)\n"],
  [
    ['user', 'create', 'ada', '--pasword-stdin'],
    "error: unknown option '--pasword-stdin'\n(Did you mean --password-stdin?)\n",
  ],
  [['project', 'remvoe', 'guide'], "error: unknown command 'remvoe'\n(Did you mean remove?)\n"],
  [['sit', '.'], "error: unknown command 'sit'\n(Did you mean site?)\n"],
  [['help', 'sit'], "error: unknown command 'sit'\n(Did you mean site?)\n"],
  [['help', 'project', 'remvoe'], "error: unknown command 'remvoe'\n(Did you mean remove?)\n"],
  [['site', '.', '--zzz'], "error: unknown option '--zzz'\n("],
];
for (const [args, said] of typingErrors) {
  test.serial(`docbuild ${args.join(' ')}: says what was probably meant`, async (t) => {
    const { code, stdout, stderr } = await runCommand(args);
    t.deepEqual([code, stdout], [2, '']);
    t.true(stderr.startsWith(said), stderr);
  });
}

test.serial(
  'what is missing is named before what is wrong with the rest, the repository before an option',
  async (t) => {
    const complain = async (...args: string[]) => (await runCommand(args)).stderr.split('\n')[0];
    const missing = "error: missing required argument 'repository'";
    t.is(await complain('site'), missing);
    t.is(await complain('site', '--ouut'), missing);
    t.is(await complain('site', '--out', 'x'), missing);
    t.is(await complain('site', '.', '--colour'), "error: unknown option '--colour'");
    t.is(await complain('site', '.'), "error: required option '-o, --out <folder>' not specified");
    t.is(await complain('project', 'create'), "error: missing required argument 'name'");
    t.is(await complain('project', 'create', 'guide'), "error: required option '-u, --url <url>' not specified");
  },
);

test.serial('a complaint leads to the help of its own command', async (t) => {
  const hint = async (...args: string[]) => (await runCommand(args)).stderr.trimEnd().split('\n').at(-1);
  t.is(await hint('sits'), '(docbuild --help shows the commands)');
  t.is(await hint('site'), '(docbuild site --help shows its arguments and options)');
  t.is(await hint('project', 'remvoe'), '(docbuild project --help shows the commands)');
  t.is(await hint('project', 'update', 'x'), '(docbuild project update --help shows its arguments and options)');
});

test.serial('wrong use with --json is one object on standard output, without credentials', async (t) => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args);
    t.deepEqual([code, stderr], [2, '']);
    return JSON.parse(stdout);
  };
  const usage = (message: string) => ({ error: { code: 'usage', message } });
  t.deepEqual(await run('site', '--json'), usage("missing required argument 'repository'"));
  t.deepEqual(await run('sit', '--json'), usage("unknown command 'sit'\n(Did you mean site?)"));
  t.deepEqual(await run('site', '.', '--json', '--ouut', 'x'), usage("unknown option '--ouut'\n(Did you mean --out?)"));
  t.deepEqual(
    await run('project', 'update', 'guide', '--json'),
    usage("say what to change: '-t field:value', '--secret-stdin', '--generate-secret' or '--generate-notify-secret'"),
  );
  const url = await run('site', '.', '--out', 'x', '--base-url', 'https://me:hunter2@example.org/', '--json');
  t.notRegex(url.error.message, /hunter2/);
  // Behind "--" nothing is an option.
  const { stdout, stderr } = await runCommand(['site', 'a', '--', '--json']);
  t.is(stdout, '');
  t.regex(stderr, /too many arguments|required option/);
});

test.serial('the help has all commands in groups, and leads to the documentation', async (t) => {
  const { stdout } = await runCommand(['--help']);
  const headings = stdout.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
  t.deepEqual(headings, ['Options:', 'Write:', 'Publish:', 'Operate a server:', 'Help:']);
  t.true(stdout.includes(`Documentation: ${locatePage('index')}\n`));
  t.true(existsSync(locatePage('index')));
});

test.serial('every command has examples that it understands, and a page of the documentation', async (t) => {
  const leaves = listLeaves()
    .map(pathOf)
    .filter((path) => path !== 'docbuild help');
  t.true(leaves.length > 40, `${leaves.length}`);
  for (const path of leaves) {
    const help = await readHelp(path);
    const [, page] = /^Documentation: (.*)$/m.exec(help) ?? [];
    t.true(page !== undefined && existsSync(page), `${path}: ${page}`);
    const examples = [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example]) => splitWords(example!));
    t.true(examples.length > 0, path);
    for (const [, ...args] of examples) {
      const program = createProgram(args, refuse);
      const ran: string[] = [];
      const stub = (command: Command): void => {
        if (command.commands.length === 0) command.action(() => void ran.push(pathOf(command)));
        command.commands.forEach(stub);
      };
      program.commands.forEach(stub);
      await t.notThrowsAsync(program.parseAsync(args, { from: 'user' }), args.join(' '));
      t.deepEqual(ran, [path]);
    }
  }
});

test.serial('colours are where a terminal has them, and where they are wanted or forbidden', async (t) => {
  const isColoured = (text: string): boolean => text.includes('\u001b[');
  const cwd = createFolder(t);
  const terminal = async (env: Record<string, string>) =>
    isColoured((await runInTerminal(['site'], { cwd, env: { TERM: 'xterm', ...env } })).stdout);
  t.true(await terminal({}));
  t.false(await terminal({ NO_COLOR: '1' }));
  t.false(await terminal({ NO_COLOR: '1', FORCE_COLOR: '1' }));
  t.false(await terminal({ TERM: 'dumb' }));
  t.false(await terminal({ FORCE_COLOR: '0' }));
  const pipe = async (env: Record<string, string>) => {
    const help = await runDocbuild(['site', '--help'], { env });
    const wrong = await runDocbuild(['site'], { env });
    t.is(isColoured(help.stdout), isColoured(wrong.stderr));
    return isColoured(help.stdout);
  };
  t.false(await pipe({}));
  t.true(await pipe({ FORCE_COLOR: '1' }));
  t.false(await pipe({ FORCE_COLOR: '1', NO_COLOR: '1' }));
});

test.serial('a terminal without a width is taken for one of 80 columns, and a dumb one gets lines', async (t) => {
  const widest = (text: string): number => Math.max(...text.split(/\r?\n/).map((line) => line.length));
  const help = async (columns: number) =>
    (await runInTerminal(['site', '--help'], { columns, env: { NO_COLOR: '1' } })).stdout;
  const options = (text: string): string => text.slice(0, text.indexOf('Examples:'));
  const wide = options(await help(100));
  t.true(widest(wide) <= 100 && widest(wide) > 80, wide);
  t.is(options(await help(0)), options(await help(80)));
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
  const bars = (await runInTerminal(args, { columns: 0 })).stdout;
  t.true(bars.includes(`${REDRAW}Reading versions`));
  t.true(widest(bars.replaceAll(REDRAW, '\n').replace(/\n[^\n]*→[^\n]*/, '')) < 80, bars);
  commitFiles(repository, { 'docs/index.md': '# Changed\n' });
  const dumb = await runInTerminal(args, { env: { TERM: 'dumb' } });
  t.false(dumb.stdout.includes('\u001b'));
  t.regex(dumb.stdout, /^Opening the repository\r?\nFetching versions\r?\n/m);
});

test.serial('the documentation of a command is below the package', (t) => {
  t.is(locatePage('site'), fileURLToPath(new URL('../../../docs/en/site.md', import.meta.url)));
});
