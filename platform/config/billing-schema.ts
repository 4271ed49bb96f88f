import * as z from 'zod';
import { PRICES, type Prices, QUOTA_RULES } from '../quotas/grant.ts';

const whole = (most: number, least = 1) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
};
const tier = z.strictObject({
  price: whole(10_000_000),
  // No less than what users have for nothing.
  per_day: whole(10_000_000, QUOTA_RULES.freePerDay),
});

/** Prices of inclusion queries. Bought queries keep their terms when a price changes. */
export const billingSchema = z
  .strictObject({
    /** Currency units a month and requests a day. */
    tiers: z
      .array(tier)
      .min(1, 'must have a tier')
      .max(10, 'must not have more than 10 tiers')
      .refine(
        (tiers) => tiers.every((one, i) => i === 0 || isDearer(one, tiers[i - 1]!)),
        'must name tiers with rising price and per_day',
      )
      .default(PRICES.tiers.map(({ price, perDay }) => ({ price, per_day: perDay }))),
    fen_per_request: whole(1_000_000).default(PRICES.fenPerRequest),
    credit_days: whole(3650).default(PRICES.creditDays),
    /** How to pay, for those whose quota ends. */
    contact: z.string().trim().max(1000, 'must not have more than 1000 characters').default(PRICES.contact),
  })
  .prefault({});

/** Returns what can be bought. */
export function readPrices({ tiers, fen_per_request, credit_days, contact }: z.infer<typeof billingSchema>): Prices {
  return {
    tiers: tiers.map(({ price, per_day }) => ({ price, perDay: per_day })),
    fenPerRequest: fen_per_request,
    creditDays: credit_days,
    contact,
  };
}

function isDearer(one: z.infer<typeof tier>, other: z.infer<typeof tier>): boolean {
  return one.price > other.price && one.per_day > other.per_day;
}
