/** What has been paid for and what was used of it: entries are added, and never taken out. */
export type LedgerEntry = CreditGrant | MonthlyGrant | CreditUse;

/** A monthly tier, cheapest first. */
export type Tier = 1 | 2 | 3;

interface Entry {
  /** 1, 2, 3 … over all users, in the order of booking. */
  readonly seq: number;
  readonly uid: string;
  /** Interfaces that are paid together, see `QuotaModule`. */
  readonly module: string;
  /** When it was booked, of a use the last time; ISO 8601, UTC. */
  readonly at: string;
}

/** A payment for single requests. */
export interface CreditGrant extends Entry {
  readonly kind: 'credits';
  readonly fen: number;
  /** Requests bought. */
  readonly count: number;
  /** From this moment on, what is left is void; ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** A payment for months of a tier; when they run follows from all payments of the user, see `layPeriods`. */
export interface MonthlyGrant extends Entry {
  readonly kind: 'monthly';
  readonly tier: Tier;
  readonly months: number;
}

/**
 * What was used of one `CreditGrant` within one minute, or within a day once it is old. `taken` and `returned` grow while
 * the minute lasts.
 */
export interface CreditUse extends Entry {
  readonly kind: 'use';
  /** `seq` of the grant. */
  readonly grant: number;
  /** The first use; ISO 8601, UTC. */
  readonly from: string;
  readonly taken: number;
  /** Given back, as the request failed. */
  readonly returned: number;
  /** What is left of the grant after it. */
  readonly left: number;
  /** How many entries this one stands for. */
  readonly merged: number;
}
