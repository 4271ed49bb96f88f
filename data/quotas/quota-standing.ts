import type { CreditGrant, Tier } from '../records/ledger-entry.ts';
import type { QuotaRules } from './quota-rules.ts';

/** Asks for one count, or where somebody stands. */
export interface QuotaQuestion {
  readonly module: string;
  /** A user, or the network that calls with those it lies in, see `widenSource`. */
  readonly subject: { readonly uid: string } | { readonly networks: readonly string[] };
  /** The calendar's name of the day. */
  readonly day: string;
  readonly nowMs: number;
  readonly rules: QuotaRules;
}

/** Where somebody stands at a moment. */
export interface QuotaStanding {
  /** What the day's quota comes from. */
  readonly plan: 'anonymous' | 'free' | Tier;
  readonly perDay: number;
  readonly usedToday: number;
  /** When credits paid within the last minute; ms since 1970, ascending. */
  readonly recent: readonly number[];
  /** Credits that may be used, those that expire first to begin with. */
  readonly credits: readonly CreditsLeft[];
}

/** What is left of a payment; at least 1. */
export interface CreditsLeft {
  readonly grant: CreditGrant;
  readonly left: number;
}

/** What was taken. */
export interface QuotaReceipt {
  readonly module: string;
  /** See `Usage`. */
  readonly subject: string;
  readonly day: string;
  /** `seq` of the grant that paid; undefined = the day's quota. */
  readonly grant: number | undefined;
}

/** The answer to a question that takes; `standing` is that afterwards. */
export interface QuotaTaking {
  /** undefined = nothing was to be had. */
  readonly receipt: QuotaReceipt | undefined;
  readonly standing: QuotaStanding;
}

/** Tells what pays for the next count: the day's quota first, then credits, if the minute allows; undefined = nothing. */
export function chooseQuota(standing: QuotaStanding, rules: QuotaRules): 'day' | 'credits' | undefined {
  if (standing.usedToday < standing.perDay) return 'day';
  if (standing.credits.length === 0 || standing.recent.length >= rules.creditsPerMinute) return undefined;
  return 'credits';
}
