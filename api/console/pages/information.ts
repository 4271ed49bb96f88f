import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { logIn } from '../../../platform/accounts/sessions.ts';
import { setSessionCookie } from '../../http/callers.ts';
import { type ConsoleContext, type ConsolePage, type ConsolePart, HOME } from '../console-page.ts';

/** The visitor's own account: its plan, its usage and the password. */
export function informationPages({ accounts, callers, login }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: '/control',
    isForOperators: false,
    section: HOME,
    template: 'information.njk',
    model: async ({ operations, visitor: { user } }) => ({
      user: { uid: user.uid, account: user.account, isVerified: user.isVerified, isOperator: user.isOperator },
      createdAt: user.createdAt,
      plan: await operations.getPlan({ uid: user.uid }),
      sessions: (await accounts.store.sessions.listOf(user.uid)).length,
    }),
  };
  return {
    pages: [page],
    actions: [
      {
        path: '/control/password',
        page,
        async run({ ctx, operations, visitor: { user }, form }) {
          const [password, next] = [form.get('password') ?? '', form.get('new') ?? ''];
          if (next !== form.get('again')) throw new DataError('invalid', phrase`The new passwords do not match`);
          // Attempts count like logins, so that a session left open does not help to guess the password.
          const { session: proof } = await login(ctx, { account: user.account, password });
          await accounts.store.sessions.remove(proof.tokenHash);
          await operations.changePassword({ uid: user.uid, password: next });
          const outcome = await logIn(accounts, { account: user.account, password: next });
          // Otherwise somebody else has changed it meanwhile, and the next page requires a login.
          if (outcome.kind === 'done') setSessionCookie(ctx, outcome, callers.isSecure(ctx));
          return { path: HOME, flash: 'password-changed' };
        },
      },
    ],
  };
}
