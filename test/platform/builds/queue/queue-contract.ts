import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from 'ava';
import type { Build } from '../../../../data/records/build.ts';
import type { Store } from '../../../../data/store.ts';
import type { BuildQueue, BuildRequest } from '../../../../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../../../../platform/builds/queue/build-runner.ts';
import type { BuildOutcome } from '../../../../platform/builds/run-build.ts';
import { createBuild, createDelivery, createOutcome, createProject } from '../../../helpers/create-records.ts';
import type { ConditionalTest } from '../../../helpers/test-if.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';

export interface QueueOptions {
  readonly run: BuildWork;
  /** Builds at once. */
  readonly concurrency: number;
  /** Further ones that are short; default: none. */
  readonly quick?: number;
  /** How long they are short, ms; default: 5,000. */
  readonly quickMs?: number;
  readonly onError: (error: unknown) => void;
  /** Receives every change of a build. */
  readonly onChange?: (build: Build) => void;
}

/** A queue, as the contract's tests see it. */
export interface QueueAdapter {
  /** For titles of tests: `local`. */
  readonly name: string;
  readonly declare: ConditionalTest;
  /**
   * Opens an empty store and creates a queue on it that is not started; both end with the test. `peers` are the queues of other nodes
   * on the same store, which `queue` starts.
   */
  readonly open: (
    t: ExecutionContext,
    options: QueueOptions,
  ) => Promise<{ readonly store: Store; readonly queue: BuildQueue; readonly peers?: readonly BuildQueue[] }>;
}

const passing = createOutcome();

/** A queue with project `guide`, whose builds wait until they are let go, and end when they are told to stop. */
export interface QueuePlace {
  readonly store: Store;
  readonly queue: BuildQueue;
  /** It, and those of other nodes. */
  readonly queues: readonly BuildQueue[];
  /** The builds that have begun: `build main`. */
  readonly order: readonly string[];
  readonly errors: readonly unknown[];
  letGo(): void;
  /** Requests a build of `guide`. */
  ask(ref: string, values?: Partial<BuildRequest>): Promise<Build>;
}

/** Opens a queue for a test. */
export async function openPlace(
  t: ExecutionContext,
  adapter: Pick<QueueAdapter, 'open'>,
  options: {
    concurrency?: number;
    quick?: number;
    quickMs?: number;
    outcome?: (build: Build) => BuildOutcome;
    onChange?: (build: Build) => void;
    nameBuild?: (build: Build, context: Pick<Parameters<BuildWork>[1], 'isAsked'>) => string;
  } = {},
): Promise<QueuePlace> {
  const {
    concurrency = 2,
    quick = 0,
    quickMs = 5_000,
    outcome,
    nameBuild = ({ kind, ref }) => `${kind} ${ref}`,
  } = options;
  const order: string[] = [];
  const errors: unknown[] = [];
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const run: BuildWork = async (build, { signal, isAsked }) => {
    order.push(nameBuild(build, { isAsked }));
    const isAborted = new Promise<'aborted'>((resolve) => {
      if (signal.aborted) resolve('aborted');
      signal.addEventListener('abort', () => resolve('aborted'));
    });
    return (await Promise.race([gate, isAborted])) === 'aborted'
      ? { status: 'cancelled', reason: 'Cancelled' }
      : (outcome?.(build) ?? passing);
  };
  const {
    store,
    queue,
    peers = [],
  } = await adapter.open(t, {
    run,
    concurrency,
    quick,
    quickMs,
    onError: (error) => errors.push(error),
    ...(options.onChange && { onChange: options.onChange }),
  });
  await store.projects.add(createProject({ versions: [] }));
  const ask = (ref: string, values: Partial<BuildRequest> = {}) =>
    queue.request({ project: 'guide', ref, commit: '', cause: 'api', ...values });
  return { store, queue, queues: [queue, ...peers], order, errors, letGo: () => letGo(), ask };
}

