import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createSite, type TestSite } from '../helpers/create-site.ts';
import { canRunAsNobody, isRoot } from '../helpers/run-as-nobody.ts';
import { docbuildPath, type FinishedProcess, runDocbuild, runProgram } from '../helpers/run-docbuild.ts';
import { runInTerminal } from '../helpers/run-in-terminal.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { testIf } from '../helpers/test-if.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/** A configuration whose extension waits in the middle of the build, once it has said that it is there. */
const SLOW = `export default { extensions: [{ name: 'slow', async beforePublish() {
  process.stderr.write('waiting\\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
} }] };\n`;

const argsOf = (repository: string, site: TestSite): readonly string[] => [
  ...['site', repository, '--out', site.out, '--cache', site.cacheFolder],
];

/** Runs a build and sends it a signal when it prints a text. */
function interrupt(args: readonly string[], cwd: string, at: string, signals: readonly NodeJS.Signals[]) {
  return runDocbuild(args, {
    cwd,
    onStart(child) {
      let said = '';
      child.stderr!.on('data', (text: string) => {
        const isNew = !said.includes(at);
        said += text;
        if (isNew && said.includes(at)) for (const signal of signals) child.kill(signal);
      });
    },
  });
}

function createSlow(t: ExecutionContext) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Old\n' });
  return { repository, folder: repository.folder, site: createSite(t) };
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test.serial(`docbuild site ends with ${code} at ${signal}, and says that the old site stays`, async (t) => {
    const { repository, folder, site } = createSlow(t);
    t.is((await runDocbuild(argsOf('.', site), { cwd: folder })).code, 0);
    commitFiles(repository, { 'docs/index.md': '# New\n' });
    const list = () =>
      readdirSync(site.folder, { recursive: true })
        .filter((path) => !`${path}`.startsWith('cache'))
        .sort();
    const files = list();
    writeFileSync(join(folder, 'docbuild.config.mjs'), SLOW);
    const before = readFileSync(join(site.out, 'index.html'), 'utf8');
    const interrupted = await interrupt([...argsOf('.', site), '--refs', 'main'], folder, 'waiting', [signal]);
    t.is(interrupted.code, code, interrupted.stderr);
    t.is(interrupted.stdout, '');
    t.true(
      interrupted.stderr.endsWith(
        `Error: Interrupted. The site in "${site.out}" stays as it was; pages rendered so far are cached for the next build\n`,
      ),
      interrupted.stderr,
    );
    t.is(readFileSync(join(site.out, 'index.html'), 'utf8'), before);
    // The folder that the next site was made in is gone; it is made again by the next build.
    t.deepEqual(
      list().filter((path) => !files.includes(path)),
      [],
    );
    const json = await interrupt([...argsOf('.', site), '--json'], folder, 'waiting', [signal]);
    t.is(json.code, code);
    t.is(JSON.parse(json.stdout).error.code, 'interrupted');
    // Nothing is in the way of the next build.
    const again = await runDocbuild([...argsOf(folder, site)]);
    t.is(again.code, 0, again.stderr);
  });
}

test.serial(
  'docbuild site leaves nothing of a first site at Ctrl-C while it fetches, and ends at once at a second one',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n' });
    const server = await serveGit(t, repository.folder);
    server.holdAfterBytes = 10;
    const folder = createFolder(t);
    const build = (signals: readonly NodeJS.Signals[]): Promise<FinishedProcess> =>
      interrupt(
        ['site', `${server.url}/.git`, '--out', join(folder, 'public'), '--cache', join(folder, 'cache')],
        folder,
        'Fetching versions',
        signals,
      );
    const once = await build(['SIGINT']);
    t.is(once.code, 130, once.stderr);
    t.regex(once.stderr, /\nError: Interrupted\. Nothing was published; pages rendered so far are cached/);
    t.deepEqual(readdirSync(folder), ['cache']);
    const twice = await build(['SIGINT', 'SIGINT']);
    t.is(twice.code, 130);
    t.false(existsSync(join(folder, 'public')));
    server.holdAfterBytes = undefined;
    const whole = await runDocbuild([
      ...['site', `${server.url}/.git`, '--out', join(folder, 'public'), '--cache', join(folder, 'cache')],
    ]);
    t.is(whole.code, 0, whole.stderr);
  },
);

test.serial('docbuild site says on a terminal, below the bar, what became of the site at Ctrl-C', async (t) => {
  const { folder, site } = createSlow(t);
  writeFileSync(join(folder, 'docbuild.config.mjs'), SLOW);
  const { code, stdout } = await runInTerminal(argsOf('.', site), {
    cwd: folder,
    input: '',
    env: { NO_COLOR: '1' },
    isInputOpen: true,
    onStart(child) {
      child.stdout!.on('data', (text: string) => {
        if (text.includes('waiting')) child.stdin!.end('\x03');
      });
    },
  });
  t.is(code, 130, stdout);
  t.deepEqual(readdirSync(site.folder), ['cache']);
  t.regex(
    stdout,
    /Error: Interrupted\. Nothing was published; pages rendered so far are cached for the next build\r?\n$/,
  );
});

test.serial('docbuild site builds without a cache that it cannot write, and says so', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const file = join(site.folder, 'file');
  writeFileSync(file, '');
  const { code, stdout, stderr } = await runDocbuild(['site', repository.folder, '--out', site.out, '--cache', file]);
  t.is(code, 0);
  t.regex(stdout, /1 page: 1 rendered/);
  t.regex(
    stderr,
    /\nWarning: The cache could not be written, so the next build renders everything again: E\w+: .*; choose another folder with --cache\n$/,
  );
});

test.serial('docbuild site fails for a remote repository without a cache that it can write', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const server = await serveGit(t, repository.folder);
  const site = createSite(t);
  const file = join(site.folder, 'file');
  writeFileSync(file, '');
  const args = ['site', `${server.url}/.git`, '--out', site.out, '--cache', file];
  const { code, stderr } = await runDocbuild(args);
  t.is(code, 1);
  t.regex(
    stderr,
    /\nError: Cannot write to ".*\/file\/repos" \(ENOTDIR\), where what is fetched is kept; choose another folder with --cache\n$/,
  );
  t.is(JSON.parse((await runDocbuild([...args, '--json'])).stdout).error.code, 'unwritable');
  t.false(existsSync(site.out));
});

testIf(isRoot && canRunAsNobody(), 'only root can run as somebody else, in a place that others can read')(
  'docbuild site says that a folder of somebody else cannot be its cache',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n' });
    const folder = createFolder(t);
    const server = await serveGit(t, repository.folder);
    const through = 'setpriv --reuid=54321 --regid=54321 --clear-groups'.split(' ');
    const run = (from: string) =>
      runProgram(
        [...through, process.execPath, docbuildPath, 'site', from, '--out', '/tmp/none/x', '--cache', folder],
        {},
      );
    const remote = await run(`${server.url}/.git`);
    t.is(remote.code, 1);
    t.regex(remote.stderr, /Cannot write to ".*" \(EACCES\), where what is fetched is kept/);
  },
);
