import test from 'ava';
import type { CreditGrant, CreditUse, LedgerEntry, Reversal } from '../../../data/records/ledger-entry.ts';
import { checkLedger } from '../../../platform/quotas/check-ledger.ts';

const account = { uid: '1000000001', module: 'inclusion' };
const grant = (seq: number, count: number, values: Partial<CreditGrant> = {}): CreditGrant => ({
  ...account,
  seq,
  kind: 'credits',
  fen: count,
  count,
  at: '2026-01-01T00:00:00.000Z',
  expiresAt: '2027-01-01T00:00:00.000Z',
  by: undefined,
  note: undefined,
  ...values,
});
const use = (seq: number, taken: number, left: number, values: Partial<CreditUse> = {}): CreditUse => ({
  ...account,
  seq,
  kind: 'use',
  grant: 1,
  taken,
  returned: 0,
  left,
  merged: 1,
  from: '2026-02-01T00:00:00.000Z',
  at: '2026-02-01T00:00:30.000Z',
  ...values,
});
const check = (entries: readonly LedgerEntry[], now = '2026-06-01', isWhole = true) =>
  checkLedger(entries, { nowMs: Date.parse(now), isWhole });

test('checkLedger() adds up what was granted, used, returned, expired and left', (t) => {
  const entries = [
    grant(1, 100),
    use(2, 60, 40),
    grant(3, 10, { expiresAt: '2026-05-01T00:00:00.000Z' }),
    use(4, 3, 7, { grant: 3 }),
    use(6, 1, 41, { returned: 2, merged: 2 }),
  ];
  const sums = { ...account, granted: 110, taken: 64, returned: 2, reversed: 0 };
  t.deepEqual(check(entries), { entries: 5, accounts: [{ ...sums, expired: 7, left: 41 }], problems: [] });
  t.deepEqual(check(entries, '2027-06-01').accounts, [{ ...sums, expired: 48, left: 0 }]);
});

const damages: Readonly<Record<string, { readonly entries: readonly LedgerEntry[]; readonly says: RegExp }>> = {
  'a missing use': { entries: [grant(1, 100), use(3, 60, 30)], says: /Entry 3: 100 - 60 \+ 0 requests are not the 30/ },
  'a missing payment': { entries: [use(2, 60, 40)], says: /Entry 2 uses payment 1, which does not exist/ },
  'a missing entry of anybody': { entries: [grant(1, 100), grant(3, 5)], says: /holds 2 entries, but .* number 3/ },
  'a changed count': { entries: [grant(1, 100), use(2, 6, 40)], says: /Entry 2/ },
  'a use of more than there was': { entries: [grant(1, 5), use(2, 6, -1)], says: /-1 are left of the 5/ },
  'a use of somebody else': { entries: [grant(1, 5), use(2, 1, 4, { uid: '9' })], says: /payment 1 of somebody else/ },
  'a use after the end': {
    entries: [grant(1, 5), use(2, 1, 4, { from: '2027-01-01T00:00:00.000Z' })],
    says: /Entry 2 uses payment 1 after its end/,
  },
  'a number twice': { entries: [grant(1, 5), grant(1, 5)], says: /Entry 1 comes after entry 1/ },
};
const reverse = (seq: number, requests: number, values: Partial<Reversal> = {}): Reversal => ({
  ...account,
  seq,
  kind: 'reversal',
  grant: 1,
  requests,
  ms: 0,
  left: 0,
  by: undefined,
  note: undefined,
  at: '2026-03-01T00:00:00.000Z',
  ...values,
});

test('checkLedger() adds up what was taken back, and what was returned to it later', (t) => {
  const entries = [grant(1, 100), use(2, 60, 40), reverse(3, 40), use(4, 0, 1, { returned: 1 })];
  const sums = { ...account, granted: 100, taken: 60, returned: 1, reversed: 40, expired: 0, left: 1 };
  t.deepEqual(check(entries), { entries: 4, accounts: [sums], problems: [] });
});

const reversals: Readonly<Record<string, { readonly entries: readonly LedgerEntry[]; readonly says: RegExp }>> = {
  'a reversal of too much': {
    entries: [grant(1, 9), use(2, 6, 3), reverse(3, 9)],
    says: /9 requests .* but 3 were left/,
  },
  'a reversal of a time that nobody paid for': { entries: [grant(1, 9), reverse(2, 9, { ms: 1 })], says: /takes 1 ms/ },
  'a second reversal': {
    entries: [grant(1, 9), reverse(2, 9), reverse(3, 0)],
    says: /Entry 3 reverses payment 1 again/,
  },
  'a reversal of nothing': { entries: [reverse(1, 9, { grant: 7 })], says: /payment 7, which does not exist/ },
  'a reversal for somebody else': { entries: [grant(1, 9), reverse(2, 9, { uid: '2' })], says: /of somebody else/ },
};
for (const [title, { entries, says }] of Object.entries(reversals)) {
  test(`checkLedger() finds ${title}`, (t) => {
    t.regex(check(entries).problems.join('\n'), says);
  });
}

for (const [title, { entries, says }] of Object.entries(damages)) {
  test(`checkLedger() finds ${title}`, (t) => {
    t.regex(check(entries).problems.join('\n'), says);
  });
}

test('checkLedger() does not miss numbers of others in the ledger of one user', (t) => {
  t.deepEqual(check([grant(1, 100), use(7, 60, 40)], '2026-06-01', false).problems, []);
});
