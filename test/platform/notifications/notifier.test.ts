import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { type Build, hasEnded } from '../../../data/records/build.ts';
import type { Notification } from '../../../data/records/notification.ts';
import type { Project } from '../../../data/records/project.ts';
import type { Store } from '../../../data/store.ts';
import { createSignedHeaders, createSigningSecret } from '../../../lib/standard-webhooks.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import type { BuildQueue, BuildRequest } from '../../../platform/builds/queue/build-queue.ts';
import { createBuildQueue } from '../../../platform/builds/queue/create-queue.ts';
import type { BuildOutcome } from '../../../platform/builds/run-build.ts';
import { createNotifier } from '../../../platform/notifications/notifier.ts';
import { recordChanges } from '../../../platform/notifications/record-changes.ts';
import { createNotificationSender } from '../../../platform/notifications/send-notification.ts';
import { createClock, type TestClock } from '../../helpers/create-clock.ts';
import { createBuild, createNotification, createOutcome, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { createSlowStore } from '../../helpers/create-slow-store.ts';
import { type Receiver, serveReceiver } from '../../helpers/serve-receiver.ts';
import { setTrap } from '../../helpers/set-trap.ts';

const SECRET = createSigningSecret();
const REASON = 'Cannot read tree of ref "main"';
const failing: BuildOutcome = { status: 'failing', reason: REASON };

/** The versions that a build publishes. */
const publish = (...refs: readonly string[]) =>
  refs.map((ref) => ({ ref, kind: 'branch' as const, oid: 'a'.repeat(40), builtAt: '2026-05-04T03:02:01.000Z' }));

/** A queue whose builds end as a test says, a notifier, and a receiver that is told. */
async function createPlace(
  t: ExecutionContext,
  options: {
    readonly project?: Partial<Project>;
    readonly store?: Store;
    /** That of the process before, which ends. */
    readonly queue?: BuildQueue;
    readonly receiver?: Receiver;
    readonly clock?: TestClock;
    readonly timeoutMs?: number;
  } = {},
) {
  await options.queue?.stop();
  const receiver = options.receiver ?? (await serveReceiver(t));
  const project = createProject({ versions: [], notify: receiver.url, notifySecret: SECRET, ...options.project });
  const store = options.store ?? createSlowStore([project]);
  const logs = createBuildLogs(createLogFiles(createFolder(t)));
  const clock = options.clock ?? createClock('2026-05-04T12:00:00Z');
  const warnings: string[] = [];
  const attempts: string[] = [];
  const now = () => new Date(clock.nowMs());
  let outcome: (build: Build) => BuildOutcome = () => failing;
  const sender = createNotificationSender({
    docsApiUrl: 'https://docs.example',
    now,
    timeoutMs: options.timeoutMs ?? 2_000,
    allowed: () => ['127.0.0.1'],
    siteUrl: ({ name }) => `https://docs.example/docs/${name}/`,
  });
  const notifier = createNotifier({
    store,
    logs,
    sender,
    now,
    wait: clock.wait,
    onWarning: (message) => warnings.push(message),
    onError: (error) => t.fail(String(error)),
    onAttempt: (one) => attempts.push(one),
  });
  const queue = createBuildQueue({
    store,
    logs,
    now,
    places: () => ({ concurrency: 1, quick: 0, quickMs: 5_000 }),
    run: async (build) => outcome(build),
    onChange(build) {
      if (hasEnded(build.status)) notifier.observe(build);
    },
    onWarning: (message) => t.fail(message),
    onError: (error) => t.fail(String(error)),
  });
  await queue.start();
  t.teardown(async () => {
    await queue.stop();
    await notifier.stop();
  });
  /** Runs a build that ends in a way. */
  const build = async (ref: string, end: BuildOutcome, values: Partial<BuildRequest> = {}): Promise<Build> => {
    outcome = () => end;
    clock.pass(1000, async () => {});
    const { id } = await queue.request({ project: project.name, ref, commit: '', cause: 'api', ...values });
    return (await queue.waitFor(id))!;
  };
  /** Waits until the notification of a version is as wanted. */
  const waitUntil = async (ref: string, isWanted: (one: Notification | undefined) => boolean) => {
    for (;;) {
      const found = await store.notifications.find(project.name, ref);
      if (isWanted(found)) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const told = () => receiver.received.map(({ content: { type, data } }) => `${type} ${data['ref']}`);
  return { receiver, project, store, clock, queue, notifier, sender, warnings, attempts, build, waitUntil, told };
}

const isDelivered = (one: Notification | undefined): boolean => one?.delivery === 'delivered';

test.serial('what a clock that was ahead has put off is sent when it is set right', async (t) => {
  const receiver = await serveReceiver(t);
  const project = createProject({ versions: [], notify: receiver.url, notifySecret: SECRET });
  const store = createSlowStore([project]);
  const nextAt = '2027-05-04T12:00:00.000Z';
  const values = { project: project.name, delivery: 'waiting', attempts: 1, nextAt } as const;
  for (const [ref, time] of [
    ['main', nextAt],
    ['next', '2026-05-04T13:00:00.000Z'],
  ] as const) {
    await store.notifications.change(project.name, ref, () => createNotification({ ...values, ref, nextAt: time }));
  }
  const { notifier, waitUntil } = await createPlace(t, { store, receiver, project });
  await notifier.start();
  await waitUntil('main', isDelivered);
  t.is((await store.notifications.find(project.name, 'next'))?.delivery, 'waiting');
});

test.serial('a failing version and its mending are told with a signed call each, however often it fails', async (t) => {
  const place = await createPlace(t);
  await place.notifier.start();
  const first = await place.build('main', failing);
  await place.waitUntil('main', isDelivered);
  await place.build('main', failing);
  const last = await place.build('main', createOutcome({ versions: publish('main') }));
  await place.waitUntil('main', (one) => one?.state === 'mended' && isDelivered(one));
  await place.build('main', createOutcome({ versions: publish('main') }));
  await place.notifier.stop();

  const [fails, mends] = place.receiver.received;
  t.deepEqual(place.told(), ['version.failing main', 'version.mended main']);
  const common = {
    project: 'guide',
    projectUrl: 'https://docs.example/docbuild/projects/guide',
    siteUrl: 'https://docs.example/docs/guide/',
    ref: 'main',
  };
  t.deepEqual(fails!.content, {
    type: 'version.failing',
    timestamp: '2026-05-04T12:00:01.000Z',
    data: {
      ...common,
      status: 'failing',
      build: first.id,
      errors: 1,
      messages: [REASON],
      buildUrl: `https://docs.example/docbuild/builds/${first.id}`,
    },
  });
  t.deepEqual(mends!.content.data, {
    ...common,
    status: 'passing',
    build: last.id,
    errors: 0,
    messages: [],
    buildUrl: `https://docs.example/docbuild/builds/${last.id}`,
  });
  for (const { headers, body } of place.receiver.received) {
    const time = new Date(Number(headers['webhook-timestamp']) * 1000);
    t.is(headers['content-type'], 'application/json');
    t.like(headers, createSignedHeaders(SECRET, { id: headers['webhook-id'] as string, time, body }));
  }
  t.not(fails!.headers['webhook-id'], mends!.headers['webhook-id']);
  t.deepEqual(place.attempts, ['delivered', 'delivered']);
});

test.serial(
  'versions with errors in a build that passes are told one by one, and each when it is mended',
  async (t) => {
    const place = await createPlace(t);
    await place.notifier.start();
    const found = (ref: string, errors: number) => ({ ref, build: '', errors, reason: `${ref} is wrong` });
    const problem = { severity: 'error' as const, file: 'docs/a.md', line: 3, code: 'x', message: 'Nothing there' };
    const versions = publish('main', 'v1', 'v2');
    const passing = createOutcome({ versions });
    t.is((await place.build('', passing)).status, 'passing');
    const { id } = await place.queue.request({ project: 'guide', ref: '', commit: '', cause: 'api' });
    await place.queue.waitFor(id);
    const all = await place.build('', { ...passing, failing: [found('v1', 12), found('v2', 1)] });
    await place.waitUntil('v2', isDelivered);
    t.deepEqual(place.told(), ['version.failing v1', 'version.failing v2']);
    t.like(place.receiver.received[0]!.content.data, { errors: 12, messages: ['v1 is wrong'] });
    t.is(all.status, 'passing');

    const ended = { ...passing, failing: [], problems: [{ ...problem, ref: 'v2' }] };
    await place.build('v1', { ...ended, failing: [{ ...found('v2', 1) }] });
    await place.waitUntil('v1', (one) => one?.state === 'mended' && isDelivered(one));
    await place.build('', passing);
    await place.waitUntil('v2', (one) => one?.state === 'mended' && isDelivered(one));
    t.deepEqual(place.told().slice(2), ['version.mended v1', 'version.mended v2']);
  },
);

test.serial('messages of a notification are the first ten errors of the version, each of limited length', async (t) => {
  const place = await createPlace(t);
  await place.notifier.start();
  const problems = Array.from({ length: 30 }, (_, i) => ({
    severity: i % 2 === 0 ? ('error' as const) : ('warning' as const),
    ref: i < 4 ? 'v1' : 'main',
    file: 'docs/a.md',
    line: i,
    code: 'x',
    message: 'm'.repeat(i === 4 ? 5_000 : 3),
  }));
  const outcome = createOutcome({ versions: publish('main', 'v1'), problems });
  // The build's id is known when it runs.
  const { id } = await place.build('main', outcome);
  await place.store.projects.change('guide', (project) => ({
    ...project,
    failing: [{ ref: 'main', build: id, errors: 13, reason: 'first' }],
  }));
  place.notifier.observe({ project: 'guide', ref: 'main' });
  const [received] = await place.receiver.waitFor(1);
  const messages = received!.content.data['messages'] as readonly string[];
  t.is(messages.length, 10);
  t.is(messages[0]!.length, 500);
  t.deepEqual(messages.slice(1, 3), ['docs/a.md:6: mmm', 'docs/a.md:8: mmm']);
});

test.serial('a failing build of all versions is one notification, and none of any version', async (t) => {
  const place = await createPlace(t);
  await place.notifier.start();
  await place.build('', createOutcome({ versions: publish('main', 'v1') }));
  await place.build('', { status: 'failing', reason: 'Cannot reach "code.example"\nIt did not answer' });
  await place.waitUntil('', isDelivered);
  await place.build('main', createOutcome({ versions: publish('main', 'v1') }));
  await place.build('', createOutcome({ versions: publish('main', 'v1') }));
  await place.waitUntil('', (one) => one?.state === 'mended' && isDelivered(one));
  t.deepEqual(place.told(), ['version.failing ', 'version.mended ']);
  t.deepEqual(place.receiver.received[0]!.content.data['messages'], [
    'Cannot reach "code.example"',
    'It did not answer',
  ]);
});

test.serial('of a failing version that is removed nothing more is told', async (t) => {
  const place = await createPlace(t);
  await place.build('', createOutcome({ versions: publish('main', 'old', 'older') }));
  await place.build('old', failing);
  await place.waitUntil('old', (one) => one?.delivery === 'waiting');
  const removal = await place.queue.removeVersion('guide', 'old');
  await place.build('older', failing);
  await place.queue.waitFor(removal!.id);
  // A build of all versions finds it gone.
  await place.build('', createOutcome({ versions: publish('main') }));
  await place.waitUntil('old', (one) => one === undefined);
  await place.waitUntil('older', (one) => one === undefined);
  await place.notifier.start();
  await place.build('main', failing);
  await place.receiver.waitFor(1);
  t.deepEqual(place.told(), ['version.failing main']);
});

test.serial(
  'a receiver that fails is called again after growing pauses, with the same id and a new signature',
  async (t) => {
    const place = await createPlace(t);
    const { receiver, clock } = place;
    await place.notifier.start();
    receiver.answer = (response) => void response.writeHead(500).end('no');
    await place.build('main', failing);
    const pauses: number[] = [];
    for (let i = 1; i <= 5; i++) {
      const waiting = await place.waitUntil('main', (one) => one?.attempts === i);
      t.is(waiting?.failure, `"${new URL(receiver.url).host}" answered 500`);
      t.is(waiting?.delivery, 'waiting');
      const pauseMs = Date.parse(waiting!.nextAt) - clock.nowMs();
      pauses.push(pauseMs / 1000);
      while (receiver.received.length === i)
        await clock.pass(pauseMs, async () => {}).then(() => new Promise(setImmediate));
    }
    t.deepEqual(pauses, [10, 60, 600, 3600, 21_600]);
    const given = await place.waitUntil('main', (one) => one?.delivery === 'failed');
    t.deepEqual([given?.attempts, given?.nextAt], [6, '']);
    t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 6);
    t.is(new Set(receiver.received.map(({ body }) => body)).size, 1);
    t.deepEqual(place.attempts, ['delayed', 'delayed', 'delayed', 'delayed', 'delayed', 'failed']);
    t.is(place.warnings.length, 2);
    t.regex(place.warnings[1]!, /project "guide", ref "main": .*answered 500; given up after 6 attempts/);
    t.notRegex(place.warnings.join(''), /hook|whsec/);

    // It works again: the next change is told.
    receiver.answer = (response) => void response.writeHead(200).end('{}');
    await place.build('main', createOutcome({ versions: publish('main') }));
    await place.waitUntil('main', (one) => one?.state === 'mended' && isDelivered(one));
  },
);

test.serial('of a version that is mended before its failure could be told, the last change is told', async (t) => {
  const place = await createPlace(t);
  place.receiver.answer = (response) => void response.writeHead(503).end();
  await place.notifier.start();
  await place.build('main', failing);
  await place.waitUntil('main', (one) => one?.attempts === 1);
  place.receiver.answer = (response) => void response.writeHead(204).end();
  await place.build('main', createOutcome({ versions: publish('main') }));
  await place.waitUntil('main', (one) => one?.state === 'mended' && isDelivered(one));
  await place.clock.pass(1e8, async () => {});
  t.deepEqual(place.told(), ['version.failing main', 'version.mended main']);
});

test.serial(
  'what a killed server left is told by the next one: changes that waited, and builds that nobody had looked at',
  async (t) => {
    const first = await createPlace(t);
    await first.build('', createOutcome({ versions: publish('main', 'v1', 'v2') }));
    await first.build('main', failing);
    await first.waitUntil('main', (one) => one?.delivery === 'waiting');
    await first.notifier.stop();
    // The process ends between the end of these builds and their notifications.
    await first.build('v1', failing);
    await first.build('v2', failing);
    const still = ['main', 'v1'].map((ref) => ({ ref, build: 'b', errors: 1, reason: 'Still broken' }));
    await first.build('v2', createOutcome({ versions: publish('main', 'v1', 'v2'), failing: still }));
    t.is(await first.store.notifications.find('guide', 'v1'), undefined);
    const next = await createPlace(t, first);
    await next.notifier.start();
    await next.waitUntil('main', isDelivered);
    await next.waitUntil('v1', isDelivered);
    // A third one finds nothing new.
    await next.notifier.stop();
    const third = await createPlace(t, next);
    await third.notifier.start();
    await third.build('v2', failing);
    await third.receiver.waitFor(3);
    t.deepEqual(third.told(), ['version.failing main', 'version.failing v1', 'version.failing v2']);
  },
);

test.serial('what is being sent when the server stops is sent by the next one, and counts as not tried', async (t) => {
  const first = await createPlace(t);
  let isHanging = true;
  first.receiver.answer = (response) => void (isHanging || response.writeHead(204).end());
  await first.notifier.start();
  await first.build('main', failing);
  await first.receiver.waitFor(1);
  await first.notifier.stop();
  t.like(await first.store.notifications.find('guide', 'main'), { delivery: 'waiting', attempts: 0, failure: '' });
  isHanging = false;
  const next = await createPlace(t, first);
  await next.notifier.start();
  await next.waitUntil('main', isDelivered);
  const [one, other] = first.receiver.received;
  t.is(one!.headers['webhook-id'], other!.headers['webhook-id']);
});

test.serial('a receiver that does not answer holds up neither builds nor the receivers of others', async (t) => {
  const place = await createPlace(t);
  const fast = await serveReceiver(t);
  await place.store.projects.add(
    createProject({
      name: 'fast',
      url: 'https://code.example/o/f',
      versions: [],
      notify: fast.url,
      notifySecret: SECRET,
    }),
  );
  place.receiver.answer = () => {};
  await place.notifier.start();
  await place.build('main', failing);
  await place.receiver.waitFor(1);
  t.is((await place.build('v1', failing)).status, 'failing');
  await place.build('main', failing, { project: 'fast' });
  await fast.waitFor(1);
  const late = await place.waitUntil('main', (one) => one?.attempts === 1);
  t.regex(late!.failure, /did not answer within 2 s/);
});

test.serial(
  'a project without a URL has its changes recorded, so that one that is set later hears of the mending',
  async (t) => {
    const place = await createPlace(t, { project: { notify: '' } });
    await place.notifier.start();
    await place.build('main', failing);
    await place.waitUntil('main', (one) => one?.delivery === 'none');
    await t.throwsAsync(place.notifier.sendTest({ ...place.project, notify: '' }), {
      name: 'DataError',
      message: /"notify"/,
    });
    await place.store.projects.change('guide', (one) => ({ ...one, notify: place.receiver.url }));
    await place.build('main', failing);
    await place.build('main', createOutcome({ versions: publish('main') }));
    await place.waitUntil('main', isDelivered);
    t.deepEqual(place.told(), ['version.mended main']);
  },
);

test.serial('of more than 100 notifications of a project that wait, the rest is dropped with a warning', async (t) => {
  const place = await createPlace(t);
  const refs = Array.from({ length: 103 }, (_, i) => `v${i}`);
  const wrong = refs.map((ref) => ({ ref, build: 'b', errors: 1, reason: 'x' }));
  await place.build('', createOutcome({ versions: publish(...refs), failing: wrong }));
  await place.waitUntil('v102', (one) => one?.delivery === 'dropped');
  t.is((await place.store.notifications.listWaiting()).length, 100);
  await place.waitUntil('v102', () => place.warnings.length > 0);
  t.deepEqual(place.warnings, [
    '3 notifications of project "guide" were dropped: of a project 100 may wait, and fewer when many wait in all',
  ]);
});

test.serial('projects with many notifications that wait leave room for those of others', async (t) => {
  const project = (i: number) => createProject({ name: `p${i}`, url: `https://code.example/o/p${i}`, versions: [] });
  const own = createProject({ versions: [], notify: 'http://127.0.0.1:1/', notifySecret: SECRET });
  const store = createSlowStore([own, ...Array.from({ length: 10 }, (_, i) => project(i))]);
  for (let i = 0; i < 990; i++) {
    const [name, ref] = [`p${i % 10}`, `v${i}`];
    await store.notifications.change(name, ref, () => createNotification({ project: name, ref }));
  }
  const refs = Array.from({ length: 8 }, (_, i) => `v${i}`);
  await store.projects.change('guide', (one) => ({
    ...one,
    failing: refs.map((ref) => ({ ref, build: 'b', errors: 1, reason: 'x' })),
  }));
  const context = { store, logs: { readProblems: async () => [] }, now: () => new Date(), onWarning: () => {} };
  await recordChanges('guide', 'v0', context);
  const found = await store.notifications.list({ project: 'guide', limit: 9 });
  t.is(found.filter(({ delivery }) => delivery === 'waiting').length, 5);
  t.is(found.filter(({ delivery }) => delivery === 'dropped').length, 3);
  // The others get nothing more meanwhile.
  await store.projects.change('p1', (one) => ({
    ...one,
    notify: 'http://127.0.0.1:1/',
    notifySecret: SECRET,
    failing: [{ ref: 'main', build: 'b', errors: 1, reason: 'x' }],
  }));
  await recordChanges('p1', 'main', context);
  t.is((await store.notifications.find('p1', 'main'))?.delivery, 'dropped');
});

test.serial('versions that fail in one build are recorded in one go, and what it found is read once', async (t) => {
  const refs = Array.from({ length: 50 }, (_, i) => `v${i}`);
  const wrong = refs.map((ref) => ({ ref, build: 'b', errors: 1, reason: `${ref} is wrong` }));
  const store = createSlowStore([createProject({ versions: [], failing: wrong })]);
  const calls: string[] = [];
  const counted = new Proxy(store.notifications, {
    get(target, key: keyof Store['notifications']) {
      if (key.startsWith('change')) calls.push(key);
      return target[key];
    },
  });
  await recordChanges('guide', 'v0', {
    store: { ...store, notifications: counted },
    now: () => new Date(),
    onWarning: t.fail,
    logs: {
      async readProblems(_, build) {
        calls.push(build);
        return [];
      },
    },
  });
  const found = await store.notifications.listFailing('guide');
  t.deepEqual(found.map(({ messages }) => messages.join()).sort(), wrong.map(({ reason }) => reason).sort());
  t.is(new Set(found.map(({ id }) => id)).size, 50);
  t.is(calls.length, 2);
});

test.serial(
  'receivers that hang leave room for others: projects take turns, and those that failed have half of the places',
  async (t) => {
    const place = await createPlace(t, { timeoutMs: 60_000 });
    const hanging = await serveReceiver(t);
    let held: ServerResponse[] = [];
    hanging.answer = (response) => void held.push(response);
    const release = () => {
      for (const response of held) response.writeHead(500).end();
      held = [];
    };
    for (const name of ['h0', 'h1', 'h2', 'h3', 'h4']) {
      const url = `https://code.example/o/${name}`;
      await place.store.projects.add(
        createProject({ name, url, versions: [], notify: hanging.url, notifySecret: SECRET }),
      );
      for (const ref of ['v1', 'v2', 'v3', 'v4']) {
        const nextAt = '2026-05-04T11:00:00.000Z';
        const waiting = createNotification({ project: name, ref, id: `${name} ${ref}`, nextAt });
        await place.store.notifications.change(name, ref, () => waiting);
      }
    }
    await place.build('main', failing);
    await place.waitUntil('main', (one) => one?.delivery === 'waiting');
    await place.notifier.start();
    await hanging.waitFor(4);
    release();
    // The fifth one and this one come before the second ones of the first four.
    await place.receiver.waitFor(1);
    await hanging.waitFor(7);
    const projects = hanging.received.map(({ content }) => content.data['project']);
    t.deepEqual(projects.slice(0, 4), ['h0', 'h1', 'h2', 'h3']);
    t.true(projects.slice(4).includes('h4'));
    release();
    await hanging.waitFor(9);
    await place.waitUntil('main', isDelivered);
    await place.build('main', createOutcome({ versions: publish('main') }));
    await place.receiver.waitFor(2);
    t.is(hanging.received.length, 9);
  },
);

test.serial(
  'anybody’s requests for refs that may not exist are not told where the project has no secret',
  async (t) => {
    const place = await createPlace(t, { project: { secret: '', versions: publish('main') } });
    await place.notifier.start();
    for (const cause of ['api', 'webhook'] as const) await place.build(`made-up-${cause}`, failing, { cause });
    await place.build('main', failing);
    // A build that a restart has interrupted runs again.
    const interrupted = createBuild({ ref: 'made-up-again', status: 'interrupted', cause: 'webhook' });
    const again = createBuild({ ref: 'made-up-again', status: 'failing', cause: 'restart', retryOf: interrupted.id });
    const ordered = createBuild({ ref: 'ordered', status: 'interrupted', cause: 'console' });
    const orderedAgain = createBuild({ ref: 'ordered', status: 'failing', cause: 'restart', retryOf: ordered.id });
    for (const build of [interrupted, again, ordered, orderedAgain]) await place.store.builds.add(build);
    place.notifier.observe(again);
    place.notifier.observe(orderedAgain);
    await place.waitUntil('ordered', isDelivered);
    await place.build('new', failing, { cause: 'command' });
    await place.waitUntil('new', isDelivered);
    t.deepEqual(place.told(), ['version.failing main', 'version.failing ordered', 'version.failing new']);
  },
);

test.serial('notifications reach neither private addresses nor where redirects lead, and say so', async (t) => {
  const place = await createPlace(t);
  const trap = await setTrap(t);
  await place.notifier.start();
  place.receiver.answer = (response) => void response.writeHead(307, { location: trap.url }).end();
  t.regex(await place.notifier.sendTest(place.project), /answered 307$/);
  for (const host of ['[::1]', '10.0.0.1', '169.254.169.254', '[::ffff:169.254.169.254]']) {
    const failure = await place.notifier.sendTest({ ...place.project, notify: `http://${host}:${trap.port}/` });
    t.regex(failure, /is not on the public internet; allow it with "notifications.allowed"/, host);
  }
  t.deepEqual(trap.caught, []);
  place.receiver.answer = (response) => void response.writeHead(200).end('x'.repeat(1_000_000));
  t.is(await place.notifier.sendTest(place.project), '');
  t.is(place.receiver.received.at(-1)?.content.type, 'test');
});

test.serial('a store that cannot be written leads to one call of the receiver, not to a flood', async (t) => {
  const place = await createPlace(t);
  await place.notifier.start();
  let isBroken = false;
  const { change } = place.store.notifications;
  const errors: unknown[] = [];
  const store = {
    ...place.store,
    notifications: {
      ...place.store.notifications,
      change: ((...args) => (isBroken ? Promise.reject(new Error('no space left')) : change(...args))) as typeof change,
    },
  };
  await place.notifier.stop();
  const own = createNotifier({
    store,
    now: () => new Date(place.clock.nowMs()),
    wait: place.clock.wait,
    onWarning: () => {},
    logs: { readProblems: async () => [] },
    sender: createNotificationSender({
      docsApiUrl: 'https://docs.example',
      now: () => new Date(),
      siteUrl: () => '',
      allowed: () => ['127.0.0.0/8'],
    }),
    onError: (error) => errors.push(error),
  });
  t.teardown(() => own.stop());
  await place.build('main', failing);
  own.observe({ project: 'guide', ref: 'main' });
  await place.waitUntil('main', (one) => one?.delivery === 'waiting');
  isBroken = true;
  await own.start();
  await place.receiver.waitFor(1);
  while (errors.length === 0) await new Promise(setImmediate);
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  t.is(place.receiver.received.length, 1);
  isBroken = false;
  await place.clock.pass(20_000, async () => {});
  await place.waitUntil('main', isDelivered);
  t.is(place.receiver.received.length, 2);
});
