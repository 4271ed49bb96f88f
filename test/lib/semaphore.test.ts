import { createSemaphore } from '../../lib/semaphore.ts';
import test from '../helpers/serial-test.ts';

test('a semaphore lets so many in, the others in the order they came', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 2 });
  const release = await semaphore.acquire();
  const order: string[] = [];
  const enter = async (name: string): Promise<void> => {
    const next = await semaphore.acquire();
    order.push(next ? name : `no ${name}`);
    next?.();
  };
  const all = [enter('a'), enter('b'), enter('c')];
  await all[2];
  t.deepEqual(order, ['no c']);
  release!();
  await Promise.all(all);
  t.deepEqual(order, ['no c', 'a', 'b']);
});

test('a semaphore refuses who has waited too long, and goes on', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 1 });
  const release = await semaphore.acquire(10_000);
  t.is(await semaphore.acquire(20), undefined);
  release!();
  release!();
  const next = await semaphore.acquire(20);
  t.truthy(next);
  t.is(await semaphore.acquire(20), undefined, 'releasing twice frees one permit');
  next!();
});

test('a semaphore never lets too many in, whoever comes and goes', async (t) => {
  const semaphore = createSemaphore({ permits: 3, maxWaiting: 1000 });
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, i % 11));
      const release = await semaphore.acquire(i % 2 ? undefined : 10_000);
      most = Math.max(most, ++running);
      await new Promise((resolve) => (i % 2 ? setImmediate(resolve) : queueMicrotask(() => resolve(undefined))));
      running--;
      release!();
    }),
  );
  t.is(most, 3);
});
