import { DataError } from '../../../data/data-error.ts';
import type { LedgerEntry } from '../../../data/records/ledger-entry.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import { findByAccount } from '../../../platform/accounts/users.ts';
import type { GrantInput } from '../../../platform/quotas/grant.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/grants';

/** Payments, for operators: first the user, then the payment, then what it leads to, before anything is booked. */
export function grantPages({ store, idempotency }: ConsoleContext): ConsolePart {
  const common = { isForOperators: true, section: PATH };
  const getUser = async ({ params: { uid = '' } }: ConsoleRequest) => {
    const user = await store.users.find(uid);
    if (!user) throw new DataError('not-found', phrase`User not found`);
    return { uid, account: user.account, isDisabled: user.isDisabled };
  };
  const search: ConsolePage = {
    ...common,
    path: PATH,
    template: 'grants.njk',
    async model({ operations, query }) {
      const asked = query.get('user')?.trim().slice(0, 200) ?? '';
      const found = asked === '' ? undefined : ((await store.users.find(asked)) ?? (await findByAccount(store, asked)));
      const { entries, accounts, problems } = await operations.checkLedger({});
      const left = accounts.reduce((sum, account) => sum + account.left, 0);
      return {
        asked,
        found: found ? { uid: found.uid, account: found.account } : null,
        ledger: { entries, left, problems: problems.slice(0, 20) },
      };
    },
  };
  const one: ConsolePage = {
    ...common,
    path: `${PATH}/:uid`,
    template: 'grant.njk',
    async model(request) {
      const user = await getUser(request);
      const plan = await request.operations.getPlan({ uid: user.uid });
      const prices = await request.operations.getPrices({});
      return { user, plan, prices, reversible: listReversible(plan.ledger) };
    },
  };
  const confirmation: ConsolePage = {
    ...common,
    path: `${PATH}/:uid/book/:payment`,
    template: 'grant-book.njk',
    async model(request) {
      const user = await getUser(request);
      const payment = parsePayment(request.params['payment'] ?? '');
      const { newest } = await request.operations.getPlan({ uid: user.uid });
      const preview = await request.operations.previewBooking({ uid: user.uid, payment });
      return { user, payment: request.params['payment'], ...preview, newest, submissionId: idempotency.createId() };
    },
  };
  const reversal: ConsolePage = {
    ...common,
    path: `${PATH}/:uid/reverse/:seq`,
    template: 'grant-reverse.njk',
    async model(request) {
      const user = await getUser(request);
      const seq = parseNumber(request.params['seq'] ?? '', phrase`The number of the payment`);
      const before = await request.operations.getPlan({ uid: user.uid });
      const { entry, plan } = await request.operations.previewBooking({ uid: user.uid, reverse: seq });
      const { newest, ledger } = before;
      const payment = ledger.find((other) => other.seq === seq) ?? null;
      return { user, seq, payment, entry, plan, newest, submissionId: idempotency.createId() };
    },
  };
  /** Books what its page has shown: once, and only if it would still be the same. */
  const book = (
    page: ConsolePage,
    run: (request: Parameters<ConsoleAction['run']>[0], booking: { note: string; newest: number }) => Promise<unknown>,
  ): ConsoleAction => ({
    path: page.path,
    page,
    run(request) {
      const { form, params, visitor } = request;
      const { uid = '' } = params;
      return idempotency.run(`${visitor.tokenHash} ${JSON.stringify(params)}`, form, async () => {
        const newest = parseNumber(form.get('newest') ?? '', phrase`The number of the newest booking`);
        await run(request, { note: form.get('note') ?? '', newest });
        return { path: `${PATH}/${uid}`, flash: page === reversal ? 'reversed' : 'granted' };
      });
    },
  });
  return {
    pages: [search, one, confirmation, reversal],
    actions: [
      {
        path: `${PATH}/:uid`,
        page: one,
        async run({ operations, params: { uid = '' }, form }) {
          const payment = readPayment(form);
          await operations.previewBooking({ uid, payment });
          return { path: `${PATH}/${uid}/book/${formatPayment(payment)}` };
        },
      },
      book(confirmation, ({ operations, params: { uid = '', payment = '' }, form }, booking) =>
        operations.grantPlan({ uid, payment: parsePayment(payment), terms: form.get('terms') ?? '', ...booking }),
      ),
      book(reversal, ({ operations, params: { uid = '', seq = '' } }, booking) =>
        operations.reversePayment({ uid, seq: Number(seq), ...booking }),
      ),
    ],
  };
}

/** Returns the numbers of payments that no entry takes back. */
function listReversible(ledger: readonly LedgerEntry[]): readonly number[] {
  const reversed = new Set(ledger.flatMap((entry) => (entry.kind === 'reversal' ? [entry.grant] : [])));
  const payments = ledger.filter(({ kind }) => kind === 'credits' || kind === 'monthly');
  return payments.map(({ seq }) => seq).filter((seq) => !reversed.has(seq));
}

function readPayment(form: ConsoleForm): GrantInput {
  const read = (name: string, what: Phrase): number => parseNumber(form.get(name)?.trim() ?? '', what);
  if (form.get('kind') === 'credits') return { fen: read('fen', phrase`The amount in fen`) };
  return { monthly: read('monthly', phrase`The tier`), months: read('months', phrase`The number of months`) };
}

/** Returns a payment as a part of a path: `300` fen, or `15x2` for two months at 15. */
function formatPayment(payment: GrantInput): string {
  return 'fen' in payment ? String(payment.fen) : `${payment.monthly}x${payment.months}`;
}

function parsePayment(text: string): GrantInput {
  const [, monthly, months] = /^(\d{1,12})x(\d{1,12})$/.exec(text) ?? [];
  if (monthly !== undefined) return { monthly: Number(monthly), months: Number(months) };
  return { fen: parseNumber(text, phrase`The amount in fen`) };
}

function parseNumber(text: string, what: Phrase): number {
  if (!/^\d{1,12}$/.test(text)) throw new DataError('invalid', phrase`${what} must be a whole number`);
  return Number(text);
}
