import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Lets pages of any origin read the answers; cookies are never sent with such requests. */
export function allowOrigins(): Middleware {
  return cors({
    origin: '*',
    allowMethods: 'GET,HEAD,POST',
    allowHeaders: ['Authorization', 'Content-Type', 'X-Docbuild-Sign'],
    exposeHeaders: ['ETag', 'Location', 'X-Request-Id'],
    maxAge: 86_400,
  }) as Middleware;
}
