import test, { type ExecutionContext } from 'ava';
import { BuildError, type Ref } from '../../../builder/index.ts';
import type { Build } from '../../../data/records/build.ts';
import { readPollInterval } from '../../../data/records/poll.ts';
import type { Project } from '../../../data/records/project.ts';
import { isRefExcluded } from '../../../platform/builds/excluded-refs.ts';
import { createPolls } from '../../../platform/builds/polls.ts';
import type { BuildRequest } from '../../../platform/builds/queue/build-queue.ts';
import { parseSettings } from '../../../platform/projects/project-settings.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createBuild, createPassed, createProject } from '../../helpers/create-records.ts';

const START = Date.UTC(2026, 4, 4);
const MINUTE_MS = 60_000;
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const C = 'c'.repeat(40);

const branch = (name: string, oid: string): Ref => ({ name, kind: 'branch', oid });
const version = (ref: string, oid: string): Project['versions'][number] => ({
  ref,
  oid,
  kind: 'branch',
  builtAt: '2026-05-01T00:00:00.000Z',
});

/** Polls with a clock and remotes that are set by hand, and what they have requested. */
async function createSetup(t: ExecutionContext, { random = (): number => 0.5 } = {}) {
  const store = createMemoryStore();
  t.teardown(() => store.close());
  const world = {
    minutes: 60,
    ms: START,
    /** By project's URL; an error is thrown. */
    remotes: new Map<string, readonly Ref[] | Error>(),
    head: 'main',
  };
  const requests: (BuildRequest | { readonly removed: string })[] = [];
  const asked: string[] = [];
  const running = { now: 0, most: 0 };
  const polls = createPolls({
    store,
    isExcluded: isRefExcluded,
    queue: {
      async request(request) {
        requests.push(request);
        return createBuild({ project: request.project, ref: request.ref });
      },
      async removeVersion(_, ref) {
        requests.push({ removed: ref });
        return undefined;
      },
    },
    async listRefs(url) {
      asked.push(url);
      running.most = Math.max(running.most, ++running.now);
      await new Promise((resolve) => setImmediate(resolve));
      running.now--;
      const found = world.remotes.get(url) ?? [];
      if (found instanceof Error) throw found;
      return { refs: found, head: world.head };
    },
    intervalMs: () => world.minutes * MINUTE_MS || Number.POSITIVE_INFINITY,
    now: () => new Date(world.ms),
    random,
  });
  const { signal } = new AbortController();
  const urlOf = (name: string): string => `https://code.example/owner/${name}.git`;
  const add = async (name: string, refs: readonly Ref[], values: Partial<Project> = {}) => {
    world.remotes.set(urlOf(name), refs);
    const project = createProject({ name, url: urlOf(name), versions: [], meta: {}, ...values });
    await store.projects.add(project);
    await polls.plan(project);
    if (project.versions.length > 0) await addBuild({ project: name, ref: '', status: 'passing' });
    return project;
  };
  const addBuild = (values: Partial<Build>) => store.builds.add(createPassed(values));
  const publish = (name: string, versions: Project['versions']) =>
    store.projects.change(name, (project) => ({ ...project, versions }));
  /** Goes on to the next comparison of everything. */
  const next = async (): Promise<void> => {
    world.ms += 1.2 * world.minutes * MINUTE_MS;
    await polls.runDue(signal);
  };
  const waitMinutes = async (name: string) =>
    (Date.parse((await store.polls.find(name))!.nextAt) - world.ms) / MINUTE_MS;
  return { store, world, requests, asked, running, polls, signal, urlOf, add, addBuild, publish, next, waitMinutes };
}

const build = (project: string, ref: string, commit: string) => ({ project, ref, commit, cause: 'poll' });

test('polls: a push of which no webhook came is built, once', async (t) => {
  const { add, next, requests, publish, world, urlOf } = await createSetup(t);
  await add('guide', [branch('main', A)], { versions: [version('main', A)] });
  await next();
  t.deepEqual(requests, [], 'nothing has changed');
  world.remotes.set(urlOf('guide'), [branch('main', B), branch('v2', C)]);
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B), build('guide', 'v2', C)]);
  await publish('guide', [version('main', B), version('v2', C)]);
  await next();
  t.deepEqual(requests, []);
});

test('polls: what differs at the first comparison is built, also a ref that is gone; other branches are not', async (t) => {
  const { add, next, requests } = await createSetup(t);
  const versions = [version('main', A), version('v1', A), version('v2', A)];
  await add('guide', [branch('main', B), branch('v1', A), branch('feature/x', C)], { versions });
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B), { removed: 'v2' }]);
  await next();
  t.deepEqual(requests, [], 'whatever has become of the builds');
});

