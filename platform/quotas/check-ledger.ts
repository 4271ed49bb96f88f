import type { CreditGrant, CreditUse, LedgerEntry, MonthlyGrant, Reversal } from '../../data/records/ledger-entry.ts';
import { restOfPayment } from '../../data/records/tier-periods.ts';

/** The credits of a user, in requests: `granted` = `taken` - `returned` + `reversed` + `expired` + `left`. */
export interface LedgerSum {
  readonly uid: string;
  readonly module: string;
  readonly granted: number;
  readonly taken: number;
  readonly returned: number;
  /** Taken back by corrections. */
  readonly reversed: number;
  readonly expired: number;
  /** May still be used. */
  readonly left: number;
}

/** The result of adding the ledger up. */
export interface LedgerReport {
  readonly entries: number;
  readonly accounts: readonly LedgerSum[];
  /** Contradictions in words; empty = none. */
  readonly problems: readonly string[];
}

/**
 * Adds entries up, which must be all of the ledger or all of one user, in the order of booking: that every payment's
 * uses lead from what was bought to what is left without a gap, that what was taken back was left, and, in all of the ledger,
 * that no entry is missing.
 */
export function checkLedger(
  entries: readonly LedgerEntry[],
  { nowMs, isWhole }: { readonly nowMs: number; readonly isWhole: boolean },
): LedgerReport {
  const problems: string[] = [];
  const grants = new Map<number, { readonly grant: CreditGrant; left: number }>();
  const months: (MonthlyGrant | Reversal)[] = [];
  const reversed = new Set<number>();
  const sums = new Map<string, { -readonly [Key in keyof LedgerSum]: LedgerSum[Key] }>();
  const sumOf = ({ uid, module }: LedgerEntry) => {
    const key = `${module} ${uid}`;
    const known = sums.get(key) ?? { uid, module, granted: 0, taken: 0, returned: 0, reversed: 0, expired: 0, left: 0 };
    sums.set(key, known);
    return known;
  };
  let seq = 0;
  let count = 0;
  for (const entry of entries) {
    if (entry.seq <= seq) problems.push(`Entry ${entry.seq} comes after entry ${seq}`);
    seq = entry.seq;
    count += entry.kind === 'use' ? entry.merged : 1;
    if (entry.kind === 'credits') {
      grants.set(entry.seq, { grant: entry, left: entry.count });
      sumOf(entry).granted += entry.count;
    }
    if (entry.kind === 'monthly') months.push(entry);
    if (entry.kind === 'reversal') {
      if (reversed.has(entry.grant)) problems.push(`Entry ${entry.seq} reverses payment ${entry.grant} again`);
      reversed.add(entry.grant);
      const account = grants.get(entry.grant);
      problems.push(...findReversalFaults(entry, { account, months }));
      if (account) account.left = entry.left;
      sumOf(entry).reversed += entry.requests;
      months.push(entry);
    }
    if (entry.kind !== 'use') continue;
    const account = grants.get(entry.grant);
    problems.push(...findFaults(entry, account));
    if (account) account.left = entry.left;
    const sum = sumOf(entry);
    sum.taken += entry.taken;
    sum.returned += entry.returned;
  }
  if (isWhole && count !== seq) problems.push(`The ledger holds ${count} entries, but the last one is number ${seq}`);
  for (const { grant, left } of grants.values()) {
    sumOf(grant)[Date.parse(grant.expiresAt) <= nowMs ? 'expired' : 'left'] += left;
  }
  for (const { uid, granted, taken, returned, reversed, expired, left } of sums.values()) {
    if (granted === taken - returned + reversed + expired + left) continue;
    problems.push(
      `User "${uid}": ${granted} granted, but ${taken} taken, ${returned} returned, ${reversed} reversed, ${expired} expired and ${left} left`,
    );
  }
  return { entries: entries.length, accounts: [...sums.values()], problems };
}

function findFaults(
  { seq, grant: number, uid, module, taken, returned, from, left }: CreditUse,
  account: { readonly grant: CreditGrant; readonly left: number } | undefined,
): readonly string[] {
  if (!account) return [`Entry ${seq} uses payment ${number}, which does not exist before it`];
  const { grant } = account;
  const faults: string[] = [];
  if (grant.uid !== uid || grant.module !== module) faults.push(`Entry ${seq} uses payment ${number} of somebody else`);
  if (account.left - taken + returned !== left) {
    faults.push(`Entry ${seq}: ${account.left} - ${taken} + ${returned} requests are not the ${left} it says are left`);
  }
  if (left < 0 || left > grant.count)
    faults.push(`Entry ${seq}: ${left} are left of the ${grant.count} of payment ${number}`);
  if (taken > 0 && from >= grant.expiresAt) faults.push(`Entry ${seq} uses payment ${number} after its end`);
  return faults;
}

function findReversalFaults(
  { seq, grant: number, uid, module, at, requests, ms }: Reversal,
  known: {
    readonly account: { readonly grant: CreditGrant; readonly left: number } | undefined;
    readonly months: readonly (MonthlyGrant | Reversal)[];
  },
): readonly string[] {
  const own = known.months.filter((one) => one.uid === uid && one.module === module);
  const grant = known.account?.grant ?? own.find((one) => one.kind === 'monthly' && one.seq === number);
  if (!grant) return [`Entry ${seq} reverses payment ${number}, which does not exist before it`];
  if (grant.uid !== uid || grant.module !== module) {
    return [`Entry ${seq} reverses payment ${number} of somebody else`];
  }
  const left = known.account?.left ?? 0;
  if (requests !== left)
    return [`Entry ${seq} takes ${requests} requests of payment ${number} back, but ${left} were left`];
  const rest = known.account ? 0 : restOfPayment(own, { seq: number, nowMs: Date.parse(at) });
  if (ms !== rest) return [`Entry ${seq} takes ${ms} ms of payment ${number} back, but ${rest} were left`];
  return [];
}
