import { DataError } from '../../data/data-error.ts';
import type { TierTerms } from '../../data/records/ledger-entry.ts';
import type { QuotaRules } from '../../data/records/quota.ts';
import { phrase } from '../../lib/phrase.ts';

/** The limits of the contract. */
export const QUOTA_RULES: QuotaRules = { anonymousPerDay: 5, freePerDay: 20, creditsPerMinute: 120 };

/** Prices of now; bought requests keep their terms. */
export interface Prices {
  /** Monthly tiers, the cheapest first; prices in currency units. */
  readonly tiers: readonly TierTerms[];
  /** Price of a single request. */
  readonly fenPerRequest: number;
  /** How long requests that are paid one by one may be used. */
  readonly creditDays: number;
  /** How to pay, for those whose quota ends; '' = nothing is said. */
  readonly contact: string;
}

/** The prices of the contract. */
export const PRICES: Prices = {
  tiers: [
    { price: 15, perDay: 100 },
    { price: 30, perDay: 1000 },
    { price: 50, perDay: 10_000 },
  ],
  fenPerRequest: 1,
  creditDays: 365,
  contact: '',
};

/** A payment, as the operator books it: a monthly tier by its price, or an amount in fen. */
export type GrantInput = { readonly monthly: number; readonly months: number } | { readonly fen: number };

/** A payment that is valid. */
export type ParsedGrant =
  | ({ readonly kind: 'monthly'; readonly tier: number; readonly months: number } & TierTerms)
  | { readonly kind: 'credits'; readonly fen: number; readonly count: number };

const MAX_MONTHS = 120;
const MAX_FEN = 100_000_000;
const MAX_NOTE = 500;

/** Checks a payment. Throws DataError `invalid`. */
export function parseGrant(input: GrantInput, { tiers, fenPerRequest }: Prices): ParsedGrant {
  if ('fen' in input) {
    const count = Math.floor(input.fen / fenPerRequest);
    if (!isWithin(input.fen, MAX_FEN) || count < 1) {
      const message = phrase`The amount in fen must be a whole number from ${fenPerRequest} to ${MAX_FEN}`;
      throw new DataError('invalid', message);
    }
    return { kind: 'credits', fen: input.fen, count };
  }
  const place = tiers.findIndex(({ price }) => price === input.monthly);
  const terms = tiers[place];
  if (!terms) {
    const prices = tiers.map(({ price }) => price).join(', ');
    const given = String(input.monthly).slice(0, 50);
    throw new DataError('invalid', phrase`There is no monthly tier at ${given}; known: ${prices}`);
  }
  if (!isWithin(input.months, MAX_MONTHS)) {
    throw new DataError('invalid', phrase`The number of months must be a whole number from 1 to ${MAX_MONTHS}`);
  }
  return { kind: 'monthly', tier: place + 1, ...terms, months: input.months };
}

/** Returns the note of a booking; undefined = none. Throws DataError `invalid`. */
export function parseNote(note = ''): string | undefined {
  const text = note.trim();
  if (text.length > MAX_NOTE || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) {
    throw new DataError('invalid', phrase`The note must be one line of at most ${MAX_NOTE} characters`);
  }
  return text || undefined;
}

function isWithin(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
