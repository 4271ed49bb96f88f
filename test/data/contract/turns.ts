import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Store } from '../../../data/store.ts';
import { type Lane, OVERTAKEN } from '../../../data/turns.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import type { Adapter } from './adapter.ts';

/** Longer than a place needs to get a turn that it may take. */
const PAUSE_MS = 300;

/** Turns of projects, whose builds are of the lanes that their refs name, and run until they are told to end. */
async function openTurns(t: ExecutionContext, open: Adapter['open']) {
  const store: Store = await open(t);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const change = (project: string, change: Parameters<Store['builds']['changeOpen']>[1]) =>
    store.builds.changeOpen(project, (open) => {
      const changes = change(open);
      return changes && { ...changes, laneOf: ({ ref }) => (ref === 'new' ? undefined : (ref as Lane)) };
    });
  const add = async (...names: readonly string[]) => {
    // "a1" is a project of the owner "a".
    for (const name of names) {
      const url = `https://code.example/${name[0]}/${name}`;
      await store.projects.add(createProject({ name, url, versions: [] }));
    }
  };
  const ask = async (project: string, lane: Lane | 'new' = 'new') =>
    void (await change(project, () => ({ builds: [createBuild({ project, ref: lane })] })));
  const cancel = (project: string) =>
    change(project, ({ builds }) => ({ builds: builds.map((build) => ({ ...build, status: 'cancelled' })) }));
  const take = async (project: string, place: Lane): Promise<void> => {
    const [build] = await change(project, ({ builds: [first] }) =>
      first ? { builds: [{ ...first, status: 'running' }], isTurnUsed: true } : { builds: [], isTurnUsed: true },
    );
    if (!build) return;
    const ended = new Promise<void>((resolve) => ends.set(project, resolve));
    begun.push(`${project} ${place}`);
    await ended;
    ends.delete(project);
    await change(project, ({ builds }) => ({
      builds: builds.filter(({ id }) => id === build.id).map((one) => ({ ...one, status: 'passing' })),
    }));
  };
  const serve = async (long: number, short: number, taker = take) => {
    const server = await store.turns.serve({ places: () => ({ long, short }), take: taker });
    t.teardown(async () => {
      const stopped = server.stop();
      for (const end of ends.values()) end();
      await stopped;
    });
    return server;
  };
  const end = async (project: string) => {
    await waitUntil(() => ends.has(project));
    const ended = ends.get(project)!;
    ended();
    await waitUntil(() => ends.get(project) !== ended);
  };
  return { store, begun, add, ask, cancel, take, serve, end };
}

/** Declares what `data/turns.ts` says. */
export function testTurns({ name, open }: Adapter): void {
  test(`${name}: turns: owners take turns, and the projects of each`, async (t) => {
    const { begun, add, ask, serve, end } = await openTurns(t, open);
    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    await add(...names, 'd1');
    for (const one of names) await ask(one);
    await serve(1, 0);
    await waitUntil(() => begun.length === 1);
    // Who comes later does not wait behind all that an owner has asked for.
    await ask('d1');
    const order = ['a1', 'b1', 'c1', 'd1', 'a2', 'b2', 'a3'];
    for (const one of order) await end(one);
    t.deepEqual(
      begun,
      order.map((one) => `${one} long`),
    );
  });

  test(`${name}: turns: a place for short builds takes no long ones, others take both in their order`, async (t) => {
    const { begun, add, ask, serve, end } = await openTurns(t, open);
    await add('a1', 'b1', 'c1', 'd1');
    await ask('a1', 'long');
    await ask('b1', 'long');
    await ask('c1');
    await serve(0, 1);
    await end('c1');
    await ask('d1');
    await waitUntil(() => begun.length === 2);
    await sleep(PAUSE_MS);
    t.deepEqual(begun, ['c1 short', 'd1 short']);
    await end('d1');
    await serve(1, 0);
    await end('a1');
    await end('b1');
    t.deepEqual(begun.slice(2), ['a1 long', 'b1 long']);
  });

  test(`${name}: turns: a project has one at a time, and what runs asks for the next one when it ends`, async (t) => {
    const { begun, add, ask, serve, end } = await openTurns(t, open);
    await add('a1', 'b1');
    await serve(2, 1);
    await ask('a1');
    await waitUntil(() => begun.length === 1);
    await ask('a1');
    await ask('b1');
    await waitUntil(() => begun.length === 2);
    await sleep(PAUSE_MS);
    t.is(begun.length, 2);
    await end('a1');
    await waitUntil(() => begun.length === 3);
    t.regex(begun[2]!, /^a1 /);
    await end('a1');
    await end('b1');
  });

  test(`${name}: turns: what waits no more is not taken`, async (t) => {
    const { begun, add, ask, cancel, serve } = await openTurns(t, open);
    await add('a1', 'b1');
    await ask('a1');
    await ask('b1');
    await cancel('a1');
    await serve(2, 0);
    await waitUntil(() => begun.length === 1);
    await sleep(PAUSE_MS);
    t.deepEqual(begun, ['b1 long']);
  });

  test(`${name}: turns: one that could not be taken is taken again`, async (t) => {
    const { begun, add, ask, take, serve, end } = await openTurns(t, open);
    await add('a1');
    let failures = 0;
    await serve(1, 0, async (project, place) => {
      if (failures++ === 0) throw new Error('Not now');
      await take(project, place);
    });
    await ask('a1');
    await end('a1');
    t.deepEqual(begun, ['a1 long']);
  });

  test(`${name}: turns: who makes way for a short build is told once`, async (t) => {
    const { store, add, ask, serve, end } = await openTurns(t, open);
    await add('a1', 'b1');
    await ask('a1', 'long');
    t.false(await store.turns.claim(0), 'a long one');
    await ask('b1');
    t.false(await store.turns.claim(60_000), 'it has not waited for so long');
    // A timer may be early.
    await sleep(40);
    t.true(await store.turns.claim(20));
    t.false(await store.turns.claim(0), 'somebody makes way');
    await serve(1, 1);
    await end('a1');
    await end('b1');
    t.false(await store.turns.claim(0));
  });

  test(`${name}: turns: who is known to be short comes before others that asked before it, but only some of them`, async (t) => {
    const { begun, add, ask, serve, end } = await openTurns(t, open);
    const names = Array.from({ length: OVERTAKEN + 2 }, (_, at) => `${String.fromCodePoint(0x4e00 + at)}1`);
    await add(...names, 'a1');
    for (const one of names) await ask(one);
    await ask('a1', 'short');
    await serve(0, 2);
    await waitUntil(() => begun.length === 2);
    for (const one of names.slice(0, 2)) await end(one);
    // The third one and it are equal.
    await waitUntil(() => begun.length === 4);
    t.deepEqual(begun.slice(0, 2), [`${names[0]} short`, `${names[1]} short`]);
    t.deepEqual(begun.slice(2).sort(), [`${names[2]} short`, 'a1 short'].sort());
  });

  test(`${name}: turns: who stops takes no more, and waits for what was taken`, async (t) => {
    const { begun, add, ask, serve, end } = await openTurns(t, open);
    await add('a1', 'b1');
    const server = await serve(1, 0);
    await ask('a1');
    await waitUntil(() => begun.length === 1);
    await ask('b1');
    let isStopped = false;
    const stopped = server.stop().then(() => {
      isStopped = true;
    });
    await sleep(20);
    t.false(isStopped);
    await end('a1');
    await stopped;
    await sleep(PAUSE_MS);
    t.deepEqual(begun, ['a1 long']);
    await serve(1, 0);
    await waitUntil(() => begun.length === 2);
  });
}
