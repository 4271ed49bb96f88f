import type { LedgerEntry, Tier } from '../../data/records/ledger-entry.ts';
import { type QuotaBalance, type QuotaRules, schedulePeriods } from '../../data/records/quota.ts';
import type { CalendarDay } from './calendar.ts';

/** What a user has paid for and used, as JSON; times are ISO 8601, UTC. */
export interface Plan {
  readonly uid: string;
  readonly module: string;
  /** The tier that runs now; null = free. */
  readonly tier: PlanPeriod | null;
  /** What runs afterwards, in order. */
  readonly coming: readonly PlanPeriod[];
  readonly today: {
    /** Day in the configured time zone, and when the next one begins. */
    readonly day: string;
    readonly endsAt: string;
    readonly limit: number;
    readonly used: number;
    readonly remaining: number;
  };
  readonly credits: {
    /** Requests that may still be used. */
    readonly left: number;
    /** Payments of which something is left, those that expire first to begin with. */
    readonly payments: readonly {
      readonly seq: number;
      readonly count: number;
      readonly left: number;
      readonly expiresAt: string;
    }[];
  };
  /** The newest entries of the ledger, newest first. */
  readonly ledger: readonly LedgerEntry[];
}

/** A span in which a tier runs. */
export interface PlanPeriod {
  readonly tier: Tier;
  /** Currency units a month. */
  readonly price: number;
  readonly perDay: number;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Longest list of a plan's ledger entries. */
const MAX_ENTRIES = 50;

/** Returns the plan of a user from their ledger entries, all of one module, and their balance. */
export function presentPlan(
  { uid, module }: Pick<Plan, 'uid' | 'module'>,
  context: {
    readonly entries: readonly LedgerEntry[];
    readonly balance: QuotaBalance;
    readonly day: CalendarDay;
    readonly nowMs: number;
    readonly rules: QuotaRules;
  },
): Plan {
  const { entries, balance, day, nowMs, rules } = context;
  const { perDay, usedToday, credits } = balance;
  const periods: readonly PlanPeriod[] = schedulePeriods(entries.filter((entry) => entry.kind === 'monthly'))
    .filter(({ endMs }) => endMs > nowMs)
    .map(({ tier, startMs, endMs }) => ({
      tier,
      ...rules.tiers[tier],
      startsAt: toIso(startMs),
      endsAt: toIso(endMs),
    }));
  const isRunning = typeof balance.plan === 'number';
  return {
    uid,
    module,
    tier: (isRunning ? periods[0] : undefined) ?? null,
    coming: isRunning ? periods.slice(1) : periods,
    today: {
      day: day.name,
      endsAt: toIso(day.endMs),
      limit: perDay,
      used: usedToday,
      remaining: Math.max(0, perDay - usedToday),
    },
    credits: {
      left: credits.reduce((sum, { left }) => sum + left, 0),
      payments: credits.map(({ grant: { seq, count, expiresAt }, left }) => ({ seq, count, left, expiresAt })),
    },
    ledger: entries.slice(-MAX_ENTRIES).reverse(),
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
