import type { Context } from 'koa';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { checkNotBlocked } from '../../http/blocked-callers.ts';
import { setSessionCookie } from '../../http/callers.ts';
import type { Route } from '../../http/route.ts';
import { type ConsoleContext, consoleRoute, HOME } from '../console-page.ts';
import { type ConsoleForm, findFormCookie, openFormCookie, presentFormError, readCheckedForm } from '../forms.ts';
import { redirectTo, sendConsolePage } from '../send-console-page.ts';

const PATH = '/control/register';

/** Returns the routes of the registration, which do not exist where the operator does not permit it. */
export function registerRoutes(context: ConsoleContext): readonly Route[] {
  const { callers, registration, settings } = context;
  const checkOn = (): void => {
    if (!settings.current().auth.registration) throw new ServiceError('not-found', phrase`Page not found`);
  };
  const show = (ctx: Context, problem?: { error: string | Phrase; form: ConsoleForm }): void =>
    sendConsolePage(ctx, 'register.njk', {}, { formToken: openFormCookie(ctx), path: PATH, ...problem });
  return [
    consoleRoute('get', PATH, async (ctx) => {
      checkOn();
      ctx.status = 200;
      show(ctx);
    }),
    consoleRoute('post', PATH, async (ctx) => {
      checkOn();
      callers.checkOrigin(ctx);
      let form: ConsoleForm = new Map();
      try {
        form = await readCheckedForm(ctx, callers, findFormCookie(ctx));
        await checkNotBlocked(ctx, context);
        const input = { account: form.get('account') ?? '', password: form.get('password') ?? '' };
        setSessionCookie(ctx, await registration.register(ctx, input));
        redirectTo(ctx, HOME, 'registered');
      } catch (error) {
        const message = presentFormError(ctx, error);
        show(ctx, { error: message, form });
      }
    }),
  ];
}
