import type { Context } from 'koa';
import type { Phrase } from '../../../lib/phrase.ts';
import { disableKeysOf } from '../../../platform/accounts/api-keys.ts';
import { actorOf, setSessionCookie } from '../../http/callers.ts';
import type { Route } from '../../http/route.ts';
import { removeSessionCookie } from '../../http/session-cookie.ts';
import { type ConsoleContext, consoleRoute, HOME } from '../console-page.ts';
import {
  type ConsoleForm,
  findFormCookie,
  findVisitor,
  openFormCookie,
  presentFormError,
  readCheckedForm,
} from '../forms.ts';
import { redirectTo, sendConsolePage } from '../send-console-page.ts';

const PATH = '/control/login';

/** Returns the routes of login and logout. */
export function loginRoutes(context: ConsoleContext): readonly Route[] {
  const { accounts, audit, callers, login, settings } = context;
  const show = async (
    ctx: Context,
    next: string,
    problem?: { error: string | Phrase; form: ConsoleForm },
  ): Promise<void> => {
    const [anybody] = await accounts.store.users.list({ limit: 1 });
    const model = { next, hasUsers: anybody !== undefined, hasRegistration: settings.current().auth.registration };
    const path = `${PATH}?next=${encodeURIComponent(next)}`;
    sendConsolePage(ctx, 'login.njk', model, { formToken: openFormCookie(ctx), path, ...problem });
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
        setSessionCookie(ctx, await login(ctx, credentials));
        redirectTo(ctx, parseNext(form.get('next')));
      } catch (error) {
        const message = presentFormError(ctx, error);
        await show(ctx, parseNext(form.get('next')), { error: message, form });
      }
    }),
    consoleRoute('post', '/control/logout', async (ctx) => {
      callers.checkOrigin(ctx);
      const visitor = await findVisitor(ctx, accounts);
      if (visitor) {
        const form = await readCheckedForm(ctx, callers, visitor.formToken);
        const { sessions } = accounts.store;
        const { user } = visitor;
        if (form.get('all') === '1') await sessions.removeAllOf(user.uid);
        else await sessions.remove(visitor.tokenHash);
        if (form.get('keys') === '1') {
          const event = { actor: actorOf(ctx, user, callers), action: 'disableKeys', target: user.uid };
          await audit.record(event, (store) => disableKeysOf({ store }, user.uid));
        }
      }
      removeSessionCookie(ctx);
      redirectTo(ctx, PATH, 'logged-out');
    }),
    consoleRoute('get', '/control/logout', async (ctx) => redirectTo(ctx, HOME)),
  ];
}

const ORIGIN = 'http://console.invalid';
const MAX_LENGTH = 2_000;

/** Returns the page to show after the login: always a path of the console with its query. */
function parseNext(text: string | undefined | null): string {
  if (!text || text.length > MAX_LENGTH || !/^\/control\//.test(text) || !URL.canParse(text, ORIGIN)) return HOME;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  const isBelow =
    origin === ORIGIN && pathname.startsWith(HOME) && !/^\/control\/(?:login|logout|register)\b/.test(pathname);
  return isBelow ? pathname + search : HOME;
}