/** Declares the tests that every queue has to pass: what `platform/builds/queue/build-queue.ts` says. */
export function testQueue(adapter: QueueAdapter): void {
  const { declare } = adapter;
  const title = (text: string): string => `${adapter.name} queue: ${text}`;

  declare(title('a build that was requested before the queue was started runs once'), async (t) => {
    const { queue, order, letGo, ask } = await openPlace(t, adapter);
    const { id } = await ask('main');
    letGo();
    await queue.start();
    t.is((await queue.waitFor(id))?.status, 'passing');
    await ask('next').then((next) => queue.waitFor(next.id));
    t.deepEqual(order, ['build main', 'build next']);
  });

  declare(
    title("a fault of the server is told as such, with what to do, and the error is the operator's"),
    async (t) => {
      const fault = new Error('A secret path');
      const { queue, errors, letGo, ask } = await openPlace(t, adapter, {
        outcome: () => {
          throw fault;
        },
      });
      letGo();
      await queue.start();
      const { id } = await ask('main');
      t.like(await queue.waitFor(id), {
        status: 'failing',
        reason:
          'The server failed while it prepared this build, for no fault of the repository; build again, and look into the server log if it fails again',
      });
      t.deepEqual(errors, [fault]);
    },
  );

  declare(title('a ref that goes while all are built is taken out afterwards'), async (t) => {
    const { queue, order, letGo, ask } = await openPlace(t, adapter);
    await queue.start();
    await ask('');
    await waitUntil(() => order.length === 1);
    const removal = await queue.removeVersion('guide', 'gone');
    t.is(removal?.kind, 'remove');
    letGo();
    await queue.waitFor(removal!.id);
    t.deepEqual(order, ['build ', 'remove gone']);
  });

  declare(title('pushes while a build runs lead to exactly one more'), async (t) => {
    const { store, queue, order, letGo, ask } = await openPlace(t, adapter);
    await queue.start();
    const first = await ask('main', { commit: 'a'.repeat(40), cause: 'webhook' });
    await waitUntil(() => order.length === 1);
    const [second, third] = await Promise.all([
      ask('main', { commit: 'b'.repeat(40), cause: 'webhook' }),
      ask('main', { commit: 'c'.repeat(40), cause: 'webhook' }),
    ]);
    t.not(first.id, second.id);
    t.is(second.id, third.id);
    const joined = await store.builds.find(second.id);
    t.deepEqual([joined?.requests, joined?.commit], [2, 'c'.repeat(40)]);
    letGo();
    await queue.waitFor(second.id);
    t.deepEqual(order, ['build main', 'build main']);
  });

  declare(title('a webhook gets the build of its commit, passing or failing; a person gets a new one'), async (t) => {
    const failing: BuildOutcome = { status: 'failing', reason: 'No pages' };
    const publish = ({ ref, commit }: Build): BuildOutcome => {
      const version = { ref, kind: 'branch' as const, oid: commit, builtAt: '2026-01-01T00:00:00.000Z' };
      return { ...passing, versions: ref === '' ? [] : [version] };
    };
    const outcome = (build: Build): BuildOutcome => (build.ref === 'broken' ? failing : publish(build));
    const { queue, letGo, ask } = await openPlace(t, adapter, { outcome });
    await queue.start();
    letGo();
    const push = async (ref: string, sign: string): Promise<Build> => {
      const { id } = await ask(ref, { commit: sign.repeat(40), cause: 'webhook' });
      return (await queue.waitFor(id))!;
    };
    const broken = await push('broken', 'a');
    t.is(broken.status, 'failing');
    t.is((await push('broken', 'a')).id, broken.id);
    t.not((await push('broken', 'b')).id, broken.id);
    t.not((await push('broken', 'a')).id, broken.id);

    const main = await push('main', 'a');
    t.is((await push('main', 'a')).id, main.id);
    const person = await ask('main', { commit: 'a'.repeat(40), cause: 'api' });
    t.not(person.id, main.id);
    await queue.waitFor(person.id);
    t.is((await push('main', 'a')).id, person.id);
    // A build of all refs found it gone; now it is back.
    await queue.waitFor((await ask('')).id);
    t.not((await push('main', 'a')).id, person.id);
  });

  declare(title('however many hooks name a commit at once, at whatever nodes, it is built once'), async (t) => {
    const publish = ({ ref, commit }: Build): BuildOutcome => ({
      ...passing,
      versions: [{ ref, kind: 'branch', oid: commit, builtAt: '2026-01-01T00:00:00.000Z' }],
    });
    const { queue, queues, order, letGo } = await openPlace(t, adapter, {
      outcome: publish,
      nameBuild: ({ commit }) => commit,
    });
    letGo();
    await queue.start();
    const commits = Array.from({ length: 12 }, (_, at) => String(at).padStart(40, '0'));
    for (const commit of commits) {
      // They come while the first one waits, runs and has ended.
      const asked = await Promise.all(
        Array.from({ length: 30 }, async (_, at) => {
          await sleep(at);
          return await queues[at % queues.length]!.request({ project: 'guide', ref: 'main', commit, cause: 'webhook' });
        }),
      );
      t.is(new Set(asked.map(({ id }) => id)).size, 1, `${commit}`);
      t.is((await queue.waitFor(asked[0]!.id))?.status, 'passing');
    }
    t.deepEqual(order, commits);
  });

  declare(
    title('a delivery that comes again leads to its first build, at whatever node, and whatever was built since'),
    async (t) => {
      const { store, queue, queues, letGo } = await openPlace(t, adapter);
      letGo();
      await queue.start();
      const send = (id: string, ref: string, commit: string, at = 0) => {
        const { build: _, ...delivery } = createDelivery({ id, action: { kind: 'build', ref, commit } });
        const asked = { project: 'guide', ref, commit, cause: 'webhook', delivery } as const;
        return queues[at % queues.length]!.request(asked);
      };
      for (let round = 0; round < 5; round++) {
        const [one, other] = ['a', 'b'].map((letter) => `${letter}${round}`.padEnd(40, '0')) as [string, string];
        const first = await Promise.all([0, 1, 2, 3].map((at) => send(`one-${round}`, 'main', one, at)));
        t.is(new Set(first.map(({ id }) => id)).size, 1);
        await queue.waitFor(first[0]!.id);
        const { id } = await send(`other-${round}`, 'main', other);
        await queue.waitFor(id);
        const late = await Promise.all([0, 1].map((at) => send(`one-${round}`, 'main', one, at)));
        t.deepEqual([...new Set(late.map((build) => build.id))], [first[0]!.id]);
        t.not((await send(`one-${round}`, 'next', one)).id, id, 'the same id asks for something else');
        t.is((await store.deliveries.find('guide', `one-${round}`))?.build, first[0]!.id);
      }
    },
  );

  declare(title('a webhook gets the build of a commit that passed with nothing to publish'), async (t) => {
    const { queue, letGo, ask } = await openPlace(t, adapter);
    await queue.start();
    letGo();
    const push = { commit: 'a'.repeat(40), cause: 'webhook' as const };
    const { id } = await ask('empty', push);
    await queue.waitFor(id);
    t.is((await ask('empty', push)).id, id);
  });

  declare(title('cancelling races with the beginning and the end of a build'), async (t) => {
    const { queue, letGo, ask } = await openPlace(t, adapter, { concurrency: 1 });
    await queue.start();
    letGo();
    for (let round = 0; round < 30; round++) {
      const { id } = await ask('main');
      for (let turn = 0; turn < round % 10; turn++) await Promise.resolve();
      const [build, other] = await Promise.all([queue.cancel(id), queue.waitFor(id), queue.cancel(id)]);
      t.true(build?.status === 'cancelled' || build?.status === 'passing', build?.status);
      t.is(other?.status, build?.status);
    }
    await waitUntil(async () => isDeepStrictEqual(await queue.counts(), { waiting: 0, running: 0, oldestMs: 0 }));
  });

  declare(title('500 refs wait, one more is refused, and a build of all takes their place'), async (t) => {
    const { store, ask } = await openPlace(t, adapter);
    for (let at = 0; at < 500; at++) await ask(`ref-${at}`);
    await t.throwsAsync(ask('one-more'), { message: /500 builds waiting/ });
    t.is((await ask('ref-7')).requests, 2);
    const { id } = await ask('');
    t.deepEqual(
      (await store.builds.listOpen()).map((build) => build.id),
      [id],
    );
  });

  declare(
    title('removeProject() lets nobody ask for a build between the last one and the removal of the project'),
    async (t) => {
      const { store, queue, order, ask } = await openPlace(t, adapter);
      await queue.start();
      await ask('main');
      await waitUntil(() => order.length === 1);
      const removing = queue.removeProject('guide', () => store.projects.remove('guide'));
      await t.throwsAsync(ask('late'), { code: 'not-found' } as object);
      await removing;
      t.deepEqual(order, ['build main']);
      await waitUntil(async () => isDeepStrictEqual(await queue.counts(), { waiting: 0, running: 0, oldestMs: 0 }));
    },
  );

  declare(title('a project has one build at a time, others run beside it'), async (t) => {
    const { store, queue, order, letGo, ask } = await openPlace(t, adapter, { concurrency: 3, nameBuild });
    await store.projects.add(createProject({ name: 'other', versions: [] }));
    await queue.start();
    const builds = [await ask('main'), await ask('next'), await ask('main', { project: 'other' })];
    await waitUntil(() => order.length === 2);
    t.deepEqual([...order].sort(), ['guide main', 'other main']);
    t.deepEqual(
      (await store.builds.listOpen()).map(({ status }) => status),
      ['running', 'queued', 'running'],
    );
    letGo();
    for (const { id } of builds) t.is((await queue.waitFor(id))?.status, 'passing');
    t.is(order[2], 'guide next');
  });

  declare(title('owners of repositories take turns, and the projects of each'), async (t) => {
    const { store, queue, order, letGo, ask } = await openPlace(t, adapter, { concurrency: 1, nameBuild });
    const url = (owner: string, name: string): string => `https://code.example/${owner}/${name}.git`;
    for (const name of ['a1', 'a2', 'a3']) await store.projects.add(createProject({ name, url: url('a', name) }));
    for (const name of ['b1', 'b2']) await store.projects.add(createProject({ name, url: url('b', name) }));
    const builds: Build[] = [];
    for (const project of ['a1', 'a1', 'a2', 'a3', 'b1', 'b2']) {
      builds.push(await ask(project === 'a1' && builds.length === 1 ? 'next' : 'main', { project }));
    }
    letGo();
    await queue.start();
    for (const { id } of builds) await queue.waitFor(id);
    t.deepEqual(order, ['a1 main', 'b1 main', 'a2 main', 'b2 main', 'a3 main', 'a1 next']);
  });

  declare(title('a build that runs can be cancelled, and ends once; the next one begins'), async (t) => {
    const { store, queue, order, letGo, ask } = await openPlace(t, adapter);
    await queue.start();
    const [first, second] = [await ask('main'), await ask('next')];
    await waitUntil(() => order.length === 1);
    const [build, other] = await Promise.all([queue.cancel(first.id), queue.cancel(first.id)]);
    t.deepEqual([build?.status, build?.reason], ['cancelled', 'Cancelled']);
    t.deepEqual(other, build);
    letGo();
    t.is((await queue.waitFor(second.id))?.status, 'passing');
    t.deepEqual(await store.builds.find(first.id), build);
    t.deepEqual(await queue.cancel(first.id), build);
    t.is(await queue.cancel('none'), undefined);
  });

  const nameAsked = ({ ref }: Build, { isAsked }: { readonly isAsked: boolean }): string =>
    `${isAsked ? 'asked' : 'pushed'} ${ref}`;

  declare(title('a build that a person asks for is asked for, also where it joins that of a push'), async (t) => {
    const { queue, order, letGo, ask } = await openPlace(t, adapter, { concurrency: 1, nameBuild: nameAsked });
    const pushed = await ask('topic/x', { cause: 'webhook', commit: 'a'.repeat(40) });
    const asked = await ask('topic/x');
    t.is(asked.id, pushed.id);
    t.is((await ask('topic/x', { cause: 'webhook', commit: 'b'.repeat(40) })).id, pushed.id);
    const other = await ask('next', { cause: 'webhook' });
    letGo();
    await queue.start();
    for (const { id } of [pushed, other]) t.is((await queue.waitFor(id))?.status, 'passing');
    t.deepEqual(order, ['asked topic/x', 'pushed next']);
  });

  declare(
    title('a branch that is no version is built beside all versions, where an operator asks for it'),
    async (t) => {
      const { queue, order, letGo, ask } = await openPlace(t, adapter, { concurrency: 1 });
      const operator = { cause: 'console' } as const;
      const builds = [
        await ask('topic/x', operator),
        await ask('topic/y', { cause: 'webhook' }),
        await ask('topic/z'),
        await ask('v1', operator),
        await ask(''),
      ];
      letGo();
      await queue.start();
      const ends = await Promise.all(builds.map(async ({ id }) => (await queue.waitFor(id))?.status));
      t.deepEqual(ends, ['passing', 'superseded', 'superseded', 'superseded', 'passing']);
      t.deepEqual(order, ['build topic/x', 'build ']);
    },
  );

  declare(title('a build that runs again is asked for if the interrupted one was'), async (t) => {
    const { store, queue, order, letGo } = await openPlace(t, adapter, { concurrency: 1, nameBuild: nameAsked });
    const left = { status: 'running', startedAt: '2026-05-04T03:02:01.000Z' } as const;
    await store.builds.add(createBuild({ ...left, ref: 'topic/x', cause: 'console' }));
    letGo();
    await queue.start();
    await waitUntil(async () => (await store.builds.listOpen()).length === 0);
    t.deepEqual(order, ['asked topic/x']);
  });

  declare(
    title(
      'a build that was running when its process was killed runs again, and after a wait if that happens again and again',
    ),
    async (t) => {
      const { store, queue, order, letGo, ask } = await openPlace(t, adapter);
      const left = { status: 'running', startedAt: '2026-05-04T03:02:01.000Z' } as const;
      const [first, second] = [
        createBuild(left),
        createBuild({ ...left, ref: 'next', commit: 'b', retryOf: 'earlier', interruptions: 40 }),
      ];
      for (const build of [first, second]) await store.builds.add(build);
      letGo();
      await queue.start();
      await waitUntil(async () => (await store.builds.listOpen()).length === 1);
      t.deepEqual(order, ['build main']);
      const ends = await Promise.all([first, second].map(async ({ id }) => (await store.builds.find(id))?.status));
      t.deepEqual(ends, ['interrupted', 'interrupted']);
      const [again] = await store.builds.list({ project: 'guide', ref: 'main', limit: 1 });
      t.like(again, { status: 'passing', retryOf: first.id, interruptions: 1, cause: 'restart' });
      const [waiting] = await store.builds.listOpen();
      t.like(waiting, { status: 'queued', ref: 'next', retryOf: 'earlier', interruptions: 41 });
      t.regex(waiting!.reason, /ended, 41 times/);
      t.true(Date.parse(waiting!.notBefore!) > Date.now() + 10 * 60_000);
      const joined = await ask('next', { commit: 'b', cause: 'webhook' });
      t.like(joined, { id: waiting!.id, notBefore: waiting!.notBefore }, 'a hook that comes twice changes nothing');
      t.like(await ask('next', { commit: 'c', cause: 'webhook' }), {
        id: waiting!.id,
        notBefore: undefined,
        interruptions: undefined,
      });
      t.is((await queue.waitFor(waiting!.id))?.status, 'passing');
    },
  );

  declare(title('a build begins no sooner than it may, and others of its project do'), async (t) => {
    const { store, queue, order, letGo } = await openPlace(t, adapter);
    const notBefore = new Date(Date.now() + 3_600_000).toISOString();
    const late = createBuild({ ref: 'late', notBefore });
    const soon = createBuild({ ref: 'soon' });
    for (const build of [late, soon]) await store.builds.add(build);
    letGo();
    await queue.start();
    t.is((await queue.waitFor(soon.id))?.status, 'passing');
    t.is((await store.builds.find(late.id))?.status, 'queued');
    t.deepEqual(order, ['build soon']);
  });

  declare(title('a build that waits for its time begins when that has come'), async (t) => {
    const begun: number[] = [];
    const { store, queue, letGo } = await openPlace(t, adapter, {
      outcome() {
        begun.push(Date.now());
        return passing;
      },
    });
    const notBefore = new Date(Date.now() + 1_000).toISOString();
    const { id, ...values } = createBuild({ notBefore });
    await store.builds.add({ id, ...values });
    letGo();
    // Timers of the queue keep no process alive.
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    await queue.start();
    t.is((await queue.waitFor(id))?.status, 'passing');
    t.true(begun.length === 1 && begun[0]! >= Date.parse(notBefore));
  });

  declare(title('what is interrupted again and again is the build that was interrupted first'), async (t) => {
    const { store, queue, letGo } = await openPlace(t, adapter);
    const left = { status: 'running', startedAt: '2026-05-04T03:02:01.000Z' } as const;
    await store.builds.add(createBuild({ ...left, retryOf: 'earlier', interruptions: 1 }));
    letGo();
    await queue.start();
    await waitUntil(async () => (await store.builds.listOpen()).length === 0);
    const [again] = await store.builds.list({ project: 'guide', ref: 'main', limit: 1 });
    t.like(again, { status: 'passing', retryOf: 'earlier', interruptions: 2 });
  });

  declare(title('a build that fails for no fault of its repository runs again, after a rest'), async (t) => {
    const reason = 'No space left on the disk of the server';
    const outcomes: BuildOutcome[] = [
      { status: 'deferred', reason },
      { status: 'deferred', reason },
      { status: 'failing', reason: 'docs/a.md:1: Wrong' },
    ];
    const times: number[] = [];
    const changes: string[] = [];
    // Timers of the queue keep no process alive.
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    /** The build as it was stored when it was announced that it was put back: it stays so for as long as its rest lasts. */
    const stored: Promise<string | undefined>[] = [];
    const { store, queue, order, letGo, ask } = await openPlace(t, adapter, {
      concurrency: 1,
      outcome() {
        times.push(performance.now());
        return outcomes.shift() ?? passing;
      },
      onChange({ id: build, status, reason: why }) {
        changes.push(`${status} ${why}`);
        if (status === 'queued' && why === reason) stored.push(store.builds.find(build).then((found) => found?.status));
      },
    });
    await queue.start();
    const { id } = await ask('main');
    letGo();
    t.is((await queue.waitFor(id))?.status, 'failing');
    t.deepEqual(await Promise.all(stored), ['queued', 'queued']);
    t.deepEqual(order, ['build main', 'build main', 'build main']);
    const [first, second, third] = times as [number, number, number];
    t.true(second - first >= 900 && third - second >= 1_900);
    const next = await ask('main');
    t.is((await queue.waitFor(next.id))?.status, 'passing', 'what failed by itself lets nobody wait');
    t.true(times[3]! - third < 1_900);
  });

  declare(title('a build whose process crashed runs again after a wait, unless a person requests it'), async (t) => {
    const reason = 'The build was killed by the system';
    const outcomes: BuildOutcome[] = [
      { status: 'deferred', reason, isCrash: true },
      { status: 'deferred', reason, isCrash: true },
    ];
    const { store, queue, letGo, ask } = await openPlace(t, adapter, { outcome: () => outcomes.shift() ?? passing });
    // Timers of the queue keep no process alive.
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    await queue.start();
    const { id } = await ask('main');
    letGo();
    for (const [interruptions, waitMs] of [
      [1, 15_000],
      [2, 30_000],
    ] as const) {
      const startMs = Date.now();
      let build: Build | undefined;
      await waitUntil(async () => {
        build = await store.builds.find(id);
        return build?.status === 'queued' && build.interruptions === interruptions;
      });
      t.is(build!.reason, reason);
      const waits = Date.parse(build!.notBefore!) - startMs;
      t.true(waits >= waitMs && waits < waitMs + 15_000, String(waits));
      t.is((await ask('main', { cause: 'webhook' })).notBefore, build!.notBefore);
      t.is((await ask('main')).notBefore, undefined);
    }
    t.is((await queue.waitFor(id))?.status, 'passing');
  });

  declare(title('drain() begins nothing more, and waits for what runs, but not for ever'), async (t) => {
    const { store, queue, queues, order, letGo, ask } = await openPlace(t, adapter, { concurrency: 1, nameBuild });
    await store.projects.add(createProject({ name: 'other', versions: [] }));
    await queue.start();
    const first = await ask('main');
    await waitUntil(() => order.length === 1);
    const waiting = await ask('main', { project: 'other' });
    // Timers of the queue keep no process alive.
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    await Promise.all(queues.map((one) => one.drain(50)));
    t.is((await store.builds.find(first.id))?.status, 'running', 'it is not interrupted');
    const drained = Promise.all(queues.map((one) => one.drain(60_000)));
    t.is((await ask('next')).status, 'queued', 'requests are taken');
    letGo();
    await drained;
    t.is((await store.builds.find(first.id))?.status, 'passing');
    await sleep(300);
    t.is((await store.builds.find(waiting.id))?.status, 'queued');
    t.deepEqual(order, ['guide main']);
  });

  declare(title('a build that waits for a disk can be cancelled, and does not count as failing'), async (t) => {
    const { queue, order, letGo, ask } = await openPlace(t, adapter, {
      outcome: () => ({ status: 'deferred', reason: 'The storage is away' }),
    });
    await queue.start();
    const { id } = await ask('main');
    letGo();
    await waitUntil(() => order.length > 1);
    t.is((await queue.cancel(id))?.status, 'cancelled');
  });
}

function nameBuild({ project, ref }: Build): string {
  return `${project} ${ref}`;
}
