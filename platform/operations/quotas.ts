import { DataError } from '../../data/data-error.ts';
import type { Block } from '../../data/records/block.ts';
import type { ExpectedLedger } from '../../data/records/quota.ts';
import type { Records } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { Blocks } from '../blocks/blocks.ts';
import type { BlockInput } from '../blocks/parse-block.ts';
import type { LedgerReport } from '../quotas/check-ledger.ts';
import type { GrantInput, Prices } from '../quotas/grant.ts';
import type { Plan } from '../quotas/plan.ts';
import type { BookingPreview, Quotas } from '../quotas/quotas.ts';

/** What a booking says besides what is booked. */
interface BookingInput extends ExpectedLedger {
  /** Such as a proof of payment; one line of up to 500 characters. */
  readonly note?: string;
}

/** What an operator can do with payments and blocks. They throw DataError `taken` for what changed meanwhile. */
export interface QuotaOperations {
  /** Books a payment and returns the resulting plan. Throws DataError `not-found` for an unknown user. */
  grantPlan(
    input: { readonly uid: string; readonly payment: GrantInput; readonly terms?: string } & BookingInput,
  ): Promise<Plan>;
  /** Takes back what is left of one payment and returns the resulting plan. */
  reversePayment(input: { readonly uid: string; readonly seq: number } & BookingInput): Promise<Plan>;
  /** Returns what booking a payment, or the reversal of the one with a number, would lead to. */
  previewBooking(
    input: { readonly uid: string } & ({ readonly payment: GrantInput } | { readonly reverse: number }),
  ): Promise<BookingPreview>;
  /** Returns what can be bought. */
  getPrices(input: object): Promise<Prices>;
  getPlan(input: { readonly uid: string }): Promise<Plan>;
  /** Adds up the ledger: all of it, or that of one user. */
  checkLedger(input: { readonly uid?: string }): Promise<LedgerReport>;
  /** Returns up to 1,000 blocks after `after`. */
  listBlocks(input: { readonly after?: Pick<Block, 'kind' | 'target'> }): Promise<readonly Block[]>;
  addBlock(input: BlockInput): Promise<Block>;
  removeBlock(input: Pick<BlockInput, 'kind' | 'target'>): Promise<Block>;
}

/** The one module that is paid for. */
const MODULE = 'inclusion';

/** Creates the operations. */
export function createQuotaOperations(context: {
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  readonly store: Pick<Records, 'users' | 'quotas' | 'blocks'>;
  /** Who books and blocks. */
  readonly by: string;
}): QuotaOperations {
  const { quotas, blocks, store, by } = context;
  const getUid = async (uid: string): Promise<string> => {
    const user = await store.users.find(uid);
    if (!user) throw new DataError('not-found', phrase`User "${uid.slice(0, 50)}" does not exist`);
    return user.uid;
  };
  return {
    grantPlan: async ({ uid, payment, note, newest, terms }) =>
      quotas.grant(MODULE, await getUid(uid), payment, { by, note, newest, terms, store: store.quotas }),
    reversePayment: async ({ uid, seq, note, newest }) =>
      quotas.reverse(MODULE, await getUid(uid), seq, { by, note, newest, store: store.quotas }),
    previewBooking: async ({ uid, ...change }) => quotas.preview(MODULE, await getUid(uid), change),
    getPrices: async () => quotas.prices(),
    getPlan: async ({ uid }) => quotas.plan(MODULE, await getUid(uid)),
    checkLedger: (query) => quotas.check(query),
    listBlocks: (query) => blocks.list(query),
    addBlock: (input) => blocks.add(input, { by, store: store.blocks }),
    removeBlock: (input) => blocks.remove(input, store.blocks),
  };
}
