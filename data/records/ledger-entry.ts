import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Step, tx } from '../transaction.ts';

const count = z.int().min(0);
const entry = {
  /** 1, 2, 3 … over all users, in the order of booking. */
  seq: z.int().min(1),
  uid: z.string().min(1),
  /** Interfaces that are paid together, see `QuotaModule`. */
  module: z.string().min(1),
  /** When it was booked, of a use the last time; ISO 8601, UTC. */
  at: z.iso.datetime(),
};
/** Fields of an operator's booking. */
const booking = {
  ...entry,
  /** Who booked it, as the audit log names them; undefined = not recorded. */
  by: z.string().max(200).optional(),
  /** Such as a proof of payment; undefined = none. */
  note: z.string().max(500).optional(),
};
const creditGrant = z.object({
  ...booking,
  kind: z.literal('credits'),
  fen: count,
  /** Requests bought. */
  count,
  /** When the remaining credits expire; ISO 8601, UTC. */
  expiresAt: z.iso.datetime(),
});
const monthlyGrant = z.object({
  ...booking,
  kind: z.literal('monthly'),
  /** Number of the tier among those that there were, the cheapest is 1. */
  tier: z.int().min(1),
  months: z.int().min(1),
  /** Currency units a month and requests a day that were bought. */
  price: count,
  perDay: count,
});
const reversal = z.object({
  ...booking,
  kind: z.literal('reversal'),
  /** `seq` of the payment that it takes back, as far as nothing was used of it. */
  grant: z.int().min(1),
  /** Requests taken back. */
  requests: count,
  /** Time of a tier taken back. */
  ms: count,
  /** The rest of the payment after it. */
  left: z.literal(0),
});
const creditUse = z.object({
  ...entry,
  kind: z.literal('use'),
  /** `seq` of the grant. */
  grant: z.int().min(1),
  /** The first use; ISO 8601, UTC. */
  from: z.iso.datetime(),
  taken: count,
  /** Given back, as the request failed. */
  returned: count,
  /** The rest of the grant after it. */
  left: count,
  /** How many entries this one stands for. */
  merged: z.int().min(1),
});

/** Price and daily requests of a monthly tier. */
export interface TierTerms {
  readonly price: number;
  readonly perDay: number;
}
/** A payment for single requests. */
export interface CreditGrant extends RecordOf<typeof creditGrant> {}
/** A payment for months of a tier; when they run follows from all payments of the user, see `schedulePeriods`. */
export interface MonthlyGrant extends RecordOf<typeof monthlyGrant> {}
/** Takes back the rest of one payment: what is left of its requests, or the time that has not run yet. */
export interface Reversal extends RecordOf<typeof reversal> {}
/**
 * Use of one `CreditGrant` within one minute, or within a day once it is old. `taken` and `returned` grow while
 * the minute lasts.
 */
export interface CreditUse extends RecordOf<typeof creditUse> {}

/** Payments and their use: entries are added, and never removed. */
export type LedgerEntry = CreditGrant | MonthlyGrant | CreditUse | Reversal;
/** A payment that has no number yet. */
export type NewGrant = Omit<CreditGrant, 'seq'> | Omit<MonthlyGrant, 'seq'>;
/** A reversal that has no number yet. */
export type NewReversal = Omit<Reversal, 'seq'>;

const orderOf = ({ seq }: LedgerEntry): string => keyOf(seq);

export const ledger = defineCollection({
  name: 'ledger',
  singular: 'ledger entry',
  schema: z.discriminatedUnion('kind', [creditGrant, monthlyGrant, creditUse, reversal]),
  keyOf: ({ seq }) => keyOf(seq),
  indexes: {
    all: { groupOf: () => '', orderOf },
    byUser: { groupOf: ({ uid }) => uid, orderOf },
    /** Payments and their reversals by module and user. */
    grants: {
      groupOf: ({ kind, module, uid }) => (kind === 'use' ? undefined : joinKey(module, uid)),
      orderOf,
    },
    /** Uses and reversals by the key of their payment. */
    uses: { groupOf: (one) => ('grant' in one ? keyOf(one.grant) : undefined), orderOf },
  },
});

const MINUTE_MS = 60_000;
/** Entries that are read at once where all are gone through. */
const PAGE = 1_000;

