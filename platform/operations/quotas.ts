import { DataError } from '../../data/data-error.ts';
import type { Block } from '../../data/records/block.ts';
import type { ExpectedLedger } from '../../data/records/quota.ts';
import type { Records } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { BlockInput } from '../blocks/parse-block.ts';
import type { GrantInput } from '../quotas/grant.ts';
import { operation } from './operation.ts';

/** Fields of a booking besides its subject. */
type BookingInput = ExpectedLedger & {
  /** Such as a proof of payment; one line of up to 500 characters. */
  readonly note?: string | undefined;
};

/** The one module that is paid for. */
const MODULE = 'inclusion';

/** Operations on payments and blocks. They throw DataError `taken` for what changed meanwhile. */
export const quotaOperations = {
  /** Books a payment and returns the resulting plan. Throws DataError `not-found` for an unknown user. */
  grantPlan: operation(
    async (
      input: { readonly uid: string; readonly payment: GrantInput; readonly terms?: string } & BookingInput,
      { quotas, store, by },
    ) => {
      const { uid, payment, note, newest, terms } = input;
      return quotas.grant(MODULE, await getUid(store, uid), payment, { by, note, newest, terms, store: store.quotas });
    },
    {
      title: phrase`book a payment`,
      describe: ({ uid, payment }) => ({
        target: uid,
        details: 'fen' in payment ? `${payment.fen} fen` : `monthly: ${payment.monthly}, months: ${payment.months}`,
      }),
    },
  ),
  /** Takes back what is left of one payment and returns the resulting plan. */
  reversePayment: operation(
    async (
      { uid, seq, note, newest }: { readonly uid: string; readonly seq: number } & BookingInput,
      { quotas, store, by },
    ) => quotas.reverse(MODULE, await getUid(store, uid), seq, { by, note, newest, store: store.quotas }),
    { title: phrase`reverse a payment`, describe: ({ uid, seq }) => ({ target: uid, details: `payment ${seq}` }) },
  ),
  /** Returns what booking a payment, or the reversal of the one with a number, would lead to. */
  previewBooking: operation(
    async (
      { uid, ...change }: { readonly uid: string } & ({ readonly payment: GrantInput } | { readonly reverse: number }),
      { quotas, store },
    ) => quotas.preview(MODULE, await getUid(store, uid), change),
    'none',
  ),
  /** Returns what can be bought. */
  getPrices: operation(async (_: object, { quotas }) => quotas.prices(), 'none'),
  getPlan: operation(
    async ({ uid }: { readonly uid: string }, { quotas, store }) => quotas.plan(MODULE, await getUid(store, uid)),
    'none',
  ),
  /** Adds up the ledger: all of it, or that of one user. */
  checkLedger: operation((query: { readonly uid?: string }, { quotas }) => quotas.check(query), 'none'),
  /** Returns up to 1,000 blocks after `after`. */
  listBlocks: operation(
    (query: { readonly after?: Pick<Block, 'kind' | 'target'> }, { blocks }) => blocks.list(query),
    'none',
  ),
  addBlock: operation((input: BlockInput, { blocks, store, by }) => blocks.add(input, { by, store: store.blocks }), {
    title: phrase`add a block`,
    describe: ({ kind, target, until = '' }) => ({ target, details: `${kind} ${until}`.trim() }),
  }),
  removeBlock: operation(
    (input: Pick<BlockInput, 'kind' | 'target'>, { blocks, store }) => blocks.remove(input, store.blocks),
    { title: phrase`remove a block`, describe: ({ kind, target }) => ({ target, details: kind }) },
  ),
};

async function getUid(store: Pick<Records, 'users'>, uid: string): Promise<string> {
  const user = await store.users.find(uid);
  if (!user) throw new DataError('not-found', phrase`User "${uid.slice(0, 50)}" does not exist`);
  return user.uid;
}
