import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createBuildProcesses } from '../../../platform/builds/build-processes.ts';
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
    t.deepEqual(ended, { kind: 'fatal-page', page: 'docs/large.md', message });
    const outcome = await build(['docs/large.md']);
    if (outcome.kind !== 'done') return t.fail(JSON.stringify(outcome));
    const [error] = outcome.summary.errors;
    t.is(error?.file, 'docs/large.md');
    t.regex(error!.message, /memory of a build is not enough/);
    t.is(outcome.summary.pages, 2);
  },
);

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
