import test from 'ava';
import { createGate } from '../../../api/inclusion/create-gate.ts';

test('createGate() lets so many in, the others in the order they came', async (t) => {
  const gate = createGate({ maxRunning: 1, maxWaiting: 2 });
  const leave = await gate.enter(10_000);
  const order: string[] = [];
  const enter = async (name: string): Promise<void> => {
    const next = await gate.enter(10_000);
    order.push(next ? name : `no ${name}`);
    next?.();
  };
  const all = [enter('a'), enter('b'), enter('c')];
  await all[2];
  t.deepEqual(order, ['no c']);
  leave!();
  await Promise.all(all);
  t.deepEqual(order, ['no c', 'a', 'b']);
});

test('createGate() refuses who has waited too long, and goes on', async (t) => {
  const gate = createGate({ maxRunning: 1, maxWaiting: 1 });
  const leave = await gate.enter(10_000);
  t.is(await gate.enter(20), undefined);
  leave!();
  leave!();
  const next = await gate.enter(20);
  t.truthy(next);
  t.is(await gate.enter(20), undefined, 'leaving twice frees one place');
  next!();
});

test('createGate() never lets in too many, whoever comes and goes', async (t) => {
  const gate = createGate({ maxRunning: 3, maxWaiting: 1000 });
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, i % 11));
      const leave = await gate.enter(10_000);
      most = Math.max(most, ++running);
      await new Promise((resolve) => (i % 2 ? setImmediate(resolve) : queueMicrotask(() => resolve(undefined))));
      running--;
      leave!();
    }),
  );
  t.is(most, 3);
});
