import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createBuildProcesses, type ProcessOutcome } from '../../../platform/builds/build-processes.ts';
import { runWithoutFatalPages } from '../../../platform/builds/run-without-fatal-pages.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';

const fatal = (page: string): ProcessOutcome => ({ kind: 'fatal-page', page, message: `out of memory at ${page}` });
const FAILED: ProcessOutcome = { kind: 'failed', message: 'no such repository' };

/** Runs a build whose processes end in these ways; returns how it ended, what each was told to leave out, and what was logged. */
async function run(settings: { readonly isPatient?: boolean }, ...ends: readonly ProcessOutcome[]) {
  const leftOut: (readonly string[])[] = [];
  const logged: string[] = [];
  const processes = {
    run: async ({ options }: { readonly options: { readonly fatalPages?: readonly string[] | undefined } }) => {
      leftOut.push(options.fatalPages ?? []);
      return ends[leftOut.length - 1]!;
    },
  };
  const order = { options: { repository: '/repository', out: '/out' }, words: {}, isAsking: false };
  const context = {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    onProgress: (line: string) => logged.push(line),
    ...settings,
  };
  const outcome = await runWithoutFatalPages(processes as never, order as never, context as never);
  return { outcome, leftOut, logged };
}

test.serial('a build is run once where no page ends its process, however it ends', async (t) => {
  for (const end of [FAILED, { kind: 'timeout' }, { kind: 'cancelled' }] as const) {
    t.deepEqual(await run({}, end), { outcome: end, leftOut: [[]], logged: [] });
  }
});

test.serial('a build begins again without each page that ended its process, and says so', async (t) => {
  const { outcome, leftOut, logged } = await run({}, fatal('a.md'), fatal('b.md'), fatal('c.md'), FAILED);
  t.is(outcome, FAILED);
  t.deepEqual(leftOut, [[], ['a.md'], ['a.md', 'b.md'], ['a.md', 'b.md', 'c.md']]);
  t.deepEqual(logged, [
    'out of memory at a.md. The build begins again without this page',
    'out of memory at b.md. The build begins again without this page',
    'out of memory at c.md. The build begins again without this page',
  ]);
});

test.serial('a crash at a page leaves the page in, where the machine may be at fault', async (t) => {
  const crash: ProcessOutcome = { kind: 'fatal-page', page: 'a.md', message: 'killed at a.md', isCrash: true };
  const patient = await run({ isPatient: true }, crash, FAILED);
  t.deepEqual(patient.outcome, { kind: 'failed', message: 'killed at a.md', isCrash: true });
  t.deepEqual(patient.leftOut, [[]]);
  t.deepEqual((await run({}, crash, FAILED)).leftOut, [[], ['a.md']]);
  t.deepEqual((await run({ isPatient: true }, fatal('a.md'), FAILED)).leftOut, [[], ['a.md']], 'its own memory');
});

test.serial('a build fails with the message of the fourth page', async (t) => {
  const { outcome, leftOut, logged } = await run({}, fatal('a'), fatal('b'), fatal('c'), fatal('d'), FAILED);
  t.deepEqual(outcome, { kind: 'failed', message: 'out of memory at d' });
  t.is(leftOut.length, 4);
  t.is(logged.length, 3);
});

test.serial('a build fails where the page that it leaves out ends its process all the same', async (t) => {
  const { outcome, leftOut } = await run({}, fatal('a'), fatal('a'), FAILED);
  t.deepEqual(outcome, { kind: 'failed', message: 'out of memory at a' });
  t.is(leftOut.length, 2);
});

/** Builds a repository with so many pages that no process of 60 MB can render, and two others. */
async function build(t: ExecutionContext, large: number) {
  const repository = createRepository(t);
  repository.write('docs/README.md', '# Home\n');
  repository.write('docs/small.md', '# Small\n');
  for (let i = 0; i < large; i++) repository.write(`docs/large-${i}.md`, `# Large\n\n${'*a* '.repeat(150_000 + i)}\n`);
  repository.commit('First');
  const folder = createFolder(t);
  const out = join(folder, 'site');
  const processes = createBuildProcesses({ heapMb: 60 });
  t.teardown(() => processes.close());
  const logged: string[] = [];
  const options = { repository: repository.folder, out, cacheFolder: join(folder, 'cache') };
  const outcome = await runWithoutFatalPages(
    processes,
    { options, words: {}, isAsking: false },
    {
      signal: new AbortController().signal,
      timeoutMs: 120_000,
      onProgress: (line) => void (/begins again/.test(line) && logged.push(line)),
    },
  );
  return { outcome, logged, out };
}

test.serial(
  'two pages that take more memory than a process has are left out, with an error each, and all others published',
  async (t) => {
    const { outcome, logged, out } = await build(t, 2);
    if (outcome.kind !== 'done') return t.fail(JSON.stringify(outcome));
    t.is(logged.length, 2);
    t.deepEqual(outcome.summary.errors.map(({ file }) => file).sort(), ['docs/large-0.md', 'docs/large-1.md']);
    t.true(readdirSync(out, { recursive: true }).some((path) => String(path).endsWith('small.html')));
  },
);

test.serial('four of them are too many: the build fails with the name of a page, and publishes nothing', async (t) => {
  const { outcome, logged, out } = await build(t, 4);
  t.is(outcome.kind, 'failed');
  t.regex(
    outcome.kind === 'failed' ? outcome.message : '',
    /ran out of memory \(60 MB\) while it rendered docs\/large-\d\.md/,
  );
  t.is(logged.length, 3);
  t.false(existsSync(out));
});