test('polls: a version that fails at a commit is not built again, the next commit is', async (t) => {
  const { add, addBuild, next, requests, world, urlOf } = await createSetup(t);
  await add('guide', [branch('main', A)], { versions: [version('main', A)] });
  await next();
  world.remotes.set(urlOf('guide'), [branch('main', B)]);
  await addBuild({ project: 'guide', ref: 'main', commit: B, status: 'failing', result: undefined });
  await next();
  await next();
  t.deepEqual(requests, [], 'the webhook came');
  world.remotes.set(urlOf('guide'), [branch('main', C)]);
  await next();
  await addBuild({ project: 'guide', ref: 'main', commit: C, status: 'failing', result: undefined });
  await next();
  t.deepEqual(requests, [build('guide', 'main', C)]);
});

test('polls: a push whose build failed for what may be no fault of the repository is built again, once an hour', async (t) => {
  const { add, addBuild, next, polls, requests, signal, world } = await createSetup(t);
  await add('guide', [branch('main', B)], { versions: [version('main', A)] });
  const finished = new Date(START).toISOString();
  const failed = { status: 'failing', result: undefined, isUnsure: true, finishedAt: finished } as const;
  await addBuild({ project: 'guide', ref: 'main', commit: B, ...failed });
  await next();
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B), build('guide', 'main', B)]);
  const finishedAt = new Date(world.ms + MINUTE_MS).toISOString();
  await addBuild({ project: 'guide', ref: 'main', commit: B, ...failed, finishedAt });
  world.minutes = 30;
  await polls.planAll(signal);
  await next();
  t.deepEqual(requests, [], 'it has ended half an hour ago');
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B)]);
  await addBuild({ project: 'guide', ref: 'main', commit: B, ...failed, isUnsure: undefined });
  await next();
  t.deepEqual(requests, []);
});

test('polls: a push whose build was interrupted, or of which no build has become, is built again', async (t) => {
  const { add, addBuild, next, requests, world, urlOf } = await createSetup(t);
  await add('guide', [branch('main', A)], { versions: [version('main', A)] });
  await addBuild({ project: 'guide', ref: 'main', commit: A });
  await next();
  world.remotes.set(urlOf('guide'), [branch('main', B)]);
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B)]);
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B)], 'the last build was about another commit');
  await addBuild({ project: 'guide', ref: 'main', commit: B, status: 'interrupted', result: undefined });
  await next();
  t.deepEqual(requests.splice(0), [build('guide', 'main', B)]);
  await addBuild({ project: 'guide', ref: '', commit: '', status: 'interrupted', result: undefined });
  await next();
  t.deepEqual(requests.splice(0), [{ ...build('guide', '', '') }], 'one of all versions is');
  await addBuild({ project: 'guide', ref: '' });
  await next();
  t.deepEqual(requests, []);
});

test('polls: excluded branches, and pushes that webhooks told of, are nothing new', async (t) => {
  const { add, addBuild, next, requests, world, urlOf } = await createSetup(t);
  await add('guide', [branch('main', A)], { versions: [version('main', A)], meta: { excluded_branch: 'dev*' } });
  await next();
  await addBuild({ project: 'guide', ref: 'feature/x', commit: C });
  world.remotes.set(urlOf('guide'), [branch('main', A), branch('dev-1', B), branch('feature/x', C)]);
  await next();
  t.deepEqual(requests, []);
});

test('polls: many new refs, and another default branch, are one build of all versions', async (t) => {
  const { add, next, requests, world, urlOf } = await createSetup(t);
  await add('guide', [branch('main', A)], { versions: [version('main', A)] });
  await next();
  const tags = Array.from({ length: 2_000 }, (_, index) => branch(`v${index}`, B));
  world.remotes.set(urlOf('guide'), [branch('main', A), ...tags]);
  await next();
  await next();
  t.deepEqual(requests.splice(0), [build('guide', '', '')]);
  world.head = 'trunk';
  await next();
  await next();
  t.deepEqual(requests, [build('guide', '', '')]);
});

test('polls: a project that was never built is, and one that is being built is left alone', async (t) => {
  const { add, addBuild, next, requests, asked, waitMinutes, store } = await createSetup(t);
  await add('guide', [branch('main', A)]);
  await add('busy', [branch('main', B)], { versions: [version('main', A)] });
  await addBuild({ project: 'busy', ref: 'main', status: 'running', commit: B });
  await next();
  t.deepEqual(requests, [build('guide', '', '')]);
  t.is(asked.length, 1);
  t.is(await waitMinutes('busy'), 1);
  t.is((await store.polls.find('busy'))!.seen, undefined);
});

