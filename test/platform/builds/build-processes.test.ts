import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfigFile } from '../../../builder/index.ts';
import { createBuildProcesses } from '../../../platform/builds/build-processes.ts';
import { describeProcessEnd } from '../../../platform/builds/process-end.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

/** A repository with one page, and where it is built. */
function createPlace(t: ExecutionContext) {
  const repository = createRepository(t);
  repository.write('docs/README.md', '# First\n');
  repository.commit('First');
  const folder = createFolder(t);
  const out = join(folder, 'site');
  const processes = createBuildProcesses();
  t.teardown(() => processes.close());
  return {
    repository,
    options: { repository: repository.folder, out, cacheFolder: join(folder, 'cache') },
    out,
    processes,
  };
}

test.serial(
  'build processes: a build that asks whether it may publish, and may not, leaves everything as it was',
  async (t) => {
    const { repository, options, out, processes } = createPlace(t);
    const asked: boolean[] = [];
    const build = async (answer: boolean, isAsking = true) => {
      const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
      const mayPublish = async (): Promise<boolean> => {
        asked.push(existsSync(out));
        return answer;
      };
      return (await processes.run({ options, words: {}, isAsking }, { ...context, mayPublish })).kind;
    };
    t.is(await build(false), 'cancelled');
    t.false(existsSync(out));
    t.is(await build(true), 'done');
    t.true(existsSync(join(out, 'versions.json')));
    t.deepEqual(asked, [false, false]);
    repository.write('docs/README.md', '# Second\n');
    repository.commit('Second');
    t.is(await build(false, false), 'done');
    t.is(asked.length, 2);
  },
);

test.serial(
  'build processes: one that nobody tells whether it may publish is no failure of its repository, and leaves everything as it was',
  async (t) => {
    t.timeout(120_000);
    const { options, out, processes } = createPlace(t);
    const mayPublish = () => new Promise<boolean>(() => {});
    const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {}, mayPublish };
    const outcome = await processes.run({ options, words: {}, isAsking: true }, context);
    t.like(outcome, { kind: 'failed', code: 'unwritable' });
    t.false(existsSync(out));
  },
);

test.serial(
  'build processes: one that runs out of memory names the page, and a build without the page publishes all others',
  async (t) => {
    const repository = createRepository(t);
    repository.write('docs/README.md', '# Home\n\n[Large](large.md)\n');
    repository.write('docs/large.md', `# Large\n\n${'*a* '.repeat(150_000)}\n`);
    repository.commit('First');
    const folder = createFolder(t);
    const out = join(folder, 'site');
    const processes = createBuildProcesses({ heapMb: 60 });
    t.teardown(() => processes.close());
    const build = (fatalPages: readonly string[]) => {
      const options = { repository: repository.folder, out, cacheFolder: join(folder, 'cache'), fatalPages };
      const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
      return processes.run({ options, words: {}, isAsking: false }, context);
    };
    const ended = await build([]);
    const message =
      'The build ran out of memory (60 MB) while it rendered docs/large.md; split the largest pages into several';
    t.deepEqual(ended, { kind: 'fatal-page', page: 'docs/large.md', message, code: 'out-of-memory' });
    const outcome = await build(['docs/large.md']);
    if (outcome.kind !== 'done') return t.fail(JSON.stringify(outcome));
    const [error] = outcome.summary.errors;
    t.is(error?.file, 'docs/large.md');
    t.regex(error!.message, /memory of a build is not enough/);
    t.is(outcome.summary.pages, 2);
  },
);

test.serial('build processes: one that runs out of memory outside of pages names the step', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/README.md', '# Home\n');
  for (let i = 0; i < 1_500; i++) repository.write(`docs/${i}.md`, `# Page ${i}\n`);
  repository.commit('Many');
  for (let i = 0; i < 20; i++) repository.git('tag', `v1.${i}`);
  const folder = createFolder(t);
  const processes = createBuildProcesses({ heapMb: 24 });
  t.teardown(() => processes.close());
  const options = { repository: repository.folder, out: join(folder, 'site'), cacheFolder: join(folder, 'cache') };
  const context = { signal: new AbortController().signal, timeoutMs: 120_000, onProgress() {} };
  const outcome = await processes.run({ options, words: {}, isAsking: false }, context);
  if (outcome.kind !== 'failed') return t.fail(JSON.stringify(outcome));
  t.regex(
    outcome.message,
    /^The build ran out of memory \(24 MB\) at the step "[A-Z][a-z ]+"; build fewer versions \("exclude" in \.docbuild\.yml\), or fewer pages$/,
  );
});

