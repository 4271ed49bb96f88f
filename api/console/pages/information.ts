import { DataError } from '../../../data/data-error.ts';
import { logIn } from '../../../platform/accounts/log-in.ts';
import { setSessionCookie } from '../../http/callers.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';
import { HOME } from '../parse-next.ts';

/** My information: who one is, what one has paid for and used, and the password. */
export function informationPages({ operations, accounts, callers, login, settings }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: '/control',
    isForOperators: false,
    section: HOME,
    template: 'information.njk',
    model: async ({ visitor: { user } }) => ({
      user: { uid: user.uid, account: user.account, isVerified: user.isVerified, isOperator: user.isOperator },
      createdAt: user.createdAt,
      plan: await operations.getPlan({ uid: user.uid }),
      timezone: settings.current().timezone,
      sessions: (await accounts.store.sessions.listOf(user.uid)).length,
    }),
  };
  return {
    pages: [page],
    actions: [
      {
        path: '/control/password',
        page,
        async run({ ctx, visitor: { user }, form }) {
          const [password, next] = [form.get('password') ?? '', form.get('new') ?? ''];
          if (next !== form.get('again')) throw new DataError('invalid', 'The new passwords are not the same');
          // Attempts are counted with those of the login: a session that was left open is no way to guess the password.
          const { session: proof } = await login(ctx, { account: user.account, password });
          await accounts.store.sessions.remove(proof.tokenHash);
          await operations.changePassword({ uid: user.uid, password: next });
          const outcome = await logIn(accounts, { account: user.account, password: next });
          // Else another has changed it meanwhile, and the next page asks for a login.
          if (outcome.kind === 'done') setSessionCookie(ctx, { ...outcome, isSecure: callers.isSecure(ctx) });
          return { path: HOME, said: 'password-changed' };
        },
      },
    ],
  };
}
