import type { Middleware } from 'koa';
import { ApiError } from '../api-error.ts';

/** Where an address is set for an area of the service, answers its paths on that host alone. */
export function onlyOnHost(origin: string, prefixes: readonly string[]): Middleware {
  if (origin === '') return (_, next) => next();
  const { host } = new URL(origin);
  const isMeant = (path: string): boolean =>
    prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return async (ctx, next) => {
    if (isMeant(ctx.path) && ctx.host.toLowerCase() !== host) {
      throw new ApiError(404, 'not-found', `Nothing is at "${ctx.path.slice(0, 200)}" on this host`);
    }
    await next();
  };
}
