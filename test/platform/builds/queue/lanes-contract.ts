import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Build, hasEnded } from '../../../../data/records/build.ts';
import type { BuildRequest } from '../../../../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../../../../platform/builds/queue/build-runner.ts';
import type { BuildOutcome } from '../../../../platform/builds/run-build.ts';
import { createBuild, createOutcome, createProject } from '../../../helpers/create-records.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';
import type { QueueAdapter, QueueOptions } from './queue-contract.ts';

/** Longer than a build needs that begins, or notices that another one waits. */
const PAUSE_MS = 1_000;
const FOREVER_MS = 1e8;
/** Projects of a queue whose builds are works. */
export const WORK_PROJECTS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const passing = createOutcome();

/** A build that runs, as a test sees it. */
export interface Work {
  readonly build: Build;
  end(outcome?: BuildOutcome): void;
  publish(): void;
}

/** Opens a queue with five projects of five owners, whose builds run until they are told to end. */
export async function openWorks(
  t: ExecutionContext,
  adapter: Pick<QueueAdapter, 'open'>,
  limits: Partial<QueueOptions> = {},
) {
  const works: Work[] = [];
  const open = new Set<Work>();
  const changes: Build[] = [];
  const errors: unknown[] = [];
  const run: BuildWork = (build, { signal, onPublished }) =>
    new Promise((resolve) => {
      const work: Work = {
        build,
        publish: onPublished,
        end(outcome = passing) {
          open.delete(work);
          resolve(outcome);
        },
      };
      open.add(work);
      works.push(work);
      const abort = (): void => work.end({ status: 'cancelled', reason: 'Cancelled' });
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    });
  const { store, queue } = await adapter.open(t, {
    run,
    concurrency: 1,
    quick: 1,
    quickMs: FOREVER_MS,
    ...limits,
    onChange: (build) => changes.push(build),
    onError: (error) => errors.push(error),
  });
  for (const name of WORK_PROJECTS) {
    await store.projects.add(createProject({ name, url: `https://code.example/${name}/docs`, versions: [] }));
  }
  const ask = (project: string, values: Partial<BuildRequest> = {}) =>
    queue.request({ project, ref: 'main', commit: '', cause: 'api', ...values });
  /** Requests a build, and returns it once it has begun. */
  const begin = async (project: string): Promise<Work> => {
    const { id } = await ask(project);
    const find = () => [...open].find(({ build }) => build.id === id);
    await waitUntil(() => find() !== undefined);
    return find()!;
  };
  /** Stores that a build of a project took so long. */
  const remember = async (project: string, ms: number, values: Partial<Build> = {}): Promise<void> => {
    const [startedAt, finishedAt] = [new Date(Date.now() - ms).toISOString(), new Date().toISOString()];
    await store.builds.add(createBuild({ project, status: 'passing', startedAt, finishedAt, ...values }));
  };
  const begun = () => works.map(({ build }) => build.project);
  return { store, queue, works, open, changes, errors, ask, begin, remember, begun };
}

