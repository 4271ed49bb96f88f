import { readFileSync } from 'node:fs';
import type { Context } from 'koa';
import { packageFile } from '../../lib/package-file.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { createFlashSecrets } from '../../platform/accounts/flash-secrets.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { FieldError } from '../../platform/operations/check-refs.ts';
import { createIdempotencyCache } from '../../platform/operations/idempotency-cache.ts';
import type { Operations } from '../../platform/operations/operations.ts';
import { createProjectDrafts } from '../../platform/operations/project-drafts.ts';
import { findDomainSharedAt } from '../../platform/projects/shared-domains.ts';
import { prepareAnswer, sendPrepared } from '../http/answers.ts';
import { actorOf } from '../http/callers.ts';
import type { FailureShape } from '../http/errors.ts';
import type { Route } from '../http/route.ts';
import {
  type ConsoleAction,
  type ConsoleContext,
  type ConsolePage,
  type ConsolePart,
  type ConsoleRequest,
  type ConsoleServices,
  consoleRoute,
} from './console-page.ts';
import { findVisitor, presentFormError, readCheckedForm, type Visitor } from './forms.ts';
import { allShortUrlPages } from './pages/all-short-urls.ts';
import { auditPages } from './pages/audit.ts';
import { blockPages } from './pages/blocks.ts';
import { buildPages } from './pages/builds.ts';
import { changeProjectPages } from './pages/change-project.ts';
import { grantPages } from './pages/grants.ts';
import { informationPages } from './pages/information.ts';
import { keyPages } from './pages/keys.ts';
import { limitPages } from './pages/limits.ts';
import { loginRoutes } from './pages/login.ts';
import { newProjectPages } from './pages/new-project.ts';
import { projectPages } from './pages/projects.ts';
import { registerRoutes } from './pages/register.ts';
import { shortUrlPages } from './pages/short-urls.ts';
import { userPages } from './pages/users.ts';
import { redirectTo, sendConsolePage } from './send-console-page.ts';

/** Messages for failures that the router finds; a page for operators looks to others like one that does not exist. */
const ROUTER_MESSAGES: ReadonlyMap<string, Phrase> = new Map([
  ['not-found', phrase`Page not found`],
  ['wrong-method', phrase`This URL only receives forms of the console`],
]);

/** Failures of the console are pages. */
export const consoleFailures: FailureShape = {
  covers: (path) => /^\/control(?:\/|$)/.test(path),
  present(ctx, { status, code, message, isOwn }) {
    const text = isOwn ? message : (ROUTER_MESSAGES.get(code) ?? message);
    sendConsolePage(ctx, 'error.njk', { status, message: text });
  },
};

/** Returns all routes of the console; `consoleFailures` belongs to them. */
export function consoleRoutes(services: ConsoleServices): readonly Route[] {
  const context: ConsoleContext = {
    ...services,
    flashSecrets: createFlashSecrets(services.memory),
    idempotency: createIdempotencyCache(services.memory),
    drafts: createProjectDrafts(services.memory),
  };
  const parts: readonly ConsolePart[] = [
    informationPages(context),
    keyPages(context),
    shortUrlPages(context),
    userPages(context),
    grantPages(context),
    allShortUrlPages(context),
    blockPages(context),
    // Before the page of a project: the first route that fits a path answers.
    newProjectPages(context),
    projectPages(context),
    changeProjectPages(context),
    buildPages(context),
    limitPages(context),
    auditPages(),
  ];
  return [
    scriptRoute(),
    ...loginRoutes(context),
    ...registerRoutes(context),
    ...parts.flatMap(({ pages }) => pages.map((page) => createPageRoute(page, context))),
    ...parts.flatMap(({ actions }) => actions.map((action) => createActionRoute(action, context))),
  ];
}

/** Returns the route of the console's script, without which the console works as well. */
function scriptRoute(): Route {
  const answer = prepareAnswer(readFileSync(packageFile('dist/client/console.js'), 'utf8'));
  return consoleRoute('get', '/control/console.js', async (ctx) => {
    ctx.set('X-Content-Type-Options', 'nosniff');
    await sendPrepared(ctx, answer, 'text/javascript; charset=utf-8');
  });
}

function createPageRoute(page: ConsolePage, context: ConsoleContext): Route {
  const { accounts } = context;
  return consoleRoute('get', page.path, async (ctx, params) => {
    checkIsShown(ctx);
    const visitor = await findVisitor(ctx, accounts);
    if (!visitor) return redirectToLogin(ctx, ctx.url);
    checkAccess(page, visitor);
    const operations = operationsOf(ctx, visitor, context);
    const request = { ctx, visitor, operations, params, query: new URLSearchParams(ctx.querystring) };
    ctx.status = 200;
    const frame = { visitor, section: page.section, sharedDomain: findSharedDomain(ctx, visitor, context) };
    sendConsolePage(ctx, page.template, await page.model(request), frame);
  });
}

function createActionRoute({ path, page, run }: ConsoleAction, context: ConsoleContext): Route {
  const { accounts, callers } = context;
  return consoleRoute('post', path, async (ctx, params) => {
    callers.checkOrigin(ctx);
    const visitor = await findVisitor(ctx, accounts);
    if (!visitor) return redirectToLogin(ctx, page.path.includes(':') ? page.section : page.path);
    checkAccess(page, visitor);
    const form = await readCheckedForm(ctx, callers, visitor.formToken);
    const operations = operationsOf(ctx, visitor, context);
    const request: ConsoleRequest = { ctx, visitor, operations, params, query: new URLSearchParams() };
    try {
      const { path: next, flash } = await run({ ...request, form });
      redirectTo(ctx, next, flash);
    } catch (error) {
      const message = presentFormError(ctx, error);
      const model = await page.model({ ...request, form });
      const errorField = error instanceof FieldError ? error.field : '';
      const path = fillPath(page.path, params);
      const sharedDomain = findSharedDomain(ctx, visitor, context);
      const frame = { visitor, section: page.section, sharedDomain, error: message, errorField, path, form };
      sendConsolePage(ctx, page.template, model, frame);
    }
  });
}

/** Returns the domain that the console shares with sites of projects, for those who can change that. */
function findSharedDomain(ctx: Context, { user }: Visitor, { settings }: ConsoleContext): string | undefined {
  return user.isOperator ? findDomainSharedAt(ctx.host, settings.current()) : undefined;
}

function operationsOf(ctx: Context, { user }: Visitor, { operationsFor, callers }: ConsoleContext): Operations {
  return operationsFor(actorOf(ctx, user, callers));
}

/** Returns the path of a page with its parameters. */
function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Throws for a page that is asked for as a picture, a frame or ahead of time: what is shown once must be seen. */
function checkIsShown(ctx: Context): void {
  if (!/^(?:document)?$/i.test(ctx.get('Sec-Fetch-Dest'))) {
    throw new ServiceError('not-a-window', phrase`Pages of the console are shown in a window of their own`);
  }
}

function checkAccess({ isForOperators }: ConsolePage, { user }: Visitor): void {
  if (isForOperators && !user.isOperator) throw new ServiceError('not-found', phrase`Page not found`);
}

function redirectToLogin(ctx: Context, next: string): void {
  redirectTo(ctx, `/control/login?next=${encodeURIComponent(next)}`);
}
