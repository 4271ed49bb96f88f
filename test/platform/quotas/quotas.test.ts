import { join } from 'node:path';
import test from 'ava';
import type { Store } from '../../../data/store.ts';
import { PRICES, type Prices } from '../../../platform/quotas/grant.ts';
import {
  type BookingPreview,
  createQuotas,
  type QuotaOutcome,
  type QuotaSubject,
  type Quotas,
} from '../../../platform/quotas/quotas.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import fc from '../../helpers/fast-check.ts';
import { openStore } from '../../helpers/open-store.ts';

const UID = '1000000001';
const user: QuotaSubject = { source: '203.0.113.7', user: { uid: UID } };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Quotas with a clock that the test moves. */
function createSetup({ at = '2026-05-04T12:00:00Z', timezone = 'UTC', store = createMemoryStore() as Store } = {}) {
  const clock = { ms: Date.parse(at) };
  const quotas = createQuotas({
    store: store.quotas,
    timezone,
    now: () => new Date(clock.ms),
  });
  return { clock, store, quotas };
}

async function takeMany(quotas: Quotas, count: number, subject: QuotaSubject): Promise<readonly QuotaOutcome[]> {
  return Promise.all(Array.from({ length: count }, () => quotas.take('inclusion', subject)));
}
const granted = (outcomes: readonly QuotaOutcome[]): number => outcomes.filter(({ isGranted }) => isGranted).length;

test('quotas: of 1,000 requests at once on a file exactly 20 of a user and 5 of a source are granted', async (t) => {
  const { quotas } = createSetup({ store: await openStore(t, join(createFolder(t), 'store')) });
  const [own, anonymous] = await Promise.all([
    takeMany(quotas, 1000, user),
    takeMany(quotas, 1000, { source: '203.0.113.7' }),
  ]);
  t.deepEqual([granted(own), granted(anonymous)], [20, 5]);
});

test('quotas: the state counts down, and a refusal says when the day turns', async (t) => {
  const { quotas, clock } = createSetup({ at: '2026-03-29T00:30:00Z', timezone: 'Europe/Berlin' });
  const source = { source: '2001:db8:1:2::/64' };
  const outcomes = [];
  for (let i = 0; i < 6; i++) outcomes.push(await quotas.take('inclusion', source));
  t.deepEqual(
    outcomes.map(({ state }) => state.remaining),
    [4, 3, 2, 1, 0, 0],
  );
  // The clocks go forward that night: the day ends at 22:00 UTC.
  const resetS = 21.5 * 3600;
  t.like(outcomes[5], {
    isGranted: false,
    retryAfterS: resetS,
    state: { window: 'day', limit: 5, remaining: 0, resetS },
  });
  t.is(
    String((outcomes[5] as { message: unknown }).message),
    'All 5 anonymous requests for today are used up; the next day starts in 21 h 30 min',
  );
  clock.ms += resetS * 1000 - 1;
  t.like(await quotas.take('inclusion', source), { isGranted: false, retryAfterS: 1 });
  clock.ms += 1;
  t.like(await quotas.take('inclusion', source), { isGranted: true, state: { remaining: 4, resetS: 86_400 } });
});

test('quotas: a refusal ends with how to pay for more, but not one that ends within a minute', async (t) => {
  const clock = { ms: Date.parse('2026-05-04T23:59:00Z') };
  const quotas = createQuotas({
    store: createMemoryStore().quotas,
    timezone: 'UTC',
    now: () => new Date(clock.ms),
    prices: () => ({ ...PRICES, contact: 'Pay at https://pay.example and send your UID' }),
  });
  const refused = (await takeMany(quotas, 21, user)).at(-1)!;
  t.is(
    String((refused as { message: unknown }).message),
    'All 20 free requests for today are used up; the next day starts in 60 s. More: 15 a month for 100 a day, 30 a month for 1000 a day, 50 a month for 10000 a day, 1 fen a request. Pay at https://pay.example and send your UID',
  );
  await quotas.grant('inclusion', UID, { fen: 999 });
  const busy = (await takeMany(quotas, 121, user)).at(-1)!;
  t.is(String((busy as { message: unknown }).message), 'At most 120 paid requests per minute; try again in 60 s');
});

