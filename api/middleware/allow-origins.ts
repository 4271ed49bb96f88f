import type { ServerResponse } from 'node:http';
import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Fields of an answer that such pages may read, besides those that all may. */
const EXPOSED =
  'ETag,Location,X-Request-Id,Retry-After,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

/** Answers what browsers ask before a page of another origin sends a request; cookies are never sent with such requests. */
export function allowOrigins(): Middleware {
  return cors({
    origin: '*',
    allowMethods: 'GET,HEAD,POST',
    allowHeaders: ['Authorization', 'Content-Type', 'X-Docbuild-Sign'],
    maxAge: 86_400,
  }) as Middleware;
}

/** Lets pages of any origin read an answer. */
export function setOriginHeaders(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}
