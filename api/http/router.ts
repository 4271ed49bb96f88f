import type { ServerResponse } from 'node:http';
import cors from '@koa/cors';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { IssuePhrase } from '../../lib/issue-phrase.ts';
import { phrase } from '../../lib/phrase.ts';
import { endOfSegment } from '../../lib/url-text.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { AREAS, type Areas, areasOf } from './areas.ts';
import { HANDLED } from './errors.ts';
import type { Area, Route } from './route.ts';

/** Returns a middleware in which each route answers only at the hosts of its area; elsewhere its path does not exist. */
export function routeByHost(routes: readonly Route[], areas: Areas): Middleware {
  const routers = new Map<string, Middleware>();
  const find = (here: ReadonlySet<Area>): Middleware => {
    const key = AREAS.filter((area) => here.has(area)).join();
    const known = routers.get(key);
    if (known) return known;
    // Four areas: at most sixteen routers.
    const router = createRouter(routes.filter((route) => areasOf(route)?.some((area) => here.has(area)) ?? true));
    routers.set(key, router);
    return router;
  };
  const found = new WeakMap<ReadonlySet<Area>, Middleware>();
  return (ctx, next) => {
    const here = areas.find(ctx);
    let router = found.get(here);
    if (!router) {
      router = find(here);
      found.set(here, router);
    }
    return router(ctx, next);
  };
}

/**
 * Returns a middleware for routes. It validates their queries, adds CORS headers where pages of other origins may read the
 * answer, and answers HEAD, preflights, OPTIONS and 405.
 */
export function createRouter(routes: readonly Route[]): Middleware {
  const groups = new Map<string, Router>();
  const preflights = new Set<string>();
  const answerPreflight = allowOrigins();
  for (const route of routes) {
    const handle = createHandler(route);
    for (const path of route.paths) {
      const group = groupOf(path);
      const router = groups.get(group) ?? new Router();
      groups.set(group, router);
      router[route.method](path, handle as never);
      if (route.isCrossOrigin !== true || preflights.has(path)) continue;
      preflights.add(path);
      router.options(path, answerPreflight);
    }
  }
  return dispatchGroups(new Map([...groups].map(([group, router]) => [group, joinRouter(router)])));
}

function createHandler(route: Route): Middleware {
  const readQuery = createQueryReader(route);
  return (ctx, next) => {
    const params = ctx['params'] as Record<string, string>;
    if (route.passesBy?.(params)) return next();
    if (route.isCrossOrigin === true) setOriginHeaders(ctx.res);
    ctx.state[HANDLED] = true;
    return route.handle(ctx, { params, query: readQuery(ctx.querystring) });
  };
}

/** Returns up to two leading parts of a path that do not vary: `docbuild/desc`. */
function groupOf(path: string): string {
  const parts = path.split('/', 3).slice(1);
  const varying = parts.findIndex((part) => part.startsWith(':'));
  return (varying === -1 ? parts : parts.slice(0, varying)).join('/').toLowerCase();
}

/** A router tries all its routes for each request, so each router holds only those with the same leading parts. */
function dispatchGroups(groups: ReadonlyMap<string, Middleware>): Middleware {
  return (ctx, next) => {
    const path = ctx.path.toLowerCase();
    const firstEnd = endOfSegment(path, 1);
    const secondEnd = endOfSegment(path, firstEnd + 1);
    const narrow = secondEnd > firstEnd + 1 ? groups.get(path.slice(1, secondEnd)) : undefined;
    const wide = groups.get(path.slice(1, firstEnd));
    const toWide = wide ? () => wide(ctx, next) as Promise<void> : next;
    return narrow ? narrow(ctx, toWide) : toWide();
  };
}

function joinRouter(router: Router): Middleware {
  const answer = router.routes() as unknown as Middleware;
  const refuse = router.allowedMethods() as unknown as Middleware;
  return (ctx, next) => answer(ctx, () => refuse(ctx, next) as Promise<void>);
}

/** Longest query string in characters. */
const MAX_QUERY = 8_000;

/** Creates a function that validates the query of a route. It throws ServiceError 414, or 400 naming the parameter. */
function createQueryReader({
  query,
  isLenient = false,
  readsQuery = false,
}: Route): (text: string) => Record<string, unknown> {
  if (!query || readsQuery) return () => ({});
  // Most requests have none.
  const empty = query.safeParse({});
  return (asked) => {
    const text = isLenient ? asked.slice(0, MAX_QUERY) : asked;
    if (text === '' && empty.success) return empty.data;
    if (text.length > MAX_QUERY)
      throw new ServiceError('too-long', phrase`The query has more than ${MAX_QUERY} characters`);
    const values = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) {
      if (!Object.hasOwn(query.shape, name)) continue;
      if (values.has(name) && isLenient) continue;
      if (values.has(name)) throw new ServiceError('bad-request', phrase`Parameter "${name}" is given more than once`);
      values.set(name, value);
    }
    const result = query.safeParse(Object.fromEntries(values));
    if (result.success) return result.data;
    const issue = result.error.issues[0]!;
    throw new ServiceError('bad-request', phrase`Parameter "${issue.path.join('.')}": ${new IssuePhrase(issue)}`);
  };
}

/** Headers of an answer that pages of other origins may read besides the default ones. */
const EXPOSED =
  'ETag,Location,X-Request-Id,Retry-After,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

/** Returns a middleware that answers preflights; cookies are never sent with such requests. */
function allowOrigins(): Middleware {
  return cors({
    origin: '*',
    allowMethods: 'GET,HEAD',
    allowHeaders: ['Authorization', 'Content-Type'],
    maxAge: 86_400,
  }) as Middleware;
}

/** Allows pages of any origin to read an answer. */
export function setOriginHeaders(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}
