import type { NewGrant } from '../../data/records/ledger-entry.ts';
import type { QuotaQuestion } from '../../data/records/quota.ts';
import { QUOTA_RULES } from '../../platform/quotas/grant.ts';

/** When the questions are asked. */
export const NOON = Date.parse('2026-05-04T12:00:00.000Z');

/** Returns a user's question at noon of 2026-05-04, but for these values. */
export function createQuestion(values: Partial<QuotaQuestion> = {}): QuotaQuestion {
  return {
    module: 'inclusion',
    subject: { uid: '1000000001' },
    day: '2026-05-04',
    nowMs: NOON,
    rules: QUOTA_RULES,
    ...values,
  };
}

/** Returns a payment for requests, booked at noon. */
export function createCredits(count: number, values: Partial<NewGrant & { readonly kind: 'credits' }> = {}): NewGrant {
  return {
    kind: 'credits',
    uid: '1000000001',
    module: 'inclusion',
    at: '2026-05-04T12:00:00.000Z',
    fen: count,
    count,
    expiresAt: '2027-05-04T12:00:00.000Z',
    by: undefined,
    note: undefined,
    ...values,
  };
}

/** Returns a payment for months of the cheapest tier, booked at noon. */
export function createMonths(months: number, values: Partial<NewGrant & { readonly kind: 'monthly' }> = {}): NewGrant {
  return {
    kind: 'monthly',
    uid: '1000000001',
    module: 'inclusion',
    at: '2026-05-04T12:00:00.000Z',
    tier: 1,
    price: 15,
    perDay: 100,
    months,
    by: undefined,
    note: undefined,
    ...values,
  };
}
