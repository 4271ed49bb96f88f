import type { Context, Middleware } from 'koa';
import { ApiError, toApiError } from '../http/errors.ts';
import { sendConsolePage } from './send-console-page.ts';

/** Answers errors of the console as pages; those that are nobody's mistake go on to the log. */
export function consoleArea(onError: (error: unknown, requestId: string) => void): Middleware {
  const handle: Middleware = async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined && ctx.status >= 400 && ctx.method !== 'OPTIONS') throw describeStatus(ctx.status);
    } catch (error) {
      const known = toApiError(error);
      if (known.status >= 500 && known.code !== 'upstream') onError(error, String(ctx.state['requestId'] ?? ''));
      present(ctx, known);
    }
  };
  return (ctx, next) => (/^\/control(?:\/|$)/i.test(ctx.path) ? handle(ctx, next) : next());
}

function describeStatus(status: number): ApiError {
  if (status === 404) return new ApiError(404, 'not-found', 'There is no such page');
  return new ApiError(status, 'wrong-method', 'This address is for forms of the console alone', { expose: true });
}

function present(ctx: Context, { status, message, expose, headers }: ApiError): void {
  ctx.status = status;
  ctx.set({ ...headers });
  const text = expose ? message : 'Something went wrong; the server log has the details';
  sendConsolePage(ctx, 'error.njk', { status, message: text });
}
