import type { CreditGrant, CreditUse, LedgerEntry } from '../../data/records/ledger-entry.ts';

/** The credits of a user, in requests: `granted` = `taken` - `returned` + `expired` + `left`. */
export interface LedgerSum {
  readonly uid: string;
  readonly module: string;
  readonly granted: number;
  readonly taken: number;
  readonly returned: number;
  readonly expired: number;
  /** May still be used. */
  readonly left: number;
}

/** The result of adding the ledger up. */
export interface LedgerReport {
  readonly entries: number;
  readonly accounts: readonly LedgerSum[];
  /** What does not add up, in words; empty = all does. */
  readonly problems: readonly string[];
}

/**
 * Adds entries up, which must be all of the ledger or all of one user, in the order of booking: that every payment's
 * uses lead from what was bought to what is left without a gap, and, in all of the ledger, that no entry is missing.
 */
export function checkLedger(
  entries: readonly LedgerEntry[],
  { nowMs, isWhole }: { readonly nowMs: number; readonly isWhole: boolean },
): LedgerReport {
  const problems: string[] = [];
  const grants = new Map<number, { readonly grant: CreditGrant; left: number }>();
  const sums = new Map<string, { -readonly [Key in keyof LedgerSum]: LedgerSum[Key] }>();
  const sumOf = ({ uid, module }: LedgerEntry) => {
    const key = `${module} ${uid}`;
    const known = sums.get(key) ?? { uid, module, granted: 0, taken: 0, returned: 0, expired: 0, left: 0 };
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
  for (const { uid, granted, taken, returned, expired, left } of sums.values()) {
    if (granted === taken - returned + expired + left) continue;
    problems.push(
      `User "${uid}": ${granted} granted, but ${taken} taken, ${returned} returned, ${expired} expired and ${left} left`,
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
