import test from 'ava';
import type { MonthlyGrant, Reversal } from '../../../data/records/ledger-entry.ts';
import { schedulePeriods } from '../../../data/records/tier-periods.ts';
import fc from '../../helpers/fast-check.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');

const TIERS = [
  { price: 15, perDay: 100 },
  { price: 30, perDay: 1000 },
  { price: 50, perDay: 10_000 },
];

type Payment = readonly [day: number, tier: number, months: number] | readonly [day: number, 'reversal', seq: number];

/** Returns payments. */
function pay(...payments: readonly Payment[]): readonly (MonthlyGrant | Reversal)[] {
  return payments.map(([day, tier, number], i) => {
    const at = new Date(START + day * DAY).toISOString();
    const entry = { seq: i + 1, uid: '1000000001', module: 'inclusion', at, by: undefined, note: undefined };
    if (tier === 'reversal') return { ...entry, kind: 'reversal', grant: number, requests: 0, ms: 1, left: 0 };
    return { ...entry, kind: 'monthly', tier, ...TIERS[tier - 1]!, months: number };
  });
}

/** Returns periods as they were written down: tier, first day, day after the last one. */
const lay = (...payments: readonly Payment[]) =>
  schedulePeriods(pay(...payments)).map(({ tier, startMs, endMs }) => [
    tier,
    (startMs - START) / DAY,
    (endMs - START) / DAY,
  ]);

test('schedulePeriods() returns a month of 30 days from the payment on', (t) => {
  t.deepEqual(lay([3, 1, 1]), [[1, 3, 33]]);
  t.deepEqual(lay([3, 2, 12]), [[2, 3, 363]]);
  t.deepEqual(lay(), []);
});

test('schedulePeriods() extends a running tier from its end', (t) => {
  t.deepEqual(lay([0, 2, 1], [10, 2, 2]), [[2, 0, 90]]);
  t.deepEqual(lay([0, 2, 1], [30, 2, 1]), [[2, 0, 60]]);
});

test('schedulePeriods() ends a payment that is reversed, and what waited behind it runs at once', (t) => {
  t.deepEqual(lay([0, 1, 2], [10, 'reversal', 1]), [[1, 0, 10]]);
  t.deepEqual(lay([0, 1, 1], [10, 3, 1], [20, 'reversal', 2]), [
    [1, 0, 10],
    [3, 10, 20],
    [1, 20, 40],
  ]);
  t.deepEqual(lay([0, 1, 1], [10, 3, 1], [20, 'reversal', 1]), [
    [1, 0, 10],
    [3, 10, 40],
  ]);
  // Of two payments for the same tier the earlier one runs first.
  t.deepEqual(lay([0, 2, 1], [5, 2, 1], [40, 'reversal', 2]), [[2, 0, 40]]);
  t.deepEqual(lay([0, 2, 1], [5, 2, 1], [10, 'reversal', 1]), [[2, 0, 40]]);
  t.deepEqual(lay([0, 2, 1], [40, 'reversal', 1], [41, 'reversal', 9]), [[2, 0, 30]]);
});

test('schedulePeriods() runs what was bought, whatever the number of its tier means now', (t) => {
  const [first, second] = pay([0, 1, 1], [0, 2, 1]) as [MonthlyGrant, MonthlyGrant];
  const periods = schedulePeriods([first, { ...second, price: 20, perDay: 50 }]);
  t.deepEqual(
    periods.map(({ price, perDay }) => [price, perDay]),
    [
      [15, 100],
      [20, 50],
    ],
  );
});

test('schedulePeriods() begins again where nothing runs any more', (t) => {
  t.deepEqual(lay([0, 2, 1], [40, 2, 1]), [
    [2, 0, 30],
    [2, 40, 70],
  ]);
});

test('schedulePeriods() lets a higher tier begin at once and keeps the days of the lower one', (t) => {
  t.deepEqual(lay([0, 1, 2], [10, 3, 1]), [
    [1, 0, 10],
    [3, 10, 40],
    [1, 40, 90],
  ]);
  t.deepEqual(lay([0, 1, 1], [10, 3, 1], [20, 3, 1], [25, 2, 1]), [
    [1, 0, 10],
    [3, 10, 70],
    [2, 70, 100],
    [1, 100, 120],
  ]);
});

test('schedulePeriods() lets a lower tier wait for the end of the higher one', (t) => {
  t.deepEqual(lay([0, 3, 1], [10, 1, 1]), [
    [3, 0, 30],
    [1, 30, 60],
  ]);
});

test('schedulePeriods() never loses a day of what was paid, nor lets two tiers run at once', (t) => {
  const payment = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(fc.array(payment, { maxLength: 12 }), (steps) => {
      let day = 0;
      const payments = steps.map(([wait, tier, months]) => {
        day += wait;
        return [day, tier, months] as const;
      });
      const periods = lay(...payments);
      for (const tier of [1, 2, 3]) {
        const paid = payments.filter((one) => one[1] === tier).reduce((sum, one) => sum + one[2] * 30, 0);
        const laid = periods.filter((one) => one[0] === tier).reduce((sum, one) => sum + one[2]! - one[1]!, 0);
        t.is(laid, paid);
      }
      for (const [i, period] of periods.entries()) t.true(i === 0 || period[1]! >= periods[i - 1]![2]!);
    }),
  );
});
