import type { CreditUse } from '../records/ledger-entry.ts';
import type { Edits } from './edits.ts';
import { type LedgerTable, ledgerKey } from './ledger-table.ts';

/**
 * Merges uses of a grant on one day (UTC) that follow each other, all before a moment, into one entry that says the same:
 * sums, what was left behind the last of them, how many there were. Takes out at most `limit` entries and gives how many.
 */
export function mergeUses(
  edits: Edits,
  ledger: LedgerTable,
  { beforeMs, limit }: { readonly beforeMs: number; readonly limit: number },
): number {
  const before = new Date(beforeMs).toISOString();
  const runs: CreditUse[][] = [];
  /** By grant: only neighbours are merged, so that what is left still follows from entry to entry. */
  const open = new Map<number, CreditUse[]>();
  let removable = 0;
  for (const entry of ledger.all.group('')) {
    if (removable >= limit) break;
    if (entry.kind !== 'use') continue;
    const run = open.get(entry.grant);
    if (run && entry.at < before && dayOf(run[0]!) === dayOf(entry)) {
      run.push(entry);
      removable++;
      continue;
    }
    open.delete(entry.grant);
    if (entry.at >= before) continue;
    const fresh = [entry];
    runs.push(fresh);
    open.set(entry.grant, fresh);
  }
  for (const one of runs) if (one.length > 1) merge(edits, ledger, one);
  return removable;
}

function dayOf({ from }: CreditUse): string {
  return from.slice(0, 10);
}

function merge(edits: Edits, ledger: LedgerTable, run: readonly CreditUse[]): void {
  const sum = (field: 'taken' | 'returned' | 'merged'): number => run.reduce((total, one) => total + one[field], 0);
  const last = run.at(-1)!;
  const merged = {
    ...last,
    from: run[0]!.from,
    taken: sum('taken'),
    returned: sum('returned'),
    merged: sum('merged'),
  };
  for (const { seq } of run.slice(0, -1)) edits.set(ledger, ledgerKey(seq), undefined);
  edits.set(ledger, ledgerKey(last.seq), ledger.parse(merged));
}