test.serial(
  'build processes: a fault of docbuild itself names the step, and the next build is not told of it',
  async (t) => {
    const { options, processes } = createPlace(t);
    const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
    // No caller gives such options.
    const broken = { ...options, refUpdate: { published: null as never } };
    const outcome = await processes.run({ options: broken, words: {}, isAsking: false }, context);
    if (outcome.kind !== 'failed') return t.fail(JSON.stringify(outcome));
    t.regex(
      outcome.message,
      /^docbuild failed at the step "Reading versions", for a fault of its own or of the server and not of the repository; try again, /,
    );
    t.is((await processes.run({ options, words: {}, isAsking: false }, context)).kind, 'done');
  },
);

test('build processes: however one ends, it says where, and what to do', (t) => {
  const page = { name: 'docs/a.md', step: 'Rendering pages' };
  const step = { name: undefined, step: 'Publishing' };
  const nowhere = { name: undefined, step: undefined };
  const end = (signal: NodeJS.Signals | null, code: number | null, at: typeof page | typeof step | typeof nowhere) =>
    describeProcessEnd({ code, signal }, 2_048, at);
  t.regex(end('SIGABRT', null, page), /^The build ran out of memory \(2048 MB\) while it rendered docs\/a\.md; split/);
  t.regex(end(null, 134, step), /^The build ran out of memory \(2048 MB\) at the step "Publishing"; build fewer/);
  t.regex(end('SIGKILL', null, step), /at the step "Publishing", as it does where the machine is out of memory; build/);
  t.regex(end('SIGSEGV', null, step), /ended at the step "Publishing" and did not say why \(SIGSEGV\); build again, /);
  t.regex(end(null, 1, page), /ended while it rendered docs\/a\.md and did not say why \(exit code 1\); build again, /);
  t.regex(end(null, 1, nowhere), /^The build process ended and did not say why \(exit code 1\); build again, /);
});

test.serial(
  'build processes: one that has been idle for long ends by itself and keeps its compiled code',
  async (t) => {
    const folder = createFolder(t);
    const before = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = folder;
    t.teardown(() => {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
    });
    const repository = createRepository(t);
    repository.write('docs/README.md', '# First\n');
    repository.commit('First');
    const processes = createBuildProcesses({ idleMs: 10 });
    t.teardown(() => processes.close());
    const inspect = () =>
      processes.inspect(
        { inspection: { repository: repository.folder, cacheFolder: join(folder, 'fetched') } },
        { timeoutMs: 60_000 },
      );
    t.is((await inspect()).kind, 'inspected');
    const kept = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });
    await waitUntil(() => kept().some((path) => path.includes('/build-process.cjs-')));
    t.is((await inspect()).kind, 'inspected');
  },
);

test.serial(
  'build processes: one whose time is up while it asks whether it may publish is no failure of its repository, either',
  async (t) => {
    const { repository, options, out, processes } = createPlace(t);
    const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
    const order = { options, words: {}, isAsking: true };
    t.is((await processes.run(order, context)).kind, 'done');
    const read = () => readFileSync(join(out, 'en/main/index.html'), 'utf8');
    t.regex(read(), /First/);
    repository.write('docs/README.md', '# Second\n');
    repository.commit('Second');
    const mayPublish = () => new Promise<boolean>(() => {});
    const outcome = await processes.run(order, { ...context, timeoutMs: 5_000, mayPublish });
    t.like(outcome, { kind: 'failed', code: 'unwritable' });
    t.regex(read(), /First/);
    t.is((await processes.run(order, context)).kind, 'done', 'in another process');
    t.regex(read(), /Second/);
  },
);

test.serial('build processes: what the machine refuses one is no failure of its repository', async (t) => {
  const { repository, options, processes } = createPlace(t);
  const path = join(createFolder(t), 'docbuild.config.mjs');
  const full = `new Error('cannot read', { cause: Object.assign(new Error('EMFILE'), { code: 'EMFILE' }) })`;
  writeFileSync(
    path,
    `export default { extensions: [{ name: 'full', components: { Reads() { throw ${full}; } } }] };\n`,
  );
  repository.write('docs/README.md', '# First\n\n<Reads />\n');
  repository.commit('Reads');
  const order = { options: { ...options, config: readConfigFile(path) }, words: {}, isAsking: false };
  const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
  const message = 'The server cannot build at present: EMFILE';
  t.deepEqual(await processes.run(order, context), { kind: 'failed', message, code: 'unwritable' });
});