test('polls: a repository that does not answer is left alone for longer each time, and others of its host wait', async (t) => {
  const { add, next, requests, asked, world, urlOf, store, waitMinutes, polls, signal } = await createSetup(t);
  for (let index = 0; index < 20; index++) {
    await add(`p${index}`, [], { versions: [version('main', A)] });
    world.remotes.set(urlOf(`p${index}`), new BuildError('network', `Cannot reach "https://me:pw@code.example/"`));
  }
  await next();
  t.true(asked.length <= 4, `${asked.length} of 20 requests`);
  t.like(await store.polls.find('p0'), { failures: 1, failure: 'Cannot reach "https://code.example/"' });
  t.is(await waitMinutes('p0'), 120);
  for (const minutes of [240, 360, 360]) {
    world.ms = Date.parse((await store.polls.find('p0'))!.nextAt) + 1;
    for (let index = 1; index < 20; index++) {
      await store.polls.change(`p${index}`, (old) => ({ ...old!, nextAt: '2027-01-01T00:00:00.000Z' }));
    }
    await polls.runDue(signal);
    t.is(await waitMinutes('p0'), minutes);
  }
  world.remotes.set(urlOf('p0'), [branch('main', B)]);
  world.ms += 400 * MINUTE_MS;
  await polls.runDue(signal);
  t.deepEqual(requests, [build('p0', 'main', B)]);
  t.like(await store.polls.find('p0'), { failures: 0, failure: '' });
});

test('polls: requests are spread over time, and few go to one host at once', async (t) => {
  const setup = await createSetup(t, { random: Math.random });
  const { add, world, polls, signal, asked, running, store } = setup;
  for (let index = 0; index < 300; index++) await add(`p${index}`, [branch('main', A)]);
  const times = async () => {
    const all = await store.polls.listDue({ before: '2027', limit: 1_000 });
    return all.map(({ nextAt }) => (Date.parse(nextAt) - world.ms) / MINUTE_MS);
  };
  const first = await times();
  t.true(Math.min(...first) >= 30 && Math.max(...first) <= 60 && new Set(first).size > 250);
  world.ms += 90 * MINUTE_MS;
  // As after a start: 30 s for 300.
  await polls.planAll(signal);
  const spread = await times();
  t.true(Math.min(...spread) >= 0 && Math.max(...spread) <= 0.5 && new Set(spread).size > 250);
  world.ms += MINUTE_MS;
  await polls.runDue(signal);
  t.is(asked.length, 300);
  t.is(running.most, 2);
  const later = await times();
  t.true(Math.min(...later) >= 54 && Math.max(...later) <= 66 && new Set(later).size > 250);
});

test('polls: a project has its own interval or none, and begins anew with another repository', async (t) => {
  const { add, polls, store, waitMinutes, world, signal, asked } = await createSetup(t);
  const often = await add('often', [], { poll: '5m' });
  await add('never', [], { poll: 'off' });
  t.is(await store.polls.find('never'), undefined);
  t.is(await waitMinutes('often'), 3.75);
  world.ms += 5 * MINUTE_MS;
  await polls.runDue(signal);
  t.is(asked.length, 1);
  t.deepEqual((await store.polls.find('often'))!.seen?.length, 1);
  const moved = { ...often, url: 'https://code.example/other.git' };
  await polls.plan(moved, often);
  t.is((await store.polls.find('often'))!.seen, undefined);
  await polls.plan({ ...moved, poll: 'off' }, moved);
  t.is(await store.polls.find('often'), undefined);
});

test('polls: planAll() plans what an earlier release has left, and follows the interval of the server', async (t) => {
  const { polls, store, waitMinutes, world, signal } = await createSetup(t);
  await store.projects.add(createProject({ name: 'old', poll: undefined }));
  await polls.planAll(signal);
  t.is(await waitMinutes('old'), 45);
  world.minutes = 10;
  await polls.planAll(signal);
  t.is(await waitMinutes('old'), 7.5);
  world.minutes = 0;
  await polls.planAll(signal);
  t.is(await store.polls.find('old'), undefined);
});

test('polls: the interval of a project is minutes, hours, days or off', (t) => {
  const read = (poll: string) => readPollInterval(parseSettings({ poll }).poll ?? '');
  t.is(read(' 5M '), 5 * MINUTE_MS);
  t.is(read('30d'), 43_200 * MINUTE_MS);
  t.is(read('2h'), 120 * MINUTE_MS);
  t.is(read('off'), Number.POSITIVE_INFINITY);
  t.is(read(''), undefined);
  for (const wrong of ['0m', '31d', '5', '5s', '-5m', '1.5h', '99999d', 'never', '5m5m']) {
    t.throws(
      () => read(wrong),
      { name: 'DataError', message: /Field "poll" must be an interval from "1m" to "30d"/ },
      wrong,
    );
  }
});
