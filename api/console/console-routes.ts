import type { Context } from 'koa';
import { checkNotBlocked } from '../http/blocked-callers.ts';
import { ApiError } from '../http/errors.ts';
import type { Route } from '../http/route.ts';
import { createOperations } from '../operations.ts';
import type { Platform } from '../platform.ts';
import { createServiceHosts } from '../short-urls/service-hosts.ts';
import type { ConsoleContext } from './console-context.ts';
import type { ConsoleAction, ConsolePage, ConsolePart, ConsoleRequest } from './console-page.ts';
import { consoleRoute } from './define-route.ts';
import { createOnce } from './once.ts';
import { createOneTimeNotes } from './one-time-notes.ts';
import { blockPages } from './pages/blocks.ts';
import { buildPages } from './pages/builds.ts';
import { grantPages } from './pages/grants.ts';
import { informationPages } from './pages/information.ts';
import { keyPages } from './pages/keys.ts';
import { loginRoutes } from './pages/login.ts';
import { projectPages } from './pages/projects.ts';
import { registerRoutes } from './pages/register.ts';
import { scriptRoute } from './pages/script.ts';
import { shortUrlPages } from './pages/short-urls.ts';
import { userPages } from './pages/users.ts';
import { presentProblem } from './present-problem.ts';
import { readCheckedForm } from './read-checked-form.ts';
import { redirectTo, sendConsolePage } from './send-console-page.ts';
import { findVisitor, type Visitor } from './visitor.ts';

/** Every route of the console; `consoleFailures` belongs to them. */
export function consoleRoutes(platform: Platform): readonly Route[] {
  const context: ConsoleContext = {
    ...platform,
    operations: createOperations(platform),
    hosts: createServiceHosts(platform),
    notes: createOneTimeNotes(() => platform.now().getTime()),
    once: createOnce(),
  };
  const parts: readonly ConsolePart[] = [
    informationPages(context),
    keyPages(context),
    shortUrlPages(context),
    userPages(context),
    grantPages(context),
    blockPages(context),
    projectPages(context),
    buildPages(context),
  ];
  return [
    scriptRoute(),
    ...loginRoutes(context),
    ...registerRoutes(context),
    ...parts.flatMap(({ pages }) => pages.map((page) => createPageRoute(page, context))),
    ...parts.flatMap(({ actions }) => actions.map((action) => createActionRoute(action, context))),
  ];
}

function createPageRoute(page: ConsolePage, { accounts }: ConsoleContext): Route {
  return consoleRoute('get', page.path, async (ctx, params) => {
    const visitor = await findVisitor(ctx, accounts);
    if (!visitor) return redirectToLogin(ctx, ctx.url);
    checkAccess(page, visitor);
    const request = { ctx, visitor, params, query: new URLSearchParams(ctx.querystring) };
    ctx.status = 200;
    sendConsolePage(ctx, page.template, await page.model(request), { visitor, section: page.section });
  });
}

function createActionRoute({ path, page, run, isRefusedToBlocked }: ConsoleAction, context: ConsoleContext): Route {
  const { accounts, callers } = context;
  return consoleRoute('post', path, async (ctx, params) => {
    callers.checkOrigin(ctx);
    const visitor = await findVisitor(ctx, accounts);
    if (!visitor) return redirectToLogin(ctx, page.path.includes(':') ? page.section : page.path);
    checkAccess(page, visitor);
    const form = await readCheckedForm(ctx, callers, visitor.formToken);
    const request: ConsoleRequest = { ctx, visitor, params, query: new URLSearchParams() };
    try {
      if (isRefusedToBlocked) await checkNotBlocked(ctx, context);
      const { path: to, said } = await run({ ...request, form });
      redirectTo(ctx, said === undefined ? to : `${to}${to.includes('?') ? '&' : '?'}said=${said}`);
    } catch (error) {
      const message = presentProblem(ctx, error);
      const model = await page.model(request);
      sendConsolePage(ctx, page.template, model, { visitor, section: page.section, error: message, form });
    }
  });
}

/** Pages for operators are not there for others. */
function checkAccess({ isForOperators }: ConsolePage, { user }: Visitor): void {
  if (isForOperators && !user.isOperator) throw new ApiError(404, 'not-found', 'Page not found');
}

function redirectToLogin(ctx: Context, next: string): void {
  redirectTo(ctx, `/control/login?next=${encodeURIComponent(next)}`);
}
