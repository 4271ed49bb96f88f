import type { LedgerEntry } from '../../data/records/ledger-entry.ts';
import type { QuotaBalance, QuotaRules } from '../../data/records/quota.ts';
import { schedulePeriods } from '../../data/records/tier-periods.ts';
import type { CalendarDay } from './calendar.ts';

/** A user's payments and use, as JSON; times are ISO 8601, UTC. */
export interface Plan {
  readonly uid: string;
  readonly module: string;
  /** The tier that runs now; null = free. */
  readonly tier: PlanPeriod | null;
  /** The periods afterwards, in order. */
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
  /** Number of the newest payment or reversal, 0 = none; see `ExpectedLedger`. */
  readonly newest: number;
  /** The newest payments and reversals with the newest uses, newest first: uses push no payment out. */
  readonly ledger: readonly LedgerEntry[];
}

/** A span in which a tier runs. */
export interface PlanPeriod {
  readonly tier: number;
  /** Currency units a month. */
  readonly price: number;
  readonly perDay: number;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Most entries of a plan's ledger. */
const MAX_PAYMENTS = 500;
const MAX_USES = 50;

/** The records that a plan follows from, at one moment. */
export interface QuotaAccount {
  /** Of the user and the module, in the order of booking. */
  readonly entries: readonly LedgerEntry[];
  readonly balance: QuotaBalance;
  readonly day: CalendarDay;
  readonly nowMs: number;
  readonly rules: QuotaRules;
}

/** Returns the account after the booking of one more payment or reversal. */
export function addEntry(account: QuotaAccount, entry: LedgerEntry): QuotaAccount {
  const { entries, balance } = account;
  const bought = entry.kind === 'credits' ? [{ grant: entry, left: entry.count }] : [];
  const credits = [...balance.credits, ...bought]
    .filter(({ grant }) => entry.kind !== 'reversal' || grant.seq !== entry.grant)
    .sort((a, b) => Date.parse(a.grant.expiresAt) - Date.parse(b.grant.expiresAt));
  return { ...account, entries: [...entries, entry], balance: { ...balance, credits } };
}

/** Returns the plan of a user from their account of one module. */
export function presentPlan({ uid, module }: Pick<Plan, 'uid' | 'module'>, account: QuotaAccount): Plan {
  const { entries, balance, day, nowMs, rules } = account;
  const { usedToday, credits } = balance;
  const periods: readonly PlanPeriod[] = schedulePeriods(
    entries.filter((entry) => entry.kind === 'monthly' || entry.kind === 'reversal'),
  )
    .filter(({ endMs }) => endMs > nowMs)
    .map(({ startMs, endMs, ...terms }) => ({ ...terms, startsAt: toIso(startMs), endsAt: toIso(endMs) }));
  const [first] = periods;
  const tier = first && Date.parse(first.startsAt) <= nowMs ? first : null;
  const limit = Math.max(tier?.perDay ?? 0, rules.freePerDay);
  return {
    uid,
    module,
    tier,
    coming: tier ? periods.slice(1) : periods,
    today: {
      day: day.name,
      endsAt: toIso(day.endMs),
      limit,
      used: usedToday,
      remaining: Math.max(0, limit - usedToday),
    },
    credits: {
      left: credits.reduce((sum, { left }) => sum + left, 0),
      payments: credits.map(({ grant: { seq, count, expiresAt }, left }) => ({ seq, count, left, expiresAt })),
    },
    newest: entries.findLast(({ kind }) => kind !== 'use')?.seq ?? 0,
    ledger: listNewest(entries),
  };
}

function listNewest(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const payments = entries.filter(({ kind }) => kind !== 'use').slice(-MAX_PAYMENTS);
  const uses = entries.filter(({ kind }) => kind === 'use').slice(-MAX_USES);
  return [...payments, ...uses].sort((a, b) => b.seq - a.seq);
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
