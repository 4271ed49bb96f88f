import type { MonthlyGrant, Tier } from '../records/ledger-entry.ts';
import { MONTH_MS } from './quota-rules.ts';

/** A span of time in which a tier runs; ms since 1970, `endMs` is no part of it. */
export interface Period {
  readonly tier: Tier;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Gives when the tiers run that were paid for, in order and without gaps between what overlaps. Each payment is worth its
 * months whatever else is bought: of what is paid the highest tier runs first and the others wait, so that more of the
 * same continues at the end, a higher tier begins at once, and the rest of the lower one runs afterwards.
 */
export function layPeriods(grants: readonly MonthlyGrant[]): readonly Period[] {
  let periods: readonly Period[] = [];
  for (const { at, tier, months } of grants) {
    const nowMs = Date.parse(at);
    const past = periods
      .filter(({ startMs }) => startMs < nowMs)
      .map((period) => ({ ...period, endMs: Math.min(period.endMs, nowMs) }));
    const open = periods
      .filter(({ endMs }) => endMs > nowMs)
      .map((period) => ({ tier: period.tier, ms: period.endMs - Math.max(period.startMs, nowMs) }));
    const waiting = [...open, { tier, ms: months * MONTH_MS }].sort((a, b) => b.tier - a.tier);
    periods = mergeEqual([...past, ...layBehind(waiting, nowMs)]);
  }
  return periods;
}

/** Gives the period that runs at a moment. */
export function findPeriod(periods: readonly Period[], nowMs: number): Period | undefined {
  return periods.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
}

function layBehind(spans: readonly { readonly tier: Tier; readonly ms: number }[], startMs: number): Period[] {
  let endMs = startMs;
  return spans.map(({ tier, ms }) => {
    const begin = endMs;
    endMs += ms;
    return { tier, startMs: begin, endMs };
  });
}

function mergeEqual(periods: readonly Period[]): readonly Period[] {
  const merged: Period[] = [];
  for (const period of periods) {
    const last = merged.at(-1);
    if (last?.tier === period.tier && last.endMs === period.startMs) {
      merged[merged.length - 1] = { ...last, endMs: period.endMs };
    } else merged.push(period);
  }
  return merged;
}
