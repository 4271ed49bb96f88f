import Router from '@koa/router';
import type { Middleware } from 'koa';
import { allowOrigins, setOriginHeaders } from '../middleware/allow-origins.ts';
import { createQueryReader } from '../routes/create-query-reader.ts';
import type { Route } from './route.ts';

/**
 * Gives a middleware for routes; it checks their queries, lets pages of other origins read what they may, answers HEAD for
 * GET, preflights, and 405 and OPTIONS for what is not there.
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
      if (route.isCrossOrigin === false || preflights.has(path)) continue;
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
    if (route.isCrossOrigin !== false) setOriginHeaders(ctx.res);
    return route.handle(ctx, { params, query: readQuery(ctx.querystring) });
  };
}

/** Up to two parts of a path that do not vary: `docbuild/desc`. */
function groupOf(path: string): string {
  const parts = path.split('/', 3).slice(1);
  const varying = parts.findIndex((part) => part.startsWith(':'));
  return (varying === -1 ? parts : parts.slice(0, varying)).join('/').toLowerCase();
}

/** A router looks at all its routes for each request, so it gets those alone that begin as the request does. */
function dispatchGroups(groups: ReadonlyMap<string, Middleware>): Middleware {
  return (ctx, next) => {
    const [, first = '', second = ''] = ctx.path.toLowerCase().split('/', 3);
    const narrow = groups.get(second === '' ? first : `${first}/${second}`);
    const wide = second === '' ? undefined : groups.get(first);
    const toWide = wide ? () => wide(ctx, next) as Promise<void> : next;
    return narrow ? narrow(ctx, toWide) : toWide();
  };
}

function joinRouter(router: Router): Middleware {
  const answer = router.routes() as unknown as Middleware;
  const refuse = router.allowedMethods() as unknown as Middleware;
  return (ctx, next) => answer(ctx, () => refuse(ctx, next) as Promise<void>);
}