test('quotas: what was bought stays as it was when prices change, and a tier that is gone can be bought no more', async (t) => {
  const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
  let prices: Prices = PRICES;
  const quotas = createQuotas({
    store: createMemoryStore().quotas,
    timezone: 'UTC',
    now: () => new Date(clock.ms),
    prices: () => prices,
  });
  await quotas.grant('inclusion', UID, { monthly: 30, months: 1 });
  await quotas.grant('inclusion', UID, { fen: 100 });
  prices = { tiers: [{ price: 20, perDay: 500 }], fenPerRequest: 3, creditDays: 10, contact: '' };
  t.is(granted(await takeMany(quotas, 1200, user)), 1000 + 100);
  await throwsData(t, quotas.grant('inclusion', UID, { monthly: 30, months: 1 }), 'invalid', /known: 20$/);
  await quotas.grant('inclusion', UID, { monthly: 20, months: 2 });
  const plan = await quotas.grant('inclusion', UID, { fen: 100 });
  // The higher tier of before runs to its end, then what is sold now.
  t.like(plan, { tier: { price: 30, perDay: 1000, endsAt: '2026-06-03T12:00:00.000Z' } });
  t.like(plan.coming, [{ tier: 1, price: 20, perDay: 500, endsAt: '2026-08-02T12:00:00.000Z' }]);
  t.like(plan.credits.payments, [{ count: 33, left: 33, expiresAt: '2026-05-14T12:00:00.000Z' }]);
  await throwsData(t, quotas.grant('inclusion', UID, { fen: 2 }), 'invalid', /whole number from 3 to/);
  clock.ms += 31 * DAY;
  t.is(granted(await takeMany(quotas, 999, user)), 500);
  t.deepEqual((await quotas.check()).problems, []);
});

test('quotas: a payment that gets something else than what was confirmed is not booked', async (t) => {
  let prices: Prices = PRICES;
  const quotas = createQuotas({
    store: createMemoryStore().quotas,
    timezone: 'UTC',
    now: () => new Date('2026-05-04T12:00:00Z'),
    prices: () => prices,
  });
  const [fen, monthly] = [{ fen: 300 }, { monthly: 15, months: 1 }];
  const changes = [
    [fen, { ...PRICES, fenPerRequest: 2 }],
    [fen, { ...PRICES, creditDays: 30 }],
    [monthly, { ...PRICES, tiers: [{ price: 15, perDay: 90 }] }],
    [monthly, { ...PRICES, tiers: [{ price: 5, perDay: 50 }, ...PRICES.tiers] }],
  ] as const;
  for (const [payment, changed] of changes) {
    prices = PRICES;
    const { terms } = await quotas.preview('inclusion', UID, { payment });
    prices = changed;
    await throwsData(t, quotas.grant('inclusion', UID, payment, { terms }), 'taken', /prices have changed meanwhile/);
  }
  t.is((await quotas.plan('inclusion', UID)).newest, 0);
  // Prices of something else do not matter.
  const { terms } = await quotas.preview('inclusion', UID, { payment: monthly });
  prices = { ...prices, fenPerRequest: 7, creditDays: 3, contact: 'Pay' };
  t.is((await quotas.grant('inclusion', UID, monthly, { terms })).newest, 1);
});

test('quotas: whoever pays may use no less than those who do not', async (t) => {
  const quotas = createQuotas({
    store: createMemoryStore().quotas,
    timezone: 'UTC',
    now: () => new Date('2026-05-04T12:00:00Z'),
    prices: () => ({ ...PRICES, tiers: [{ price: 9, perDay: 5 }] }),
  });
  await quotas.grant('inclusion', UID, { monthly: 9, months: 1 });
  t.is(granted(await takeMany(quotas, 30, user)), 20);
  t.like(await quotas.look('inclusion', user), { limit: 20, remaining: 0 });
  t.like(await quotas.plan('inclusion', UID), {
    tier: { tier: 1, perDay: 5 },
    today: { limit: 20, used: 20, remaining: 0 },
  });
});

