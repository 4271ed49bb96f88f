import type { MonthlyGrant, Reversal, TierTerms } from './ledger-entry.ts';

/** For billing a month has 30 days of 24 hours. */
const MONTH_MS = 30 * 86_400_000;

/** A span of time in which a tier runs; ms since 1970, `endMs` is no part of it. */
export interface Period extends TierTerms {
  readonly tier: number;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Returns when the tiers run that were paid for, in order and without gaps between what overlaps. Each payment is worth its
 * months whatever else is bought: of what is paid the highest tier runs first and the others wait, so that more of the
 * same continues at the end, a higher tier begins at once, and the rest of the lower one runs afterwards. The higher one is
 * that with more requests a day. A reversal takes away what has not run of its payment. Entries are in the order of booking.
 */
export function schedulePeriods(entries: readonly (MonthlyGrant | Reversal)[]): readonly Period[] {
  const merged: Period[] = [];
  for (const { grant: _, ...period } of schedulePayments(entries)) {
    const last = merged.at(-1);
    const isSame = last?.tier === period.tier && last.price === period.price && last.perDay === period.perDay;
    if (isSame && last.endMs === period.startMs) merged[merged.length - 1] = { ...last, endMs: period.endMs };
    else merged.push(period);
  }
  return merged;
}

/** Returns the time of a payment that has not run at a moment. */
export function restOfPayment(
  entries: readonly (MonthlyGrant | Reversal)[],
  { seq, nowMs }: { readonly seq: number; readonly nowMs: number },
): number {
  return schedulePayments(entries)
    .filter(({ grant, endMs }) => grant === seq && endMs > nowMs)
    .reduce((sum, { startMs, endMs }) => sum + endMs - Math.max(startMs, nowMs), 0);
}

/** A period that one payment pays for. */
interface PaidPeriod extends Period {
  readonly grant: number;
}

function schedulePayments(entries: readonly (MonthlyGrant | Reversal)[]): readonly PaidPeriod[] {
  let periods: readonly PaidPeriod[] = [];
  for (const entry of entries) {
    const nowMs = Date.parse(entry.at);
    const past = periods
      .filter(({ startMs }) => startMs < nowMs)
      .map((period) => ({ ...period, endMs: Math.min(period.endMs, nowMs) }));
    const open = periods
      .filter(({ endMs }) => endMs > nowMs)
      .map((period) => ({ ...period, ms: period.endMs - Math.max(period.startMs, nowMs) }));
    const waiting =
      entry.kind === 'reversal'
        ? open.filter(({ grant }) => grant !== entry.grant)
        : [
            ...open,
            {
              grant: entry.seq,
              tier: entry.tier,
              price: entry.price,
              perDay: entry.perDay,
              ms: entry.months * MONTH_MS,
            },
          ];
    waiting.sort((a, b) => b.perDay - a.perDay);
    let endMs = nowMs;
    const coming = waiting.map(({ grant, tier, price, perDay, ms }) => {
      const startMs = endMs;
      endMs += ms;
      return { grant, tier, price, perDay, startMs, endMs };
    });
    periods = [...past, ...coming];
  }
  return periods;
}
