import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { logIn } from '../../../platform/accounts/sessions.ts';
import { setSessionCookie } from '../../http/callers.ts';
import { type ConsoleContext, type ConsolePage, type ConsolePart, HOME } from '../console-page.ts';

/** The visitor's own account: its plan, its usage and the password. */
export function informationPages({ accounts, checkPassword }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: '/control',
    isForOperators: false,
    section: HOME,
    template: 'information.njk',
    model: async ({ operations, visitor: { user } }) => ({
      user: { uid: user.uid, account: user.account, isVerified: user.isVerified, isOperator: user.isOperator },
      createdAt: user.createdAt,
      plan: await operations.getPlan({ uid: user.uid }),
      prices: await operations.getPrices({}),
      sessions: (await accounts.store.sessions.listOf(user.uid)).length,
    }),
  };
  return {
    pages: [page],
    actions: [
      {
        path: '/control/password',
        page,
        async run(request) {
          const { ctx, operations, form } = request;
          const { user } = request.visitor;
          const [password, next] = [form.get('password') ?? '', form.get('new') ?? ''];
          if (next !== form.get('again')) throw new DataError('invalid', phrase`The new passwords do not match`);
          await checkPassword(ctx, { account: user.account, password });
          await operations.changePassword({ uid: user.uid, password: next });
          const outcome = await logIn(accounts, { account: user.account, password: next });
          // Otherwise somebody else has changed it meanwhile, and the next page requires a login.
          if (outcome.kind === 'done') setSessionCookie(ctx, outcome);
          return { path: HOME, flash: 'password-changed' };
        },
      },
    ],
  };
}