test('quotas: a payment keeps who booked it and a note of one line', async (t) => {
  const { quotas } = createSetup();
  const { newest } = await quotas.grant('inclusion', UID, { fen: 9 }, { by: 'boss', note: '  Receipt 17 ' });
  t.like((await quotas.plan('inclusion', UID)).ledger[0], { kind: 'credits', by: 'boss', note: 'Receipt 17' });
  const { ledger } = await quotas.reverse('inclusion', UID, newest, { by: 'root', note: 'twice' });
  t.like(ledger[0], { by: 'root', note: 'twice', requests: 9 });
  for (const note of ['x'.repeat(501), 'two\nlines', 'a\u2028b']) {
    await throwsData(t, quotas.grant('inclusion', UID, { fen: 9 }, { note }), 'invalid', /one line of at most 500/);
  }
});

test("quotas: a plan's ledger shows the payments, however many uses are newer", async (t) => {
  const { quotas, clock } = createSetup();
  await quotas.grant('inclusion', UID, { monthly: 15, months: 1 }, { by: 'boss', note: 'Receipt 17' });
  await quotas.grant('inclusion', UID, { fen: 500 });
  t.is(granted(await takeMany(quotas, 100, user)), 100);
  for (let i = 0; i < 51; i++) {
    await quotas.take('inclusion', user);
    clock.ms += MINUTE;
  }
  const { ledger } = await quotas.plan('inclusion', UID);
  t.is(ledger.filter(({ kind }) => kind === 'use').length, 50);
  t.like(ledger.slice(-2), [
    { seq: 2, kind: 'credits', fen: 500 },
    { seq: 1, kind: 'monthly', by: 'boss', note: 'Receipt 17' },
  ]);
  t.deepEqual(
    ledger.map(({ seq }) => seq),
    ledger.map(({ seq }) => seq).sort((a, b) => b - a),
  );
  await quotas.grant('inclusion', UID, { fen: 5 });
  t.like((await quotas.plan('inclusion', UID)).ledger[0], { kind: 'credits', fen: 5 });
});

test('quotas: preview() returns what grant() and reverse() then do, and books nothing', async (t) => {
  const { quotas, clock } = createSetup();
  await takeMany(quotas, 7, user);
  const payments = [{ monthly: 15, months: 2 }, { fen: 30 }, { monthly: 50, months: 1 }] as const;
  const compare = async (previewed: Promise<BookingPreview>, booked: () => Promise<unknown>): Promise<void> => {
    const before = await quotas.plan('inclusion', UID);
    const { plan } = await previewed;
    t.deepEqual(await quotas.plan('inclusion', UID), before);
    await booked();
    const { ledger: _, newest, ...expected } = plan;
    t.like(await quotas.plan('inclusion', UID), { newest, tier: expected.tier, today: expected.today });
    const after = await quotas.plan('inclusion', UID);
    t.deepEqual([after.coming, after.credits.left], [expected.coming, expected.credits.left]);
    clock.ms += DAY;
  };
  for (const payment of payments) {
    await compare(quotas.preview('inclusion', UID, { payment }), () => quotas.grant('inclusion', UID, payment));
  }
  for (const seq of [3, 2, 1]) {
    await compare(quotas.preview('inclusion', UID, { reverse: seq }), () => quotas.reverse('inclusion', UID, seq));
  }
  await throwsData(t, quotas.preview('inclusion', UID, { reverse: 1 }), 'refused', /has been reversed/);
  t.deepEqual((await quotas.check()).problems, []);
});

