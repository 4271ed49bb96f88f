import type { Middleware } from 'koa';
import { BuildError } from '../../builder/index.ts';
import { DataError, type DataErrorCode } from '../../data/data-error.ts';
import { ApiError } from '../api-error.ts';

const STATUS_OF_CODE: Readonly<Record<DataErrorCode, number>> = {
  taken: 409,
  'not-found': 404,
  invalid: 400,
  busy: 503,
  damaged: 500,
  unwritable: 503,
};

/** Turns whatever a handler throws into the answer `{success: false, message}`; what is nobody's mistake is logged whole. */
export function handleErrors(onError: (error: unknown, requestId: string) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new ApiError(404, 'not-found', `Nothing is at "${shorten(ctx.path)}"`);
    } catch (error) {
      const known = toApiError(error);
      if (known.status >= 500) onError(error, String(ctx.state['requestId'] ?? ''));
      ctx.status = known.status;
      ctx.set({ 'Cache-Control': 'no-store', ...known.headers });
      ctx.remove('ETag');
      const message = known.expose ? known.message : 'Internal error; the server log has the details';
      ctx.body = { success: false, message, ...known.extra };
    }
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DataError) {
    return new ApiError(STATUS_OF_CODE[error.code], error.code, error.message, { cause: error, expose: true });
  }
  if (error instanceof BuildError && error.code === 'queue-full') {
    return new ApiError(503, error.code, error.message, {
      cause: error,
      expose: true,
      headers: { 'Retry-After': '60' },
    });
  }
  const { status, expose, message } = error as { status?: unknown; expose?: unknown; message?: unknown };
  // Koa and its middleware mark what a caller may read.
  if (typeof status === 'number' && status >= 400 && status < 500 && expose === true) {
    return new ApiError(status, 'bad-request', String(message), { cause: error });
  }
  return new ApiError(500, 'internal', 'Internal error; the server log has the details', { cause: error });
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
