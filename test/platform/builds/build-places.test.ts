import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Build, hasEnded } from '../../../data/records/build.ts';
import type { Store } from '../../../data/store.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import type { PlaceSettings } from '../../../platform/builds/build-places.ts';
import type { BuildRequest } from '../../../platform/builds/build-queue.ts';
import type { BuildWork } from '../../../platform/builds/build-runner.ts';
import { createLocalQueue } from '../../../platform/builds/local-queue.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import type { BuildOutcome } from '../../../platform/builds/run-build.ts';
import { createBuild, createOutcome, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { createSlowStore } from '../../helpers/create-slow-store.ts';
import fc from '../../helpers/fast-check.ts';
import test from '../../helpers/serial-test.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

/** Longer than any timer of a millisecond that was set before. */
const PAUSE_MS = 30;
const FOREVER_MS = 1e8;
const NAMES = ['alpha', 'beta', 'gamma', 'delta'];
const SIX = ['one', 'two', 'three', 'four', 'five', 'six'];
const passing = createOutcome();

/** A build that runs, as a test sees it. */
interface Work {
  readonly build: Build;
  end(outcome?: BuildOutcome): void;
  publish(): void;
}

/** A queue whose builds run until they are told to end; they count as quick, however long that is, unless told otherwise. */
function createPlace(
  t: ExecutionContext,
  settings: Partial<PlaceSettings> = {},
  known?: Store,
  now = () => new Date(),
) {
  const limits = { concurrency: 1, quick: 1, quickMs: FOREVER_MS, ...settings };
  const folder = createFolder(t);
  const url = (name: string) => `https://code.example/${name}/docs`;
  const store =
    known ?? createSlowStore([...NAMES, ...SIX].map((name) => createProject({ name, url: url(name), versions: [] })));
  const logs = createBuildLogs(createLogFiles(join(folder, 'logs')));
  const changes: Build[] = [];
  const works: Work[] = [];
  /** Those that run now. */
  const open = new Set<Work>();
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
  const queue = createLocalQueue({
    ...{ store, run, logs },
    places: () => limits,
    onChange: (build) => changes.push(build),
    onWarning: (message) => errors.push(message),
    onError: (error) => errors.push(error),
    now,
  });
  t.teardown(() => queue.stop());
  const ask = (project: string, values: Partial<BuildRequest> = {}) =>
    queue.request({ project, ref: 'main', commit: '', cause: 'api', ...values });
  const begun = () => works.map(({ build }) => build.project);
  return { store, queue, limits, logs, changes, works, open, errors, ask, begun };
}

type Place = ReturnType<typeof createPlace>;

/** Stores that a build of a project took so long, and has just ended. */
async function remember({ store }: Place, project: string, ms: number, values: Partial<Build> = {}): Promise<void> {
  const [startedAt, finishedAt] = [new Date(Date.now() - ms).toISOString(), new Date().toISOString()];
  await store.builds.add(createBuild({ project, status: 'passing', startedAt, finishedAt, ...values }));
}

/** Requests a build, and returns it once it has begun. */
async function begin(place: Place, project: string): Promise<Work> {
  const { id } = await place.ask(project);
  const find = () => [...place.open].find(({ build }) => build.id === id);
  await waitUntil(() => find() !== undefined);
  return find()!;
}

/** Requests a build, and returns it once it has begun and no longer counts as quick. */
async function beginSlow(place: Place, project: string, values: Partial<BuildRequest> = {}): Promise<Work> {
  place.limits.quickMs = 1;
  const { id } = await place.ask(project, values);
  place.limits.quickMs = FOREVER_MS;
  const find = () => [...place.open].find(({ build }) => build.id === id);
  await waitUntil(() => find() !== undefined);
  await setTimeout(PAUSE_MS);
  return find()!;
}

/** Two builds that take long: the first one in the place for such, the second one in that of quick ones. */
async function createTwoSlow(t: ExecutionContext, settings: Partial<PlaceSettings> = {}) {
  const place = createPlace(t, settings);
  await place.queue.start();
  return { place, first: await beginSlow(place, 'alpha'), second: await beginSlow(place, 'beta') };
}

test('build places: a build of another project begins while one takes long, and one of the same project waits', async (t) => {
  const place = createPlace(t);
  await place.queue.start();
  const slow = await beginSlow(place, 'alpha');
  const own = await place.ask('alpha', { ref: 'next' });
  const other = await place.ask('beta');
  await waitUntil(() => place.works.length === 2);
  t.deepEqual(place.begun(), ['alpha', 'beta']);
  place.works[1]!.end();
  t.is((await place.queue.waitFor(other.id))?.status, 'passing');
  t.is((await place.store.builds.find(own.id))?.status, 'queued');
  t.deepEqual([...place.open], [slow]);
});

test('build places: without places for quick builds, a build waits for one that takes long', async (t) => {
  const place = createPlace(t, { quick: 0 });
  await place.queue.start();
  const slow = await beginSlow(place, 'alpha');
  const { id } = await place.ask('beta');
  await setTimeout(PAUSE_MS);
  t.deepEqual(place.begun(), ['alpha']);
  slow.end();
  await waitUntil(() => place.works.length === 2);
  place.works[1]!.end();
  t.is((await place.queue.waitFor(id))?.status, 'passing');
});

test('build places: one that takes long in the place of a quick one stays there while nobody waits', async (t) => {
  const { place, second } = await createTwoSlow(t);
  await setTimeout(PAUSE_MS);
  t.true(place.open.has(second));
  second.end();
  t.is((await place.queue.waitFor(second.build.id))?.status, 'passing');
});

test('build places: of two that take long the later one is put back for others, waits for the first, and ends once', async (t) => {
  const { place, first, second } = await createTwoSlow(t);
  const { id } = second.build;
  const quick = await place.ask('gamma');
  await waitUntil(() => place.works.length === 3);
  t.deepEqual(place.begun(), ['alpha', 'beta', 'gamma']);
  const back = await place.store.builds.find(id);
  t.deepEqual([back?.status, back?.startedAt], ['queued', '']);
  t.regex(back!.reason, /^Others could be built quickly/);
  place.works[2]!.end();
  t.is((await place.queue.waitFor(quick.id))?.status, 'passing');
  // The place is free, but it would only be put back again.
  await setTimeout(PAUSE_MS);
  t.is(place.works.length, 3);
  t.true(place.open.has(first));
  first.end();
  await waitUntil(() => place.works.length === 4);
  t.is(place.works[3]!.build.id, id);
  t.is(place.works[3]!.build.reason, '');
  await setTimeout(PAUSE_MS);
  // From now on it keeps its place: others are put back.
  await beginSlow(place, 'gamma');
  await place.ask('delta');
  await waitUntil(() => place.begun().at(-1) === 'delta');
  t.true(place.open.has(place.works[3]!));
  place.works[3]!.end();
  t.is((await place.queue.waitFor(id))?.status, 'passing');
  const states = place.changes.filter((build) => build.id === id).map(({ status }) => status);
  t.deepEqual(states, ['queued', 'running', 'queued', 'running', 'passing']);
  t.deepEqual(place.errors, []);
});

test('build places: a project whose last build took long does not take the place of a quick one, until one was quick', async (t) => {
  const { place, first, second } = await createTwoSlow(t);
  second.end();
  await place.queue.waitFor(second.build.id);
  const again = await place.ask('beta');
  const quick = await place.ask('gamma');
  await waitUntil(() => place.works.length === 3);
  t.is(place.works[2]!.build.id, quick.id);
  place.works[2]!.end();
  await place.queue.waitFor(quick.id);
  t.is((await place.store.builds.find(again.id))?.status, 'queued');
  first.end();
  await waitUntil(() => place.works.length === 4);
  place.works[3]!.end();
  await place.queue.waitFor(again.id);
  await beginSlow(place, 'alpha');
  await place.ask('beta');
  await waitUntil(() => place.works.length === 6);
  t.is(place.begun().at(-1), 'beta');
});

test('build places: a project that was slow is tried again after a while', async (t) => {
  const place = createPlace(t, { quickMs: 1 });
  await place.queue.start();
  await place.ask('alpha');
  const { id } = await place.ask('beta');
  await waitUntil(() => place.works.length === 2);
  await setTimeout(PAUSE_MS);
  place.works[1]!.end();
  await place.queue.waitFor(id);
  await place.ask('beta');
  await waitUntil(() => place.works.length === 3);
  t.deepEqual([...place.open], [place.works[0], place.works[2]]);
});

test('build places: what ends at a time holds until the clock says so, also where timers are early', async (t) => {
  const startMs = Date.now();
  // Timers of Node.js count from when the loop last looked at the time; here, they are early by half of what they wait.
  const now = () => new Date(startMs + (Date.now() - startMs) / 2);
  const place = createPlace(t, { quickMs: 1 }, undefined, now);
  await place.queue.start();
  await place.ask('alpha');
  const { id } = await place.ask('beta');
  await waitUntil(() => place.works.length === 2);
  await setTimeout(PAUSE_MS);
  place.works[1]!.end();
  await place.queue.waitFor(id);
  await place.ask('beta');
  await waitUntil(() => place.works.length === 3);
  t.is(place.works[2]!.build.project, 'beta');
});

test('build places: builds of all refs say nothing about builds of one', async (t) => {
  const place = createPlace(t);
  await place.queue.start();
  await beginSlow(place, 'alpha');
  const all = await beginSlow(place, 'beta', { ref: '' });
  all.end();
  await waitUntil(() => place.open.size === 1);
  await place.ask('beta');
  await waitUntil(() => place.works.length === 3);
  t.is(place.works[2]!.build.ref, 'main');
});

test('build places: a build that has published is not put back', async (t) => {
  const { place, second } = await createTwoSlow(t);
  second.publish();
  const { id } = await place.ask('gamma');
  await setTimeout(PAUSE_MS);
  t.true(place.open.has(second));
  second.end();
  await waitUntil(() => place.works.length === 3);
  place.works[2]!.end();
  t.is((await place.queue.waitFor(id))?.status, 'passing');
});

test('build places: a newer push takes over from a build that is put back', async (t) => {
  const { place, first, second } = await createTwoSlow(t);
  const newer = await place.ask('beta', { commit: 'b'.repeat(40), cause: 'webhook' });
  await place.ask('gamma');
  const old = await place.queue.waitFor(second.build.id);
  t.deepEqual([old?.status, old?.reason], ['superseded', `Build ${newer.id} builds a newer commit`]);
  first.end();
  await waitUntil(() => [...place.open].some(({ build }) => build.id === newer.id));
  for (const work of place.open) work.end();
  t.is((await place.queue.waitFor(newer.id))?.status, 'passing');
  t.is(place.changes.filter(({ id, status }) => id === old!.id && hasEnded(status)).length, 1);
});

test('build places: a push joins a build that was put back', async (t) => {
  const { place, second } = await createTwoSlow(t);
  await place.ask('gamma');
  await waitUntil(() => place.works.length === 3);
  const joined = await place.ask('beta', { commit: 'c'.repeat(40), cause: 'webhook' });
  t.deepEqual([joined.id, joined.requests], [second.build.id, 2]);
});

test('build places: a build is cancelled while it is put back, and after', async (t) => {
  for (let round = 0; round < 12; round++) {
    const { place, second } = await createTwoSlow(t);
    await place.ask('gamma');
    for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
    const build = await place.queue.cancel(second.build.id);
    t.is(build?.status, 'cancelled');
    t.is((await place.queue.waitFor(second.build.id))?.status, 'cancelled');
    await waitUntil(() => place.begun().includes('gamma'));
    t.is(place.changes.filter(({ id, status }) => id === build!.id && hasEnded(status)).length, 1);
    await place.queue.stop();
  }
});

test('build places: a project is removed while its build is put back', async (t) => {
  const { place, second } = await createTwoSlow(t);
  await place.ask('gamma');
  await place.queue.removeProject('beta', () => place.store.projects.remove('beta'));
  t.is(await place.store.builds.find(second.build.id), undefined);
  t.is(place.begun().filter((name) => name === 'beta').length, 1);
});

test('build places: the next process builds what was put back', async (t) => {
  const { place, first, second } = await createTwoSlow(t);
  await place.ask('gamma');
  await waitUntil(() => place.works.length === 3);
  await place.queue.stop();
  const next = createPlace(t, {}, place.store);
  await next.queue.start();
  await waitUntil(() => next.works.length === 2);
  t.is((await next.store.builds.find(first.build.id))?.status, 'interrupted');
  for (let ended = 0; ended < 3; ended++) {
    await waitUntil(() => next.open.size > 0);
    [...next.open][0]!.end();
  }
  t.is((await next.queue.waitFor(second.build.id))?.status, 'passing');
});

test('build places: the log of a build that was put back goes on', async (t) => {
  const { place, first, second } = await createTwoSlow(t);
  await place.ask('gamma');
  await waitUntil(() => place.works.length === 3);
  place.works[2]!.end();
  first.end();
  await waitUntil(() => place.works.length === 4);
  t.regex(await place.logs.read('beta', second.build.id), /^Put back: Others could be built quickly.*\n$/);
  place.works[3]!.end();
  await place.queue.waitFor(second.build.id);
  t.regex(await place.logs.read('beta', second.build.id), /^Put back: .*\nPassing\n$/);
});

test('build places: of six new projects, the one in the place of quick ones gives way at once to one known to be quick', async (t) => {
  const place = createPlace(t);
  // The first build, of all refs, started a process, too: one of one ref takes half as long at most.
  await remember(place, 'alpha', 1.5 * FOREVER_MS, { ref: '' });
  for (const name of SIX) await place.ask(name);
  await place.queue.start();
  await waitUntil(() => place.works.length >= 2);
  t.deepEqual(place.begun().slice(0, 2), ['one', 'two']);
  const given = place.works[1]!;
  const quick = await begin(place, 'alpha');
  const back = (await place.store.builds.find(given.build.id))!;
  t.is(back.status, 'queued');
  t.regex(back.reason, /^A build that is known to be quick came first/);
  t.regex(await place.logs.read('two', back.id), /^Put back: A build that is known to be quick came first.*\n$/);
  quick.end();
  await waitUntil(() => place.works.length === 4);
  // It has had a turn, and is tried again after the others.
  t.deepEqual(place.begun(), ['one', 'two', 'alpha', 'three']);
  for (const name of ['four', 'five', 'six', 'two']) {
    [...place.open][1]!.end();
    await waitUntil(() => place.begun().at(-1) === name);
  }
  [...place.open][1]!.end();
  t.is((await place.queue.waitFor(back.id))?.status, 'passing');
  t.true(place.open.has(place.works[0]!));
  t.deepEqual(place.errors, []);
});

test('build places: what is known to be quick goes before what is not, up to four times', async (t) => {
  const place = createPlace(t);
  const quick = ['alpha', 'beta', 'gamma', 'delta', 'five', 'six'];
  for (const name of quick) await remember(place, name, 100);
  await place.queue.start();
  const first = await begin(place, 'one');
  await begin(place, 'alpha');
  for (const name of ['two', 'three', ...quick.slice(1)]) await place.ask(name);
  for (let number = 3; number <= 8; number++) {
    [...place.open].find((work) => work !== first)!.end();
    await waitUntil(() => place.works.length === number);
  }
  t.deepEqual(place.begun(), ['one', 'alpha', 'beta', 'gamma', 'delta', 'five', 'two', 'six']);
});

test('build places: one that is not known to be quick gives way four times, and then not until it had some time', async (t) => {
  const place = createPlace(t);
  for (const name of NAMES) await remember(place, name, 100);
  await place.queue.start();
  await begin(place, 'one');
  await begin(place, 'two');
  for (const name of NAMES) {
    const quick = await begin(place, name);
    quick.end();
    await waitUntil(() => place.begun().at(-1) === 'two');
  }
  t.is(place.begun().filter((name) => name === 'two').length, 5);
  const tried = [...place.open].find(({ build }) => build.project === 'two')!;
  const quick = await place.ask('alpha');
  await setTimeout(PAUSE_MS);
  t.true(place.open.has(tried));
  tried.end();
  t.is((await place.queue.waitFor(tried.build.id))?.status, 'passing');
  await waitUntil(() => place.begun().at(-1) === 'alpha');
  [...place.open][1]!.end();
  t.is((await place.queue.waitFor(quick.id))?.status, 'passing');
});

test('build places: one that is not quick in the time that it had waits for one that takes long', async (t) => {
  const place = createPlace(t);
  for (const name of NAMES) await remember(place, name, 100);
  await place.queue.start();
  const first = await beginSlow(place, 'one');
  const { build } = await begin(place, 'two');
  for (const name of NAMES) {
    const quick = await begin(place, name);
    quick.end();
    await waitUntil(() => place.begun().at(-1) === 'two');
  }
  place.limits.quickMs = 1;
  const quick = await begin(place, 'alpha');
  t.regex((await place.store.builds.find(build.id))!.reason, /^Others could be built quickly/);
  quick.end();
  await place.queue.waitFor(quick.build.id);
  await setTimeout(PAUSE_MS);
  t.deepEqual([...place.open], [first]);
  first.end();
  await waitUntil(() => place.begun().at(-1) === 'two');
  [...place.open][0]!.end();
  t.is((await place.queue.waitFor(build.id))?.status, 'passing');
});

test('build places: one that is known to be quick and takes longer than it used to gives way to another one', async (t) => {
  const place = createPlace(t, { quickMs: 100 });
  await remember(place, 'alpha', 1);
  await remember(place, 'beta', 1);
  await place.ask('one');
  const { id } = await place.ask('alpha');
  await place.ask('beta');
  await place.queue.start();
  await waitUntil(() => place.works.length >= 2);
  t.deepEqual(place.begun().slice(0, 2), ['one', 'alpha']);
  await waitUntil(() => place.works.length === 3);
  t.is(place.begun().at(-1), 'beta');
  t.regex((await place.store.builds.find(id))!.reason, /^A build that is known to be quick came first/);
});

test('build places: what took long is known to the next process, for twelve times as long as it took', async (t) => {
  const place = createPlace(t);
  await remember(place, 'beta', 2 * FOREVER_MS);
  // Too long ago to say anything now.
  const ended = new Date(Date.now() - 30 * FOREVER_MS).toISOString();
  const begun = new Date(Date.parse(ended) - 2 * FOREVER_MS).toISOString();
  await remember(place, 'gamma', 0, { startedAt: begun, finishedAt: ended });
  await place.queue.start();
  const first = await beginSlow(place, 'alpha');
  const slow = await place.ask('beta');
  const other = await begin(place, 'gamma');
  other.end();
  await place.queue.waitFor(other.build.id);
  await setTimeout(PAUSE_MS);
  t.deepEqual(place.begun(), ['alpha', 'gamma']);
  t.is((await place.store.builds.find(slow.id))?.status, 'queued');
  first.end();
  await waitUntil(() => place.works.length === 3);
  t.is(place.works[2]!.build.id, slow.id);
});

test('build places: what was put back while it was not known gives way, and keeps its place at its next turn', async (t) => {
  const place = createPlace(t);
  await remember(place, 'alpha', 100);
  await place.queue.start();
  const first = await begin(place, 'one');
  const { build } = await begin(place, 'two');
  const quick = await begin(place, 'alpha');
  await place.queue.cancel(first.build.id);
  // A place for any build is free: it is its turn, and it stays.
  await waitUntil(() => place.begun().at(-1) === 'two');
  quick.end();
  await place.queue.waitFor(quick.build.id);
  await begin(place, 'three');
  await begin(place, 'alpha');
  t.true([...place.open].some((work) => work.build.id === build.id));
});

/** What may happen, one after the other; numbers choose projects, refs and builds. */
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('push' as const), at: fc.nat(NAMES.length - 1), ref: fc.nat(2) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(5), passes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('gone' as const), at: fc.nat(NAMES.length - 1), ref: fc.nat(2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(4) }) },
);
const push = (at: number) => ({ kind: 'push' as const, at, ref: 0 });
/** Two builds that take long and a third one, for which the second one is put back. */
const TWO_SLOW = [push(0), push(1), { kind: 'wait' as const, ms: 30 }, push(2), { kind: 'wait' as const, ms: 30 }];
const settings = fc.record({ concurrency: fc.integer({ min: 1, max: 2 }), quick: fc.nat(2), quickMs: fc.constant(1) });

