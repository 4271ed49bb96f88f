import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createDuties, type Duty } from '../../../platform/duties/duties.ts';
import { createClock } from '../../helpers/create-clock.ts';

const SECOND_MS = 1_000;

/** Duties of a process, which has them or not as `has` says, and a clock. */
function createSetup(isOneOfSeveral: boolean) {
  const clock = createClock('2026-03-15T04:00:00Z');
  const state = { has: false };
  const errors: unknown[] = [];
  const isOnDuty = isOneOfSeveral ? () => state.has : undefined;
  const duties = createDuties({ isOnDuty, onError: (error) => errors.push(error), wait: clock.wait });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await nextTurn();
  };
  return { duties, state, errors, clock, pass: (ms: number) => clock.pass(ms, settle) };
}

test.serial('duties: the only process does them at their times, and looks for nothing else', async (t) => {
  const { duties, clock, pass } = createSetup(false);
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  duties.start([
    { firstMs: 0, run: note('once') },
    { firstMs: 5 * SECOND_MS, everyMs: 10 * SECOND_MS, run: note('often') },
  ]);
  await pass(0);
  t.deepEqual(done, ['once']);
  await pass(5 * SECOND_MS);
  await pass(19 * SECOND_MS);
  t.deepEqual(done, ['once', 'often', 'often']);
  t.is(clock.waiting.length, 1);
  await duties.stop();
  t.is(clock.waiting.length, 0);
});

test.serial(
  'duties: one of several processes does them while they are its own, and again when they come back',
  async (t) => {
    const { duties, state, pass } = createSetup(true);
    const signals: AbortSignal[] = [];
    const duty: Duty = { firstMs: 0, everyMs: 60 * SECOND_MS, run: async (signal) => void signals.push(signal) };
    duties.start([duty]);
    await pass(120 * SECOND_MS);
    t.is(signals.length, 0);
    state.has = true;
    await pass(2 * SECOND_MS);
    t.is(signals.length, 1);
    t.false(signals[0]!.aborted);
    state.has = false;
    await pass(120 * SECOND_MS);
    t.is(signals.length, 1);
    t.true(signals[0]!.aborted);
    state.has = true;
    await pass(2 * SECOND_MS);
    t.is(signals.length, 2);
    t.false(signals[1]!.aborted);
    await duties.stop();
  },
);

test.serial('duties: work that goes on after they were lost ends before it begins again', async (t) => {
  const { duties, state, pass } = createSetup(true);
  const ends: (() => void)[] = [];
  let atOnce = 0;
  let most = 0;
  const run = async (): Promise<void> => {
    most = Math.max(most, ++atOnce);
    await new Promise<void>((resolve) => ends.push(resolve));
    atOnce--;
  };
  duties.start([{ firstMs: 0, run }]);
  for (const has of [true, false, true]) {
    state.has = has;
    await pass(2 * SECOND_MS);
  }
  t.is(ends.length, 1);
  ends[0]!();
  await pass(0);
  await nextTurn();
  t.is(ends.length, 2);
  t.is(most, 1);
  const stopped = duties.stop();
  ends[1]!();
  await stopped;
});

test.serial('duties: work that fails is reported and done again', async (t) => {
  const { duties, errors, pass } = createSetup(false);
  let tries = 0;
  duties.start([
    {
      firstMs: 0,
      async run() {
        if (++tries < 3) throw new Error('No luck');
      },
    },
  ]);
  await pass(0);
  await pass(3_600 * SECOND_MS);
  t.is(tries, 3);
  t.is(errors.length, 2);
  await duties.stop();
});