test('quotas: what is booked does not fail, whatever cannot be read afterwards', async (t) => {
  const records = createMemoryStore().quotas;
  let isReadable = true;
  const read = <Result>(found: Promise<Result>): Promise<Result> =>
    isReadable ? found : Promise.reject(new Error('unreadable'));
  const book = async <Result>(booked: Promise<Result>): Promise<Result> => {
    const entry = await booked;
    isReadable = false;
    return entry;
  };
  const quotas = createQuotas({
    store: {
      ...records,
      look: (question) => read(records.look(question)),
      listEntries: (query) => read(records.listEntries(query)),
      addGrant: (...input) => book(records.addGrant(...input)),
      reverse: (...input) => book(records.reverse(...input)),
    },
    timezone: 'UTC',
    now: () => new Date('2026-05-04T12:00:00Z'),
  });
  t.like(await quotas.grant('inclusion', UID, { fen: 300 }), { newest: 1, credits: { left: 300 } });
  // Nothing is booked where it cannot be read before.
  await t.throwsAsync(quotas.reverse('inclusion', UID, 1), { message: 'unreadable' });
  isReadable = true;
  t.like(await quotas.reverse('inclusion', UID, 1), { newest: 2, credits: { left: 0 } });
  isReadable = true;
  t.deepEqual(
    (await quotas.plan('inclusion', UID)).ledger.map(({ kind }) => kind),
    ['reversal', 'credits'],
  );
});

test('quotas: summarize() returns the plan without its ledger, and reads no uses', async (t) => {
  const records = createMemoryStore().quotas;
  let isReadable = true;
  const quotas = createQuotas({
    store: {
      ...records,
      listEntries: (query) => (isReadable ? records.listEntries(query) : Promise.reject(new Error('uses are read'))),
    },
    timezone: 'UTC',
    now: () => new Date('2026-05-04T12:00:00Z'),
  });
  await quotas.grant('inclusion', UID, { monthly: 15, months: 1 });
  await quotas.grant('inclusion', UID, { fen: 300 });
  t.is(granted(await takeMany(quotas, 103, user)), 103);
  const { ledger: _, ...expected } = await quotas.plan('inclusion', UID);
  isReadable = false;
  const summary = await quotas.summarize('inclusion', UID);
  t.deepEqual(summary, expected);
  t.is(summary.credits.left, 297);
});

test('quotas: preview() shows one moment, however long it takes', async (t) => {
  let ms = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(ms++);
  const quotas = createQuotas({ store: createMemoryStore().quotas, timezone: 'UTC', now });
  await quotas.grant('inclusion', UID, { monthly: 15, months: 1 });
  const { plan } = await quotas.preview('inclusion', UID, { payment: { monthly: 30, months: 1 } });
  t.like(plan, { tier: { price: 30 } });
  t.is(plan.coming.length, 1);
});

test('quotas: look() takes nothing', async (t) => {
  const { quotas } = createSetup();
  for (let i = 0; i < 9; i++) t.like(await quotas.look('inclusion', user), { window: 'day', limit: 20, remaining: 20 });
  await quotas.take('inclusion', user);
  t.like(await quotas.look('inclusion', user), { remaining: 19, resetS: 12 * 3600 });
});

