import type { Context } from 'koa';
import { clearSessionCookie, setSessionCookie } from '../../http/callers.ts';
import type { Route } from '../../http/route.ts';
import type { ConsoleContext } from '../console-context.ts';
import { consoleRoute } from '../define-route.ts';
import { findFormCookie, openFormCookie } from '../form-cookie.ts';
import { HOME, parseNext } from '../parse-next.ts';
import { presentProblem } from '../present-problem.ts';
import { type ConsoleForm, readCheckedForm } from '../read-checked-form.ts';
import { redirectTo, sendConsolePage } from '../send-console-page.ts';
import { findVisitor } from '../visitor.ts';

const PATH = '/control/login';

/** The login, and the end of it. */
export function loginRoutes(context: ConsoleContext): readonly Route[] {
  const { accounts, callers, login, settings } = context;
  const show = async (ctx: Context, next: string, problem?: { error: string; form: ConsoleForm }): Promise<void> => {
    const [anybody] = await accounts.store.users.list({ limit: 1 });
    const model = { next, hasUsers: anybody !== undefined, hasRegistration: settings.current().auth.registration };
    sendConsolePage(ctx, 'login.njk', model, { formToken: openFormCookie(ctx, callers), ...problem });
  };
  return [
    consoleRoute('get', PATH, async (ctx) => {
      const next = parseNext(new URLSearchParams(ctx.querystring).get('next'));
      if (await findVisitor(ctx, accounts)) return redirectTo(ctx, next);
      ctx.status = 200;
      await show(ctx, next);
    }),
    consoleRoute('post', PATH, async (ctx) => {
      callers.checkOrigin(ctx);
      let form: ConsoleForm = new Map();
      try {
        form = await readCheckedForm(ctx, callers, findFormCookie(ctx));
        const credentials = { account: form.get('account') ?? '', password: form.get('password') ?? '' };
        const { token, session } = await login(ctx, credentials);
        setSessionCookie(ctx, { token, session, isSecure: callers.isSecure(ctx) });
        redirectTo(ctx, parseNext(form.get('next')));
      } catch (error) {
        const message = presentProblem(ctx, error);
        await show(ctx, parseNext(form.get('next')), { error: message, form });
      }
    }),
    consoleRoute('post', '/control/logout', async (ctx) => {
      callers.checkOrigin(ctx);
      const visitor = await findVisitor(ctx, accounts);
      if (visitor) {
        const form = await readCheckedForm(ctx, callers, visitor.formToken);
        const { sessions } = accounts.store;
        if (form.get('all') === '1') await sessions.removeAllOf(visitor.user.uid);
        else await sessions.remove(visitor.tokenHash);
      }
      clearSessionCookie(ctx, callers.isSecure(ctx));
      redirectTo(ctx, `${PATH}?said=logged-out`);
    }),
    consoleRoute('get', '/control/logout', async (ctx) => redirectTo(ctx, HOME)),
  ];
}
