import { DataError } from '../../data/data-error.ts';
import type { Tier } from '../../data/records/ledger-entry.ts';
import type { QuotaRules } from '../../data/records/quota.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';

/** The limits of the contract; prices in currency units. */
export const QUOTA_RULES: QuotaRules = {
  anonymousPerDay: 5,
  freePerDay: 20,
  creditsPerMinute: 120,
  tiers: { 1: { price: 15, perDay: 100 }, 2: { price: 30, perDay: 1000 }, 3: { price: 50, perDay: 10_000 } },
};

/** A payment, as the operator books it: a monthly tier by its price, or an amount in fen. */
export type GrantInput = { readonly monthly: number; readonly months: number } | { readonly fen: number };

/** A payment that is valid. */
export type ParsedGrant =
  | { readonly kind: 'monthly'; readonly tier: Tier; readonly months: number }
  | { readonly kind: 'credits'; readonly fen: number; readonly count: number };

const MAX_MONTHS = 120;
const MAX_FEN = 100_000_000;
/** Price of a request. */
const FEN_PER_REQUEST = 1;
const TIERS = [1, 2, 3] as const;

/** Checks a payment. Throws DataError `invalid`. */
export function parseGrant(input: GrantInput): ParsedGrant {
  if ('fen' in input) {
    checkNumber(input.fen, MAX_FEN, phrase`The amount in fen`);
    return { kind: 'credits', fen: input.fen, count: input.fen / FEN_PER_REQUEST };
  }
  const tier = TIERS.find((one) => QUOTA_RULES.tiers[one].price === input.monthly);
  if (!tier) {
    const prices = TIERS.map((one) => QUOTA_RULES.tiers[one].price).join(', ');
    throw new DataError(
      'invalid',
      phrase`There is no monthly tier at ${String(input.monthly).slice(0, 50)}; known: ${prices}`,
    );
  }
  checkNumber(input.months, MAX_MONTHS, phrase`The number of months`);
  return { kind: 'monthly', tier, months: input.months };
}

function checkNumber(value: unknown, most: number, what: Phrase): void {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most) {
    throw new DataError('invalid', phrase`${what} must be a whole number from 1 to ${most}`);
  }
}
