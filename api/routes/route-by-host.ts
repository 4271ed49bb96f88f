import type { Middleware } from 'koa';
import { AREAS, type Areas, areasOf } from '../http/areas.ts';
import type { Area, Route } from '../http/route.ts';
import { createRouter } from '../http/router.ts';

/** Gives a middleware for routes where each answers at the hosts of its area alone: elsewhere it is as if it were not there. */
export function routeByHost(routes: readonly Route[], areas: Areas): Middleware {
  const routers = new Map<string, Middleware>();
  const find = (here: ReadonlySet<Area>): Middleware => {
    const key = AREAS.filter((area) => here.has(area)).join();
    const known = routers.get(key);
    if (known) return known;
    // Four areas: sixteen routers at the most.
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
