import test from 'ava';
import type { QuotaTaking } from '../../../data/records/quota.ts';
import type { Store } from '../../../data/store.ts';
import { checkLedger } from '../../../platform/quotas/check-ledger.ts';
import { createCredits, createMonths, createQuestion, NOON } from '../../helpers/create-quota-question.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of quotas does. */
export function testQuotas({ name, open, reopen }: Adapter): void {
  const takeMany = (store: Store, count: number, question = createQuestion()): Promise<readonly QuotaTaking[]> =>
    Promise.all(Array.from({ length: count }, () => store.quotas.take(question)));
  const granted = (takings: readonly QuotaTaking[]): number => takings.filter(({ receipt }) => receipt).length;
  const problems = async ({ quotas }: Store): Promise<readonly string[]> =>
    checkLedger(await quotas.listEntries({}), { nowMs: NOON, isWhole: true }).problems;

  test.serial(`${name}: of 1,000 counts taken at once exactly 20 are granted, and none after a restart`, async (t) => {
    const store = await open(t);
    t.is(granted(await takeMany(store, 1000)), 20);
    const again = await reopen(store);
    t.is(granted(await takeMany(again, 5)), 0);
    t.is((await again.quotas.look(createQuestion())).usedToday, 20);
    t.is(granted(await takeMany(again, 50, createQuestion({ day: '2026-05-05', nowMs: NOON + 86_400_000 }))), 20);
  });

  test.serial(`${name}: sources have counts of their own, and a source none of a user's`, async (t) => {
    const store = await open(t);
    const from = (source: string) => createQuestion({ subject: { networks: [source] } });
    t.is(granted(await takeMany(store, 9, from('203.0.113.7'))), 5);
    t.is(granted(await takeMany(store, 9, from('203.0.113.8'))), 5);
    t.is(granted(await takeMany(store, 9, from('user:1000000001'))), 5);
    t.is(granted(await takeMany(store, 30)), 20);
    t.is(granted(await takeMany(await reopen(store), 9, from('203.0.113.7'))), 0);
  });

  test.serial(
    `${name}: credits pay behind the day's quota, 120 within 60 seconds, exactly, and the ledger adds up`,
    async (t) => {
      const store = await open(t);
      await store.quotas.addGrant(createCredits(200));
      t.is(granted(await takeMany(store, 1000)), 20 + 120);
      const again = await reopen(store);
      t.is(granted(await takeMany(again, 100, createQuestion({ nowMs: NOON + 59_999 }))), 0);
      t.is(granted(await takeMany(again, 1000, createQuestion({ nowMs: NOON + 60_000 }))), 80);
      t.is(granted(await takeMany(again, 9, createQuestion({ nowMs: NOON + 600_000 }))), 0);
      const entries = await (await reopen(again)).quotas.listEntries({ uid: '1000000001' });
      t.deepEqual(
        entries.map((entry) => (entry.kind === 'use' ? [entry.taken, entry.left] : entry.kind)),
        ['credits', [120, 80], [80, 0]],
      );
      t.deepEqual(checkLedger(entries, { nowMs: NOON, isWhole: true }), {
        entries: 3,
        accounts: [
          {
            uid: '1000000001',
            module: 'inclusion',
            granted: 200,
            taken: 200,
            returned: 0,
            reversed: 0,
            expired: 0,
            left: 0,
          },
        ],
        problems: [],
      });
    },
  );

  test.serial(`${name}: credits that expire first are used first, and expired ones never`, async (t) => {
    const store = await open(t);
    const question = createQuestion({ rules: { ...createQuestion().rules, freePerDay: 0 } });
    await store.quotas.addGrant(createCredits(9, { expiresAt: '2026-05-04T12:00:00.000Z' }));
    const late = await store.quotas.addGrant(createCredits(2, { expiresAt: '2026-05-06T00:00:00.000Z' }));
    const soon = await store.quotas.addGrant(createCredits(2, { expiresAt: '2026-05-05T00:00:00.000Z' }));
    const takings = await takeMany(await reopen(store), 9, question);
    t.deepEqual(
      takings.flatMap(({ receipt }) => receipt?.grant ?? []),
      [soon.seq, soon.seq, late.seq, late.seq],
    );
  });

  test.serial(
    `${name}: giveBack() returns a count of today back, and a paid one to the payment it came from`,
    async (t) => {
      const store = await open(t);
      await store.quotas.addGrant(createCredits(3));
      const takings = await takeMany(store, 30);
      t.is(granted(takings), 23);
      await store.quotas.giveBack(takings[0]!.receipt!, NOON);
      await store.quotas.giveBack(takings[21]!.receipt!, NOON + 120_000);
      const again = await reopen(store);
      const { usedToday, credits } = await again.quotas.look(createQuestion());
      t.deepEqual([usedToday, credits.map(({ left }) => left)], [19, [1]]);
      t.deepEqual(await problems(again), []);
      // A count of yesterday is no count of today.
      const tomorrow = createQuestion({ day: '2026-05-05', nowMs: NOON + 86_400_000 });
      await takeMany(again, 1, tomorrow);
      await again.quotas.giveBack(takings[1]!.receipt!, NOON + 86_400_000);
      t.is((await again.quotas.look(tomorrow)).usedToday, 1);
    },
  );

  test.serial(`${name}: payments have numbers without a gap, and users see their own entries`, async (t) => {
    const store = await open(t);
    const grants = Array.from({ length: 20 }, (_, i) => store.quotas.addGrant(createCredits(1, { uid: `${i % 2}` })));
    t.deepEqual(
      (await Promise.all(grants)).map(({ seq }) => seq),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    const again = await reopen(store);
    t.deepEqual(
      (await again.quotas.listEntries({ uid: '1' })).map(({ seq }) => seq),
      [2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
    );
    t.is((await again.quotas.addGrant(createCredits(1))).seq, 21);
  });

  test.serial(`${name}: a monthly tier takes the place of the free quota while it runs`, async (t) => {
    const store = await open(t);
    const { uid, module, at } = createCredits(1);
    await store.quotas.addGrant(createMonths(1, { uid, module, at }));
    const again = await reopen(store);
    t.is(granted(await takeMany(again, 1000)), 100);
    const last = createQuestion({ day: '2026-06-03', nowMs: NOON + 30 * 86_400_000 - 1 });
    t.is((await again.quotas.look(last)).plan, 1);
    t.is((await again.quotas.look({ ...last, nowMs: last.nowMs + 1 })).plan, 'free');
  });

  test.serial(`${name}: reverse() takes back what is left of a payment, once, and the ledger adds up`, async (t) => {
    const store = await open(t);
    const { quotas } = store;
    const user = { uid: '1000000001', nowMs: NOON, by: 'boss', note: 'wrong user' };
    const used = await quotas.addGrant(createCredits(200));
    const months = await quotas.addGrant(createMonths(2));
    const other = await quotas.addGrant(createCredits(5, { uid: 'other' }));
    t.is(granted(await takeMany(store, 150)), 150);
    const nowMs = NOON + 86_400_000;
    const question = createQuestion({ day: '2026-05-05', nowMs });
    const plan = { ...user, nowMs, seq: used.seq };
    t.like(await quotas.planReversal(plan), { requests: 150, ms: 0 });
    const reversal = await quotas.reverse(plan);
    t.like(reversal, { kind: 'reversal', grant: used.seq, requests: 150, ms: 0, by: 'boss', note: 'wrong user' });
    t.like(await quotas.reverse({ ...plan, seq: months.seq }), { requests: 0, ms: 59 * 86_400_000 });
    const again = await reopen(store);
    t.deepEqual(await again.quotas.look(question), {
      plan: 'free',
      perDay: 20,
      usedToday: 0,
      recent: [],
      credits: [],
    });
    t.deepEqual(await problems(again), []);
    const refuse = (seq: number, code: 'invalid' | 'not-found' | 'refused', says: RegExp) =>
      throwsData(t, again.quotas.reverse({ ...plan, seq }), code, says);
    await refuse(used.seq, 'refused', new RegExp(`Payment ${used.seq} has been reversed by entry ${reversal.seq}`));
    await refuse(months.seq, 'refused', /has been reversed/);
    await refuse(reversal.seq, 'not-found', /has no payment/);
    await refuse(other.seq, 'not-found', /has no payment/);
    await refuse(99, 'not-found', /User "1000000001" has no payment 99/);
    await throwsData(t, again.quotas.planReversal({ ...plan, seq: used.seq }), 'refused', /has been reversed/);
  });

  test.serial(`${name}: reverse() refuses a payment of which nothing is left`, async (t) => {
    const store = await open(t);
    const { seq } = await store.quotas.addGrant(createCredits(3, { expiresAt: '2026-05-05T00:00:00.000Z' }));
    const used = await store.quotas.addGrant(createCredits(3));
    const months = await store.quotas.addGrant(createMonths(1));
    const rules = { ...createQuestion().rules, freePerDay: 0 };
    await takeMany(store, 9, createQuestion({ rules, nowMs: NOON + 40 * 86_400_000 }));
    for (const one of [seq, used.seq, months.seq]) {
      const input = { uid: '1000000001', seq: one, nowMs: NOON + 50 * 86_400_000, by: undefined, note: undefined };
      await throwsData(t, store.quotas.reverse(input), 'refused', /Nothing is left of payment/);
    }
  });

  test.serial(`${name}: of requests and reversals at once as many are granted as were not taken back`, async (t) => {
    const store = await open(t);
    const rules = { ...createQuestion().rules, freePerDay: 0, creditsPerMinute: 1000 };
    const { seq } = await store.quotas.addGrant(createCredits(300));
    const takings = takeMany(store, 100, createQuestion({ rules }));
    const input = { uid: '1000000001', seq, nowMs: NOON, by: undefined, note: undefined };
    const reversals = Promise.allSettled([1, 2, 3].map(() => store.quotas.reverse(input)));
    const late = takeMany(store, 400, createQuestion({ rules }));
    const done = (await reversals).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    t.is(done.length, 1);
    t.is(granted([...(await takings), ...(await late)]) + done[0]!.requests, 300);
    // What was under way and fails is given back to a payment that was reversed, too.
    await store.quotas.giveBack((await takings)[0]!.receipt!, NOON);
    const again = await reopen(store);
    t.deepEqual(await problems(again), []);
    t.is(granted(await takeMany(again, 9, createQuestion({ rules, nowMs: NOON + 60_000 }))), 1);
  });

  test.serial(`${name}: what is booked by somebody who has not seen the newest booking is refused`, async (t) => {
    const { quotas } = await open(t);
    const first = await quotas.addGrant(createCredits(9), { newest: 0 });
    await throwsData(t, quotas.addGrant(createCredits(9), { newest: 0 }), 'taken', /booked for this user meanwhile/);
    const input = { uid: '1000000001', seq: first.seq, nowMs: NOON, by: undefined, note: undefined };
    await throwsData(t, quotas.reverse(input, { newest: 0 }), 'taken', /booked for this user meanwhile/);
    const reversal = await quotas.reverse(input, { newest: first.seq });
    await throwsData(t, quotas.addGrant(createCredits(9), { newest: first.seq }), 'taken', /meanwhile/);
    const both = [1, 2].map(() => quotas.addGrant(createCredits(9), { newest: reversal.seq }));
    t.is((await Promise.allSettled(both)).filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test.serial(`${name}: pruneUsage() removes counters of other days, some at a time`, async (t) => {
    const store = await open(t);
    for (const day of ['2026-05-02', '2026-05-03', '2026-05-04']) {
      for (const source of ['203.0.113.7', day]) {
        await store.quotas.take(createQuestion({ day, subject: { networks: [source] } }));
      }
    }
    const query = { day: '2026-05-04', nowMs: NOON, limit: 1 };
    const again = await reopen(store);
    t.deepEqual([await again.quotas.pruneUsage(query), await again.quotas.pruneUsage({ ...query, limit: 9 })], [1, 1]);
    t.is(await again.quotas.pruneUsage(query), 0);
    const { usedToday } = await again.quotas.look(createQuestion({ subject: { networks: ['203.0.113.7'] } }));
    t.is(usedToday, 1);
  });

  test.serial(`${name}: mergeUses() makes one entry of a past day, and the ledger still adds up`, async (t) => {
    const store = await open(t);
    await store.quotas.addGrant(createCredits(1000));
    await store.quotas.addGrant(createCredits(50, { uid: 'other' }));
    const rules = { ...createQuestion().rules, freePerDay: 0 };
    for (let minute = 0; minute < 40; minute++) {
      const nowMs = NOON + minute * 20 * 60_000;
      await takeMany(store, 2, createQuestion({ nowMs, rules }));
      await store.quotas.take(createQuestion({ nowMs, rules, subject: { uid: 'other' } }));
    }
    const before = await store.quotas.look(createQuestion({ nowMs: NOON + 86_400_000, rules }));
    t.is((await store.quotas.listEntries({})).length, 82);
    const beforeMs = NOON + 86_400_000;
    t.is(await store.quotas.mergeUses({ beforeMs, limit: 10 }), 10);
    t.deepEqual(await problems(store), []);
    t.is(await store.quotas.mergeUses({ beforeMs, limit: 100 }), 66);
    t.is(await store.quotas.mergeUses({ beforeMs, limit: 100 }), 0);
    const again = await reopen(store);
    t.is((await again.quotas.listEntries({})).length, 6);
    t.deepEqual(await problems(again), []);
    t.deepEqual(await again.quotas.look(createQuestion({ nowMs: NOON + 86_400_000, rules })), before);
    // What comes later is a new entry.
    await takeMany(again, 1, createQuestion({ nowMs: NOON + 13 * 3_600_000, rules }));
    t.deepEqual(await problems(again), []);
  });

  test.serial(
    `${name}: mergeUses() merges only neighbours, so that a clock that was set back breaks nothing`,
    async (t) => {
      const store = await open(t);
      await store.quotas.addGrant(createCredits(1000));
      const rules = { ...createQuestion().rules, freePerDay: 0 };
      for (const hours of [1, 2, 26, 27, 3, 4, 28]) {
        await takeMany(store, 2, createQuestion({ nowMs: NOON + hours * 3_600_000, rules }));
      }
      t.is(await store.quotas.mergeUses({ beforeMs: NOON + 9 * 86_400_000, limit: 99 }), 3);
      t.deepEqual(await problems(await reopen(store)), []);
    },
  );

  test.serial(`${name}: the minute goes on over midnight`, async (t) => {
    const store = await open(t);
    await store.quotas.addGrant(createCredits(500));
    const midnight = Date.parse('2026-05-05T00:00:00Z');
    const rules = { ...createQuestion().rules, freePerDay: 0 };
    t.is(granted(await takeMany(store, 200, createQuestion({ nowMs: midnight - 1, rules }))), 120);
    t.is(await store.quotas.pruneUsage({ day: '2026-05-05', nowMs: midnight, limit: 9 }), 0);
    t.is(granted(await takeMany(store, 9, createQuestion({ nowMs: midnight, day: '2026-05-05', rules }))), 0);
  });
}