/** Declares what the two lanes of a queue promise. */
export function testLanes(adapter: QueueAdapter): void {
  const { declare } = adapter;
  const title = (text: string): string => `${adapter.name} lanes: ${text}`;

  /** A build that takes long, and one of which nothing is known in the place for short ones, which has taken too long. */
  const openTwo = async (t: ExecutionContext) => {
    const place = await openWorks(t, adapter, { quickMs: 200 });
    await place.remember('alpha', 300);
    await place.queue.start();
    const first = await place.begin('alpha');
    const second = await place.begin('beta');
    return { place, first, second };
  };

  declare(
    title('a build that is not known to take long begins while another one does, one of the same project waits'),
    async (t) => {
      const { store, queue, remember, begin, ask, open } = await openWorks(t, adapter);
      await remember('alpha', 2 * FOREVER_MS);
      await queue.start();
      const long = await begin('alpha');
      const own = await ask('alpha', { ref: 'next' });
      const short = await begin('beta');
      short.end();
      t.is((await queue.waitFor(short.build.id))?.status, 'passing');
      t.is((await store.builds.find(own.id))?.status, 'queued');
      t.deepEqual([...open], [long]);
    },
  );

  declare(title('without places for short builds, a build waits for one that takes long'), async (t) => {
    const { queue, begin, ask, begun } = await openWorks(t, adapter, { quick: 0 });
    await queue.start();
    const long = await begin('alpha');
    await ask('beta');
    await sleep(PAUSE_MS);
    t.deepEqual(begun(), ['alpha']);
    long.end();
    await waitUntil(() => begun().length === 2);
  });

  declare(
    title('a project whose last build took long waits for a place for any build, until one was short'),
    async (t) => {
      const { queue, begin, ask, remember, begun, open } = await openWorks(t, adapter);
      for (const name of ['alpha', 'beta']) await remember(name, 2 * FOREVER_MS);
      await queue.start();
      const first = await begin('alpha');
      await ask('beta');
      (await begin('gamma')).end();
      await sleep(PAUSE_MS);
      t.deepEqual(begun(), ['alpha', 'gamma']);
      first.end();
      await waitUntil(() => begun().at(-1) === 'beta');
      [...open].find(({ build }) => build.project === 'beta')!.end();
      // It was short this time.
      await begin('alpha');
      await begin('beta');
    },
  );

  declare(title('a push to a project that is known to be short waits for no new project'), async (t) => {
    const { queue, begin, ask, remember, begun } = await openWorks(t, adapter);
    await remember('delta', 1);
    await queue.start();
    await begin('alpha');
    const tried = await begin('beta');
    await ask('gamma');
    await ask('delta');
    tried.end();
    await waitUntil(() => begun().length === 3);
    t.deepEqual(begun(), ['alpha', 'beta', 'delta']);
  });

  declare(title('builds of all refs say nothing about builds of one'), async (t) => {
    const { queue, begin, remember } = await openWorks(t, adapter);
    await remember('alpha', 2 * FOREVER_MS);
    await remember('beta', 2 * FOREVER_MS, { ref: '' });
    await queue.start();
    const [long, short] = [await begin('alpha'), await begin('beta')];
    t.deepEqual([long.build.status, short.build.status], ['running', 'running']);
  });

  declare(title('what takes long in a place for short builds stays there while nobody waits'), async (t) => {
    const { place, second } = await openTwo(t);
    await sleep(PAUSE_MS);
    t.true(place.open.has(second));
    second.end();
    t.is((await place.queue.waitFor(second.build.id))?.status, 'passing');
  });

  declare(title('it is put back for others, waits for a place for any build, keeps that, and ends once'), async (t) => {
    const { place, first, second } = await openTwo(t);
    const { id } = second.build;
    const short = await place.begin('gamma');
    const back = await place.store.builds.find(id);
    t.deepEqual([back?.status, back?.startedAt], ['queued', '']);
    t.regex(back!.reason, /^Others could be built quickly/);
    short.end();
    await place.queue.waitFor(short.build.id);
    // The place is free, but it would only be put back again.
    await sleep(PAUSE_MS);
    t.is(place.works.length, 3);
    t.true(place.open.has(first));
    first.end();
    await waitUntil(() => place.works.length === 4);
    t.like(place.works[3]!.build, { id, reason: '' });
    // Projects that have not been built: the first one's build may have taken long on a busy machine.
    await place.begin('delta');
    await place.begin('epsilon');
    t.true(place.open.has(place.works[3]!));
    place.works[3]!.end();
    t.is((await place.queue.waitFor(id))?.status, 'passing');
    const states = place.changes.filter((build) => build.id === id).map(({ status }) => status);
    if (states.length > 0) t.deepEqual(states.filter(hasEnded), ['passing']);
    t.deepEqual(place.errors, []);
  });

  declare(title('a build that has published is not put back'), async (t) => {
    const { place, second } = await openTwo(t);
    second.publish();
    await place.ask('gamma');
    await sleep(PAUSE_MS);
    t.true(place.open.has(second));
    second.end();
    await waitUntil(() => place.begun().at(-1) === 'gamma');
  });

  declare(title('a newer push takes over from a build that is put back, or joins it'), async (t) => {
    const { place, first, second } = await openTwo(t);
    const newer = await place.ask('beta', { commit: 'b'.repeat(40), cause: 'webhook' });
    await place.ask('gamma');
    const old = await place.queue.waitFor(second.build.id);
    t.deepEqual([old?.status, old?.reason], ['superseded', `Build ${newer.id} builds a newer commit`]);
    const joined = await place.ask('beta', { commit: 'c'.repeat(40), cause: 'webhook' });
    t.is(joined.id, newer.id);
    first.end();
    for (let ended = false; !ended; ) {
      for (const work of place.open) work.end();
      await sleep(10);
      ended = hasEnded((await place.store.builds.find(newer.id))!.status);
    }
    t.like(await place.store.builds.find(newer.id), { status: 'passing', commit: 'c'.repeat(40) });
  });

  declare(title('a build that failed for want of a disk does not count as one that takes long'), async (t) => {
    const place = await openWorks(t, adapter);
    await place.remember('alpha', 2 * FOREVER_MS);
    await place.queue.start();
    const long = await place.begin('alpha');
    const short = await place.begin('beta');
    short.end({ status: 'deferred', reason: 'No space is left' });
    await waitUntil(() => place.works.length === 3);
    t.is(place.works[2]!.build.id, short.build.id);
    t.true(place.open.has(long));
    place.works[2]!.end();
    t.is((await place.queue.waitFor(short.build.id))?.status, 'passing');
  });

  declare(title('a build is cancelled while it is put back, and after'), async (t) => {
    const { place, second } = await openTwo(t);
    await place.ask('gamma');
    await waitUntil(() => second.build.id !== undefined && !place.open.has(second));
    t.is((await place.queue.cancel(second.build.id))?.status, 'cancelled');
    t.is((await place.queue.waitFor(second.build.id))?.status, 'cancelled');
    await waitUntil(() => place.begun().includes('gamma'));
  });

  declare(title('a project is removed while its build is put back'), async (t) => {
    const { place, second } = await openTwo(t);
    await place.ask('gamma');
    await place.queue.removeProject('beta', () => place.store.projects.remove('beta'));
    t.is(await place.store.builds.find(second.build.id), undefined);
    t.is(place.begun().filter((name) => name === 'beta').length, 1);
  });
}
