import { z } from 'zod';
import type { CreditUse, LedgerEntry } from '../records/ledger-entry.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Entries by `ledgerKey`; all groups in the order of booking. */
export interface LedgerTable extends Table<LedgerEntry> {
  /** One group, ''. */
  readonly all: SortedIndex<LedgerEntry>;
  /** Groups are named by uid. */
  readonly byUser: SortedIndex<LedgerEntry>;
  /** Grants; groups are named by `joinKey(module, uid)`. */
  readonly grants: SortedIndex<LedgerEntry>;
  /** Uses; groups are named by `ledgerKey` of the grant. */
  readonly uses: SortedIndex<LedgerEntry>;
}

const count = z.int().min(0);
const entry = {
  seq: z.int().min(1),
  uid: z.string().min(1),
  module: z.string().min(1),
  at: z.iso.datetime(),
};
const schema = z.discriminatedUnion('kind', [
  z.object({ ...entry, kind: z.literal('credits'), fen: count, count, expiresAt: z.iso.datetime() }),
  z.object({ ...entry, kind: z.literal('monthly'), tier: z.literal([1, 2, 3]), months: z.int().min(1) }),
  z.object({
    ...entry,
    kind: z.literal('use'),
    grant: z.int().min(1),
    from: z.iso.datetime(),
    taken: count,
    returned: count,
    left: count,
    merged: z.int().min(1),
  }),
]);

/** Gives the key of an entry, which sorts as its number does. */
export function ledgerKey(seq: number): string {
  return String(seq).padStart(15, '0');
}

/** Creates an empty table of the ledger. */
export function createLedgerTable(): LedgerTable {
  const orderOf = ({ seq }: LedgerEntry): string => ledgerKey(seq);
  const indexes = {
    all: createSortedIndex<LedgerEntry>({ groupOf: () => '', orderOf }),
    byUser: createSortedIndex<LedgerEntry>({ groupOf: ({ uid }) => uid, orderOf }),
    grants: createSortedIndex<LedgerEntry>({
      groupOf: ({ kind, module, uid }) => (kind === 'use' ? undefined : joinKey(module, uid)),
      orderOf,
    }),
    uses: createSortedIndex<LedgerEntry>({
      groupOf: (one) => (one.kind === 'use' ? ledgerKey(one.grant) : undefined),
      orderOf,
    }),
  };
  const table = createTable<LedgerEntry>({
    collection: 'ledger',
    kind: { kind: 'ledger entry', schema },
    keyOf: orderOf,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}

/** Gives the newest use of a grant. */
export function findLastUse(ledger: LedgerTable, grant: number): CreditUse | undefined {
  return ledger.uses.group(ledgerKey(grant)).at(-1) as CreditUse | undefined;
}
