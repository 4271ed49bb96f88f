import { DataError } from '../data-error.ts';
import { MINUTE_MS } from '../quotas/quota-rules.ts';
import type { CreditGrant, CreditUse, LedgerEntry } from '../records/ledger-entry.ts';
import type { NewGrant } from '../store.ts';
import type { Edits } from './edits.ts';
import { findLastUse, type LedgerTable, ledgerKey } from './ledger-table.ts';

/** Adds a payment to the ledger. */
export function bookGrant(edits: Edits, ledger: LedgerTable, grant: NewGrant): LedgerEntry {
  const entry = ledger.parse({ ...grant, seq: nextSeq(ledger) });
  edits.set(ledger, ledger.keyOf(entry), entry);
  return entry;
}

/** Books what was used of a grant: into the entry of this minute where it is the grant's newest, else into a new one. */
export function bookUse(
  edits: Edits,
  ledger: LedgerTable,
  use: { readonly grant: CreditGrant; readonly taken: number; readonly returned: number; readonly nowMs: number },
): void {
  const { grant, taken, returned, nowMs } = use;
  const last = findLastUse(ledger, grant.seq);
  const left = (last?.left ?? grant.count) - taken + returned;
  if (left < 0 || left > grant.count) {
    throw new DataError('invalid', `Payment ${grant.seq} of user "${grant.uid}" would have ${left} requests left`);
  }
  const at = new Date(nowMs).toISOString();
  const isOpen = last?.merged === 1 && minuteOf(Date.parse(last.from)) === minuteOf(nowMs);
  const entry: CreditUse = isOpen
    ? { ...last, at, taken: last.taken + taken, returned: last.returned + returned, left }
    : {
        seq: nextSeq(ledger),
        kind: 'use',
        uid: grant.uid,
        module: grant.module,
        grant: grant.seq,
        from: at,
        at,
        taken,
        returned,
        left,
        merged: 1,
      };
  edits.set(ledger, ledgerKey(entry.seq), ledger.parse(entry));
}

function nextSeq(ledger: LedgerTable): number {
  return (ledger.all.group('').at(-1)?.seq ?? 0) + 1;
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
