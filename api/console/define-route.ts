import type { Context } from 'koa';
import { defineRoute, type Route } from '../http/route.ts';

/** Returns a route of the console; its parameters are decoded by the router. */
export function consoleRoute(
  method: 'get' | 'post',
  path: string,
  handle: (ctx: Context, params: Readonly<Record<string, string>>) => Promise<void>,
): Route {
  return defineRoute({
    method,
    paths: [path],
    summary: 'A page of the console',
    tag: 'console',
    area: 'auth',
    isCrossOrigin: false,
    answers: { 200: { description: 'A page', media: 'text/html' } },
    handle: (ctx, { params }) => handle(ctx, params),
  });
}
