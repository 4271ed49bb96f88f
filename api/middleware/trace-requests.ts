import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** What is known of a request once it is answered. */
export interface TracedRequest {
  readonly id: string;
  readonly method: string;
  /** Path without query: queries may hold tokens. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | undefined;
}

/** Gives every request an id (`X-Request-Id`, the caller's where it is sensible) and tells of it when it is answered. */
export function traceRequests(onAnswered: (request: TracedRequest) => void): Middleware {
  return async (ctx, next) => {
    const given = ctx.req.headers['x-request-id'];
    const id = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = id;
    ctx.res.setHeader('X-Request-Id', id);
    const startMs = performance.now();
    try {
      await next();
    } finally {
      const { method, path } = ctx;
      onAnswered({ id, method, path, status: ctx.status, ms: performance.now() - startMs, bytes: ctx.length });
    }
  };
}
