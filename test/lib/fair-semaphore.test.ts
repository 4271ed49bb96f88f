import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { createFairSemaphore, type Permit } from '../../lib/fair-semaphore.ts';

/** A semaphore with one permit, and what it did, in order. */
async function createSetup({ maxWaiting = 100, maxWaitingEach = 100 } = {}) {
  const semaphore = createFairSemaphore({ permits: 1, maxWaiting, maxWaitingEach });
  const first = await semaphore.acquire({ lane: 'users', owner: 'first' }, 1000);
  const order: string[] = [];
  const asked: Promise<void>[] = [];
  return {
    ask(name: string, lane = 'users', timeoutMs = 5000): void {
      const [owner = ''] = name.split(' ');
      const run = async (): Promise<void> => {
        const permit = await semaphore.acquire({ lane, owner }, timeoutMs);
        order.push('refusal' in permit ? `${name} ${permit.refusal}` : name);
        release(permit);
      };
      asked.push(run());
    },
    async finish(): Promise<readonly string[]> {
      await wait(1);
      release(first);
      await Promise.all(asked);
      const last = await semaphore.acquire({ lane: 'users', owner: 'last' }, 0);
      if ('refusal' in last) throw new Error('A permit is lost');
      return order;
    },
  };
}

function release(permit: Permit): void {
  if (!('refusal' in permit)) {
    permit.release();
    permit.release();
  }
}

test.serial('fair-semaphore: owners take turns, however many of one wait', async (t) => {
  const { ask, finish } = await createSetup();
  for (let i = 1; i <= 4; i++) ask(`a ${i}`);
  for (let i = 1; i <= 2; i++) ask(`b ${i}`);
  ask('c 1');
  t.deepEqual(await finish(), ['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3', 'a 4']);
});

test.serial('fair-semaphore: lanes take turns, however many owners wait in one', async (t) => {
  const { ask, finish } = await createSetup();
  for (const owner of ['x', 'y', 'z', 'w']) ask(owner, 'anonymous');
  ask('a 1');
  ask('a 2');
  t.deepEqual(await finish(), ['x', 'a 1', 'y', 'a 2', 'z', 'w']);
});

test.serial('fair-semaphore: refuses an owner who has too many waiting, and only that one', async (t) => {
  const { ask, finish } = await createSetup({ maxWaitingEach: 2 });
  for (let i = 1; i <= 3; i++) ask(`a ${i}`);
  ask('b 1');
  t.deepEqual(await finish(), ['a 3 greedy', 'a 1', 'b 1', 'a 2']);
});

test.serial(
  'fair-semaphore: a full lane makes room for owners with few in it, and another lane has its own',
  async (t) => {
    const { ask, finish } = await createSetup({ maxWaiting: 3 });
    for (let i = 1; i <= 4; i++) ask(`a ${i}`);
    ask('b 1');
    ask('c 1');
    ask('d 1');
    ask('x', 'anonymous');
    const order = await finish();
    t.deepEqual(order.filter((one) => one.endsWith('full')).sort(), ['a 2 full', 'a 3 full', 'a 4 full', 'd 1 full']);
    t.deepEqual(
      order.filter((one) => !one.endsWith('full')),
      ['a 1', 'x', 'b 1', 'c 1'],
    );
  },
);

test.serial('fair-semaphore: who waits too long leaves without a trace', async (t) => {
  const { ask, finish } = await createSetup({ maxWaitingEach: 1 });
  ask('a 1', 'users', 5);
  await wait(50);
  ask('a 2');
  t.deepEqual(await finish(), ['a 1 late', 'a 2']);
});
