import test from 'ava';
import { createCircuitBreaker, type TryOutcome } from '../../lib/circuit-breaker.ts';

function createSetup() {
  const clock = { ms: 1000 };
  const breaker = createCircuitBreaker(() => clock.ms);
  const tryOnce = (outcome: TryOutcome): boolean => {
    const leave = breaker.enter();
    leave?.(outcome);
    return leave !== undefined;
  };
  const tryOften = (count: number, outcome: TryOutcome): void => {
    for (let i = 0; i < count; i++) tryOnce(outcome);
  };
  return { clock, breaker, tryOnce, tryOften };
}

test('circuit-breaker: pauses after five failures in a row, and for longer each time, up to a minute', (t) => {
  const { clock, breaker, tryOnce, tryOften } = createSetup();
  tryOften(4, 'failed');
  tryOnce('succeeded');
  tryOften(4, 'failed');
  t.is(breaker.waitMs(), 0);
  tryOnce('failed');
  for (const pause of [5, 10, 20, 40, 60, 60]) {
    t.is(breaker.waitMs(), pause * 1000);
    t.false(tryOnce('succeeded'));
    clock.ms += pause * 1000;
    t.true(tryOnce('failed'));
  }
  clock.ms += 60_000;
  t.true(tryOnce('succeeded'));
  tryOften(4, 'failed');
  t.is(breaker.waitMs(), 0, 'all is as in the beginning');
});

test('circuit-breaker: after a pause one try decides, and what is unclear decides nothing', (t) => {
  const { clock, breaker, tryOnce, tryOften } = createSetup();
  tryOften(5, 'failed');
  clock.ms += 5000;
  const leave = breaker.enter()!;
  t.is(breaker.enter(), undefined);
  t.true(breaker.waitMs() > 0);
  leave('unclear');
  leave('failed');
  t.is(breaker.waitMs(), 0, 'only the first outcome counts');
  t.true(tryOnce('failed'));
  t.is(breaker.waitMs(), 10_000);
});

test('circuit-breaker: tries from before a pause do not make it longer, but may end it', (t) => {
  const { breaker } = createSetup();
  const early = Array.from({ length: 20 }, () => breaker.enter()!);
  for (const leave of early.slice(0, 19)) leave('failed');
  t.is(breaker.waitMs(), 5000);
  early[19]!('succeeded');
  t.is(breaker.waitMs(), 0);
});
