import test from 'ava';
import { createTimedLine, runWithin, TookTooLong } from '../../lib/run-within.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';

const { cpuUsage } = process;

test('runWithin() ends loops and expressions when their time is up, and passes everything else on', (t) => {
  t.is(
    runWithin(10_000, () => 1),
    1,
  );
  t.throws(() => runWithin(10_000, () => JSON.parse('{')), { instanceOf: SyntaxError });
  t.throws(
    () =>
      runWithin(50, () => {
        for (;;);
      }),
    { instanceOf: TookTooLong },
  );
  t.throws(() => runWithin(50, () => /^(a+)+$/.test(`${'a'.repeat(40)}b`)), { instanceOf: TookTooLong });
  t.is(
    runWithin(10_000, () => runWithin(1, () => 2)),
    2,
    'the outer time holds',
  );
});

test.serial('runWithin() begins again where the time was not its own, and only there', (t) => {
  const times: number[] = [];
  let resets = 0;
  // Others have all of the machine, or none of it.
  let ownMs = 0;
  process.cpuUsage = (before) => ({ user: before ? ownMs * 1_000 : 0, system: 0 });
  t.teardown(() => Object.assign(process, { cpuUsage }));
  const run = (): string => {
    times.push(performance.now());
    while (times.length < 3);
    return 'third';
  };
  t.is(
    runWithin(50, run, () => resets++),
    'third',
  );
  t.deepEqual([times.length, resets], [3, 2]);
  let begun = 0;
  const hang = (): void => {
    begun++;
    for (;;);
  };
  t.throws(() => runWithin(10, hang), { instanceOf: TookTooLong });
  t.is(begun, 3, 'and not for ever');
  ownMs = 10;
  t.throws(() => runWithin(10, hang), { instanceOf: TookTooLong });
  t.is(begun, 4);
});

test('a timed line runs functions in turn: one that takes too long ends, as does one that throws, and the others do not', async (t) => {
  const run = createTimedLine(100);
  const order: number[] = [];
  const add = (n: number) => (): number => order.push(n);
  const all = await Promise.allSettled([
    run(add(1)),
    run(() => {
      for (;;);
    }),
    run(() => JSON.parse('{') as number),
    run(add(2)),
    run(() => runWithin(1, add(3))),
  ]);
  t.deepEqual(
    all.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).name)),
    [1, 'TookTooLong', 'SyntaxError', 2, 3],
  );
  t.is(await run(add(4)), 4, 'and again, when it was empty');
  t.deepEqual(order, [1, 2, 3, 4]);
});

test('a timed line lets the process go on between functions that take long', async (t) => {
  const run = createTimedLine(10_000);
  const busy = (): void => {
    for (const end = performance.now() + 30; performance.now() < end; );
  };
  let turns = 0;
  const count = setInterval(() => turns++);
  await Promise.all(Array.from({ length: 4 }, () => run(busy)));
  clearInterval(count);
  t.true(turns >= 2);
});

test('trimCharacters() takes characters off the ends', (t) => {
  t.is(trimCharacters('//a//b//', '/'), '//a//b');
  t.is(trimCharacters('//a//b//', '/', { both: true }), 'a//b');
  t.is(trimCharacters('///', '/', { both: true }), '');
});