test('build places: whatever happens, limits hold, every build ends once, and the newest push of a ref is built', async (t) => {
  let putBack = 0;
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(settings, fc.array(event, { maxLength: 40 }), async (limits, events) => {
        const place = createPlace(t, limits);
        const { queue, open, works, changes } = place;
        const cancelled = new Set<string>();
        const newest = new Map<string, { id: string; commit: string }>();
        const check = (): void => {
          const projects = [...open].map(({ build }) => build.project);
          if (new Set(projects).size < projects.length) throw new Error(`Two builds of one project run: ${projects}`);
          if (open.size > limits.concurrency + limits.quick) throw new Error(`${open.size} builds run`);
        };
        await queue.start();
        for (const [number, one] of events.entries()) {
          const ref = 'ref' in one ? ['main', 'next', ''][one.ref]! : '';
          const project = NAMES[one.kind === 'push' || one.kind === 'gone' ? one.at : 0]!;
          const work = 'at' in one ? [...open][one.at] : undefined;
          if (one.kind === 'push') {
            const commit = ref === '' ? '' : String(number).padStart(40, '0');
            const { id } = await place.ask(project, { ref, commit, cause: 'webhook' });
            newest.set(`${project} ${ref}`, { id, commit });
          } else if (one.kind === 'end') work?.end(one.passes ? passing : { status: 'failing', reason: 'Broken' });
          else if (one.kind === 'publish') work?.publish();
          else if (one.kind === 'gone') await queue.removeVersion(project, ref === '' ? 'main' : ref);
          else if (one.kind === 'cancel') {
            const id = changes[one.at]?.id;
            if (id !== undefined) cancelled.add(id);
            if (id !== undefined && !hasEnded((await queue.cancel(id))!.status)) throw new Error('Cancelled, but runs');
          } else await setTimeout(one.ms);
          check();
        }
        for (let counts = await queue.counts(); counts.waiting + counts.running > 0; counts = await queue.counts()) {
          [...open][0]?.end();
          await setTimeout(1);
          check();
        }
        if (place.errors.length > 0) throw place.errors[0];
        const ids = new Set(changes.map(({ id }) => id));
        for (const id of ids) {
          const states = changes.filter((build) => build.id === id).map(({ status }) => status);
          if (states.filter(hasEnded).length !== 1) throw new Error(`${id} ended otherwise than once: ${states}`);
          if (!hasEnded(states.at(-1)!)) throw new Error(`${id} went on after its end: ${states}`);
          const begun = works.filter(({ build }) => build.id === id).length;
          if (begun > 7) throw new Error(`${id} was put back more often than promised: ${states}`);
          if (begun > 1) putBack++;
          if (begun > 1 && limits.quick === 0) throw new Error(`${id} was put back for nobody: ${states}`);
        }
        for (const { id, commit } of newest.values()) {
          const last = (await place.store.builds.find(id))!;
          const isDone = last.status === 'passing' || last.status === 'failing' || last.status === 'superseded';
          if (!isDone && !cancelled.has(id)) throw new Error(`The newest push ended ${last.status}`);
          if (isDone && last.status !== 'superseded' && last.commit !== commit) throw new Error(`Built ${last.commit}`);
        }
        await queue.stop();
      }),
      { numRuns: 60, examples: [[{ concurrency: 1, quick: 1, quickMs: 1 }, TWO_SLOW]] },
    ),
  );
  t.true(putBack > 0);
});
