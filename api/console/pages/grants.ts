import { DataError } from '../../../data/data-error.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import { findByAccount } from '../../../platform/accounts/users.ts';
import type { GrantInput } from '../../../platform/quotas/grant.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/grants';

/** Payments, for operators: first the user, then the payment, so that the account is visible before anything is booked. */
export function grantPages({ store, idempotency }: ConsoleContext): ConsolePart {
  const common = { isForOperators: true, section: PATH };
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
    async model({ operations, params: { uid = '' } }) {
      const user = await store.users.find(uid);
      if (!user) throw new DataError('not-found', phrase`User not found`);
      return {
        user: { uid, account: user.account, isDisabled: user.isDisabled },
        plan: await operations.getPlan({ uid }),
        prices: await operations.getPrices({}),
        submissionId: idempotency.createId(),
      };
    },
  };
  return {
    pages: [search, one],
    actions: [
      {
        path: `${PATH}/:uid`,
        page: one,
        run: ({ operations, visitor: { tokenHash }, params: { uid = '' }, form }) =>
          idempotency.run(`${tokenHash} ${uid}`, form, async () => {
            await operations.grantPlan({ uid, payment: readPayment(form) });
            return { path: `${PATH}/${uid}`, flash: 'granted' };
          }),
      },
    ],
  };
}

function readPayment(form: ConsoleForm): GrantInput {
  if (form.get('kind') === 'credits') return { fen: readNumber(form, 'fen', phrase`The amount in fen`) };
  return {
    monthly: readNumber(form, 'monthly', phrase`The tier`),
    months: readNumber(form, 'months', phrase`The number of months`),
  };
}

function readNumber(form: ConsoleForm, name: string, what: Phrase): number {
  const text = form.get(name)?.trim() ?? '';
  if (!/^\d{1,12}$/.test(text)) throw new DataError('invalid', phrase`${what} must be a whole number`);
  return Number(text);
}
