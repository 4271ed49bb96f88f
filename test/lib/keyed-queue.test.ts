import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';

test.serial('a keyed queue runs work of one key in its order, and different keys side by side', async (t) => {
  const queue = createKeyedQueue();
  const events: string[] = [];
  const add = (key: string, name: string, ms: number) =>
    queue.run(key, async () => {
      events.push(`${name} begins`);
      await sleep(ms);
      events.push(`${name} ends`);
      return name;
    });
  const results = [add('a', 'a1', 40), add('a', 'a2', 0), add('b', 'b1', 0)];
  t.deepEqual(await Promise.all(results), ['a1', 'a2', 'b1']);
  t.deepEqual(events, ['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
});

test.serial('a keyed queue goes on after work that failed, and hands its error on', async (t) => {
  const queue = createKeyedQueue();
  const failed = queue.run('a', async () => {
    throw new RangeError('no');
  });
  const next = queue.run('a', async () => 'yes');
  await t.throwsAsync(failed, { instanceOf: RangeError, message: 'no' });
  t.is(await next, 'yes');
});

test.serial('idle() of a keyed queue waits for all work there is, however it ends', async (t) => {
  const queue = createKeyedQueue();
  let ended = 0;
  for (const key of ['a', 'a', 'b']) {
    const work = queue.run(key, async () => {
      await sleep(10);
      ended++;
      throw new Error('no');
    });
    work.catch(() => {});
  }
  await queue.idle();
  t.is(ended, 3);
  await queue.idle();
});