test("quotas: behind the day's quota the state is that of the minute, and a refusal ends with it", async (t) => {
  const { quotas, clock } = createSetup();
  await quotas.grant('inclusion', UID, { fen: 500 });
  const free = await takeMany(quotas, 20, user);
  t.deepEqual(free.at(-1)!.state, {
    window: 'minute',
    limit: 120,
    remaining: 120,
    resetS: 60,
    policies: [
      { name: 'day', limit: 20, remaining: 0, resetS: 43_200 },
      { name: 'minute', limit: 120, remaining: 120, resetS: 60 },
      { name: 'credits', limit: 500, remaining: 500, resetS: undefined },
    ],
  });
  clock.ms += 30_000;
  await takeMany(quotas, 100, user);
  clock.ms += 20_500;
  t.like((await takeMany(quotas, 20, user)).at(-1), { isGranted: true, state: { remaining: 0, resetS: 40 } });
  t.like(await quotas.take('inclusion', user), { isGranted: false, retryAfterS: 40, state: { window: 'minute' } });
  clock.ms += 39_500;
  t.is(granted(await takeMany(quotas, 999, user)), 100);
  clock.ms += 60_000;
  await takeMany(quotas, 120, user);
  clock.ms += 60_000;
  t.like(await quotas.look('inclusion', user), { remaining: 120 });
  clock.ms += 60_000;
  await takeMany(quotas, 120, user);
  clock.ms += 60_000;
  // 460 of 500 are used.
  t.like(await quotas.look('inclusion', user), { window: 'minute', limit: 120, remaining: 40 });
  t.is(granted(await takeMany(quotas, 120, user)), 40);
  t.like(await quotas.take('inclusion', user), { isGranted: false, state: { window: 'day', limit: 20, remaining: 0 } });
});

test('quotas: giveBack() returns back once, whoever asks again', async (t) => {
  const { quotas } = createSetup();
  const [first] = await takeMany(quotas, 20, user);
  const { receipt } = first as QuotaOutcome & { isGranted: true };
  await Promise.all([quotas.giveBack(receipt), quotas.giveBack(receipt)]);
  await quotas.giveBack(receipt);
  t.is(granted(await takeMany(quotas, 9, user)), 1);
});

test('quotas: counts that are given back do not count for the minute either', async (t) => {
  const { quotas, clock } = createSetup();
  await quotas.grant('inclusion', UID, { fen: 500 });
  await takeMany(quotas, 20, user);
  for (let round = 0; round < 5; round++) {
    clock.ms += 1000;
    const taken = (await takeMany(quotas, 120, user)) as readonly (QuotaOutcome & { isGranted: true })[];
    t.is(granted(taken), 120);
    for (const { receipt } of taken) await quotas.giveBack(receipt);
  }
  t.is(granted(await takeMany(quotas, 200, user)), 120);
  t.deepEqual((await quotas.check()).problems, []);
});

test('quotas: credits are void after 365 days, and the ledger still adds up', async (t) => {
  const { quotas, clock } = createSetup();
  await quotas.grant('inclusion', UID, { fen: 50 });
  await takeMany(quotas, 30, user);
  clock.ms += 365 * DAY - 1;
  t.is(granted(await takeMany(quotas, 30, user)), 30);
  clock.ms += 1;
  t.is(granted(await takeMany(quotas, 30, user)), 0);
  const { credits, ledger } = await quotas.plan('inclusion', UID);
  t.deepEqual(credits, { left: 0, payments: [] });
  t.is(ledger.length, 3);
  const sums = {
    uid: UID,
    module: 'inclusion',
    granted: 50,
    taken: 20,
    returned: 0,
    reversed: 0,
    expired: 30,
    left: 0,
  };
  t.deepEqual(await quotas.check(), { entries: 3, accounts: [sums], problems: [] });
  t.deepEqual(await quotas.check({ uid: 'other' }), { entries: 0, accounts: [], problems: [] });
});

test('quotas: grant() returns the plan that results', async (t) => {
  const { quotas, clock } = createSetup({ at: '2026-05-04T18:00:00Z', timezone: 'Asia/Shanghai' });
  const free = await quotas.plan('inclusion', UID);
  t.like(free, { uid: UID, module: 'inclusion', tier: null, coming: [], credits: { left: 0 }, ledger: [] });
  t.deepEqual(free.today, { day: '2026-05-05', endsAt: '2026-05-05T16:00:00.000Z', limit: 20, used: 0, remaining: 20 });
  await takeMany(quotas, 7, user);
  t.like(await quotas.grant('inclusion', UID, { monthly: 30, months: 2 }), {
    tier: {
      tier: 2,
      price: 30,
      perDay: 1000,
      startsAt: '2026-05-04T18:00:00.000Z',
      endsAt: '2026-07-03T18:00:00.000Z',
    },
    today: { limit: 1000, used: 7, remaining: 993 },
  });
  clock.ms += 10 * DAY;
  const { tier, coming } = await quotas.grant('inclusion', UID, { monthly: 50, months: 1 });
  t.is(tier?.perDay, 10_000);
  t.is(tier?.endsAt, '2026-06-13T18:00:00.000Z');
  t.deepEqual(coming, [
    { tier: 2, price: 30, perDay: 1000, startsAt: '2026-06-13T18:00:00.000Z', endsAt: '2026-08-02T18:00:00.000Z' },
  ]);
});