/** Adds a payment or a reversal under the next number. */
export function* bookEntry(grant: NewGrant | NewReversal): Step<LedgerEntry> {
  return yield* tx.put(ledger, ledger.parse({ ...grant, seq: yield* nextSeq() }));
}

/** Returns the reversal of a payment. */
export function* findReversal(seq: number): Step<Reversal | undefined> {
  const entries = yield* tx.list(ledger.indexes.uses, keyOf(seq), { isDescending: true });
  return entries.find((entry) => entry.kind === 'reversal');
}

/** Returns the entry of this number. */
export function* findEntry(seq: number): Step<LedgerEntry | undefined> {
  return yield* tx.get(ledger, keyOf(seq));
}

/** Returns the payment of this number. */
export function* findCredits(seq: number): Step<CreditGrant | undefined> {
  const grant = yield* tx.get(ledger, keyOf(seq));
  return grant?.kind === 'credits' ? grant : undefined;
}

/** Returns the requests that are left of a payment. */
export function* findLeft(grant: CreditGrant): Step<number> {
  return (yield* findLastUse(grant.seq))?.left ?? grant.count;
}

/** Books what was used of a payment: into the entry of this minute where it is the payment's newest, else into a new one. */
export function* bookUse(use: {
  readonly grant: CreditGrant;
  readonly taken: number;
  readonly returned: number;
  readonly nowMs: number;
}): Step<void> {
  const { grant, taken, returned, nowMs } = use;
  const last = yield* findLastUse(grant.seq);
  const left = (last?.left ?? grant.count) - taken + returned;
  if (left < 0 || left > grant.count) {
    throw new DataError('invalid', `Payment ${grant.seq} of user "${grant.uid}" would have ${left} requests left`);
  }
  const at = new Date(nowMs).toISOString();
  const isOpen = last?.kind === 'use' && last.merged === 1 && minuteOf(Date.parse(last.from)) === minuteOf(nowMs);
  const entry: CreditUse = isOpen
    ? { ...last, at, taken: last.taken + taken, returned: last.returned + returned, left }
    : {
        seq: yield* nextSeq(),
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
  yield* tx.put(ledger, ledger.parse(entry));
}

/**
 * Merges uses of a payment on one day (UTC) that follow each other, all before a moment, into one entry that says the
 * same: sums, what was left after the last of them, how many there were. Removes at most `limit` entries and returns how
 * many.
 */
export function* mergeUses({ beforeMs, limit }: { readonly beforeMs: number; readonly limit: number }): Step<number> {
  const before = new Date(beforeMs).toISOString();
  const runs: CreditUse[][] = [];
  /** By payment: only neighbours are merged, so that what is left still follows from entry to entry. */
  const open = new Map<number, CreditUse[]>();
  let removable = 0;
  for (let after: string | undefined; ; ) {
    const page = yield* tx.list(ledger.indexes.all, '', { after, limit: PAGE });
    for (const entry of page) {
      if (removable >= limit) break;
      if (entry.kind === 'reversal') open.delete(entry.grant);
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
    if (page.length < PAGE || removable >= limit) break;
    after = orderOf(page.at(-1)!);
  }
  for (const run of runs) if (run.length > 1) yield* merge(run);
  return removable;
}

function* merge(run: readonly CreditUse[]): Step<void> {
  const sum = (field: 'taken' | 'returned' | 'merged'): number => run.reduce((total, one) => total + one[field], 0);
  const merged = {
    ...run.at(-1)!,
    from: run[0]!.from,
    taken: sum('taken'),
    returned: sum('returned'),
    merged: sum('merged'),
  };
  yield* tx.removeAll(ledger, run.slice(0, -1));
  yield* tx.put(ledger, ledger.parse(merged));
}

/** Returns the newest use of a payment, or its reversal if that is newer. */
function* findLastUse(grant: number): Step<CreditUse | Reversal | undefined> {
  return (yield* tx.last(ledger.indexes.uses, keyOf(grant))) as CreditUse | Reversal | undefined;
}

function* nextSeq(): Step<number> {
  return ((yield* tx.last(ledger.indexes.all, ''))?.seq ?? 0) + 1;
}

/** Returns the key of an entry, which sorts as its number does. */
function keyOf(seq: number): string {
  return String(seq).padStart(15, '0');
}

function dayOf({ from }: CreditUse): string {
  return from.slice(0, 10);
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
