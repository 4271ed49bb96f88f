import type { QuotaQuestion, QuotaReceipt, QuotaStanding, QuotaTaking } from '../quotas/quota-standing.ts';
import type { Block } from '../records/block.ts';
import type { CreditGrant, LedgerEntry, MonthlyGrant } from '../records/ledger-entry.ts';

/** A payment that has no number yet. */
export type NewGrant = Omit<CreditGrant, 'seq'> | Omit<MonthlyGrant, 'seq'>;

/** What was used today, and the ledger of what was paid. */
export interface QuotaStore {
  /** Takes one count, if there is one to be had, as `chooseQuota` says; whoever asks at once, each count is taken once. */
  take(question: QuotaQuestion): Promise<QuotaTaking>;
  look(question: QuotaQuestion): Promise<QuotaStanding>;
  /** Gives back what was taken; a count of a past day is gone, whatever it was. */
  giveBack(receipt: QuotaReceipt, nowMs: number): Promise<void>;
  /** Books a payment under the next number. */
  addGrant(grant: NewGrant): Promise<LedgerEntry>;
  /** Gives all entries at one moment, of one user where one is given, in the order of booking. */
  listEntries(query: { readonly uid?: string }): Promise<readonly LedgerEntry[]>;
  /** Removes at most `limit` counters of other days than this; gives how many. */
  pruneUsage(query: { readonly day: string; readonly nowMs: number; readonly limit: number }): Promise<number>;
  /** Merges uses of a payment, by days, that are older; takes out at most `limit` entries and gives how many. */
  mergeUses(query: { readonly beforeMs: number; readonly limit: number }): Promise<number>;
}

export interface BlockStore {
  find(kind: Block['kind'], target: string): Promise<Block | undefined>;
  /** Gives the blocks of sources whose network holds this one, of hosts the one itself or a domain above it. */
  listMatching(kind: Block['kind'], target: string): Promise<readonly Block[]>;
  /** Gives blocks in the order of their targets, hosts first, those behind `after`. */
  list(page: { readonly after?: Pick<Block, 'kind' | 'target'>; readonly limit: number }): Promise<readonly Block[]>;
  /** Adds a block, or changes the one with this target, and gives it as it is now. Throws `invalid` for other targets. */
  put(kind: Block['kind'], target: string, change: (old: Block | undefined) => Block): Promise<Block>;
  /** Removes a block; gives it, or undefined where there was none. */
  remove(kind: Block['kind'], target: string): Promise<Block | undefined>;
  /** Removes blocks that ended before a moment (ISO 8601, UTC), and of those by `limit` all but the newest `keep`. */
  prune(query: { readonly nowIso: string; readonly keep: number }): Promise<void>;
}