test('quotas: grant() refuses what is no payment, and books nothing', async (t) => {
  const { quotas } = createSetup();
  for (const fen of [0, -1, 1.5, Number.NaN, 1e12, '5' as never]) {
    await throwsData(t, quotas.grant('inclusion', UID, { fen }), 'invalid', /amount in fen/);
  }
  for (const months of [0, 1.5, 121]) {
    await throwsData(t, quotas.grant('inclusion', UID, { monthly: 15, months }), 'invalid', /number of months/);
  }
  for (const monthly of [0, 16, Number.NaN]) {
    await throwsData(t, quotas.grant('inclusion', UID, { monthly, months: 1 }), 'invalid', /known: 15, 30, 50$/);
  }
  t.is((await quotas.check()).entries, 0);
});

test('quotas: counters of networks are bounded, whatever addresses somebody owns', async (t) => {
  const { quotas } = createSetup();
  const take = async (source: string) => (await quotas.take('inclusion', { source })).isGranted;
  // 64 networks of one /48 have counters of their own; the rest shares one.
  let count = 0;
  for (let i = 0; i < 200; i++) if (await take(`2001:db8:1:${i.toString(16)}::/64`)) count++;
  t.is(count, 64 + 5);
  t.true(await take('2001:db8:2:1::/64'));
  for (let i = 0; i < 4; i++) t.true(await take('2001:db8:1:1::/64'));
  t.false(await take('2001:db8:1:1::/64'));
});

test('quotas: past days leave no counters behind, nor old minutes more than one entry a day', async (t) => {
  const { quotas, clock, store } = createSetup();
  await quotas.grant('inclusion', UID, { fen: 5000 });
  for (let i = 0; i < 30; i++) {
    await takeMany(quotas, 30, user);
    await quotas.take('inclusion', { source: `203.0.113.${i}` });
    clock.ms += 2 * MINUTE;
  }
  clock.ms += 9 * DAY;
  await quotas.take('inclusion', user);
  await quotas.tidy();
  t.is(await store.quotas.pruneUsage({ day: '', nowMs: clock.ms, limit: 99 }), 1);
  t.is((await store.quotas.listEntries({})).length, 2);
  t.deepEqual((await quotas.check()).problems, []);
});

