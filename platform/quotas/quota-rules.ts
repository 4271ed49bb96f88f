import type { QuotaRules } from '../../data/records/quota.ts';

/** The limits of the contract; prices in currency units. */
export const QUOTA_RULES: QuotaRules = {
  anonymousPerDay: 5,
  freePerDay: 20,
  creditsPerMinute: 120,
  tiers: { 1: { price: 15, perDay: 100 }, 2: { price: 30, perDay: 1000 }, 3: { price: 50, perDay: 10_000 } },
};

/** For billing a year has 365 days of 24 hours. */
export const DAY_MS = 86_400_000;
export const YEAR_MS = 365 * DAY_MS;
