import type { Tier } from '../records/ledger-entry.ts';

/** What is granted to whom. */
export interface QuotaRules {
  /** Requests a day for each source without a user. */
  readonly anonymousPerDay: number;
  /** Requests a day for each user without a monthly tier. */
  readonly freePerDay: number;
  /** Requests that credits pay for within any 60 seconds. */
  readonly creditsPerMinute: number;
  readonly tiers: Readonly<Record<Tier, { readonly price: number; readonly perDay: number }>>;
}

/** The limits of the contract; prices in currency units. */
export const QUOTA_RULES: QuotaRules = {
  anonymousPerDay: 5,
  freePerDay: 20,
  creditsPerMinute: 120,
  tiers: { 1: { price: 15, perDay: 100 }, 2: { price: 30, perDay: 1000 }, 3: { price: 50, perDay: 10_000 } },
};

/** For billing a month has 30 days, a year 365, and a day 24 hours. */
export const DAY_MS = 86_400_000;
export const MONTH_MS = 30 * DAY_MS;
export const YEAR_MS = 365 * DAY_MS;
/** Width of the window that `creditsPerMinute` holds for. */
export const MINUTE_MS = 60_000;