const subject = fc.constantFrom<QuotaSubject>(user, { source: 'a', user: { uid: '2' } }, { source: '203.0.113.7' });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('take' as const), subject, count: fc.integer({ min: 1, max: 150 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(2 * MINUTE), fc.nat(2 * DAY), fc.nat(400 * DAY)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fen' as const), fen: fc.integer({ min: 1, max: 300 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('monthly' as const),
      monthly: fc.constantFrom(15, 30),
      months: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('back' as const), at: fc.nat(500) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reverse' as const), at: fc.nat(500) }) },
);

/** The rules once more, as plainly as can be: one list of what was taken, searched again each time. */
function createModel() {
  const taken: { who: string; ms: number; day: string; grant: number | undefined; isBack: boolean }[] = [];
  const grants: { who: string; left: number; endMs: number; id: number }[] = [];
  /** Days of tiers that are left, as spans that are used up by time, the highest first. */
  const rest = new Map<number, number>();
  return {
    taken,
    wait(ms: number) {
      for (const tier of [100, 1000].sort((a, b) => b - a)) {
        const used = Math.min(ms, rest.get(tier) ?? 0);
        rest.set(tier, (rest.get(tier) ?? 0) - used);
        ms -= used;
      }
    },
    buy: (who: string, fen: number, nowMs: number) =>
      grants.push({ who, left: fen, endMs: nowMs + 365 * DAY, id: grants.length }),
    /** Takes a payment back; returns whether there was something to take. */
    reverse(id: number, nowMs: number): boolean {
      const grant = grants[id]!;
      if (grant.left === 0 || grant.endMs <= nowMs) return false;
      grant.left = 0;
      return true;
    },
    month: (price: number, months: number) => {
      const tier = price === 15 ? 100 : 1000;
      rest.set(tier, (rest.get(tier) ?? 0) + months * 30 * DAY);
    },
    take(who: string, nowMs: number): boolean {
      const day = new Date(nowMs).toISOString().slice(0, 10);
      const tier = (rest.get(1000) ?? 0) > 0 ? 1000 : (rest.get(100) ?? 0) > 0 ? 100 : 20;
      const limit = who === '' ? 5 : who === UID ? tier : 20;
      const own = taken.filter((one) => one.who === who);
      if (own.filter((one) => one.day === day && one.grant === undefined && !one.isBack).length < limit) {
        taken.push({ who, ms: nowMs, day, grant: undefined, isBack: false });
        return true;
      }
      if (own.filter((one) => one.grant !== undefined && !one.isBack && one.ms > nowMs - MINUTE).length >= 120)
        return false;
      const grant = grants
        .filter((one) => one.who === who && one.left > 0 && one.endMs > nowMs)
        .sort((a, b) => a.endMs - b.endMs || a.id - b.id)[0];
      if (!grant) return false;
      grant.left--;
      taken.push({ who, ms: nowMs, day, grant: grant.id, isBack: false });
      return true;
    },
    giveBack(index: number) {
      const one = taken[index]!;
      if (!one.isBack && one.grant !== undefined) grants[one.grant]!.left++;
      one.isBack = true;
    },
  };
}

test('quotas: after anything that may happen as much is granted as a plain list of what was taken allows', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { quotas, clock } = createSetup();
      const model = createModel();
      const payments: number[] = [];
      const reversed = new Set<number>();
      const receipts: (QuotaOutcome & { isGranted: true })['receipt'][] = [];
      for (const one of steps) {
        if (one.do === 'wait') {
          clock.ms += one.ms;
          model.wait(one.ms);
        } else if (one.do === 'fen') {
          const { newest } = await quotas.grant('inclusion', UID, { fen: one.fen });
          model.buy(UID, one.fen, clock.ms);
          payments.push(newest);
        } else if (one.do === 'reverse') {
          if (payments.length === 0) continue;
          const id = one.at % payments.length;
          const isDone = !reversed.has(id) && model.reverse(id, clock.ms);
          const reversal = quotas.reverse('inclusion', UID, payments[id]!);
          if (isDone) t.like((await reversal).ledger[0], { grant: payments[id]! });
          else await t.throwsAsync(reversal, { name: 'DataError' });
          if (isDone) reversed.add(id);
        } else if (one.do === 'monthly') {
          await quotas.grant('inclusion', UID, one);
          model.month(one.monthly, one.months);
        } else if (one.do === 'back') {
          if (receipts.length === 0) continue;
          const index = one.at % receipts.length;
          await quotas.giveBack(receipts[index]!);
          model.giveBack(index);
        } else {
          const outcomes = await takeMany(quotas, one.count, one.subject);
          for (const outcome of outcomes) if (outcome.isGranted) receipts.push(outcome.receipt);
          let expected = 0;
          for (let i = 0; i < one.count; i++) if (model.take(one.subject.user?.uid ?? '', clock.ms)) expected++;
          t.is(granted(outcomes), expected);
        }
        t.deepEqual((await quotas.check()).problems, []);
      }
    }),
    { numRuns: 50 },
  );
});
