import type { Context, Middleware } from 'koa';
import { phrase } from '../../lib/phrase.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { ERROR_CODES } from '../../platform/failures/error-codes.ts';
import { INTERNAL, ServiceError, toServiceError } from '../../platform/failures/service-error.ts';
import { languageOf, translate } from './language.ts';

/** A failure as it is to be presented; nothing in it is secret. */
export interface Failure extends Pick<ServiceError, 'status' | 'code' | 'extra'> {
  /** In the language of whoever asked. */
  readonly message: string;
  /** Whether the route's own handler threw it; otherwise the router, the block list or another part found it. */
  readonly isOwn: boolean;
}

/** How a feature presents failures at its paths, whoever finds them. */
export interface FailureShape {
  /** Checks whether a path belongs to the feature; it is in lower case, without slashes at its end, as the router compares paths. */
  readonly covers: (path: string) => boolean;
  /** Sets the body; status and headers are set already and may be replaced. */
  readonly present: (ctx: Context, failure: Failure) => void;
}

const MAX_SHOWN_PATH = 200;

/**
 * Turns whatever a handler throws into an answer: in the shape of the feature at that path, otherwise
 * `{success: false, message}`. `onError` receives what the caller cannot fix.
 */
export function handleErrors(
  onError: (error: unknown, requestId: string) => void,
  shapes: readonly FailureShape[] = [],
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined) checkAnswered(ctx);
    } catch (error) {
      const { status, code, wording, extra, headers, limit } = toServiceError(error);
      if (ERROR_CODES[code].log) onError(error, String(ctx.state['requestId'] ?? ''));
      ctx.status = status;
      ctx.state[FAILURE] = code;
      ctx.set({ 'Cache-Control': 'no-store', ...(headers as Record<string, string | string[]>) });
      ctx.state[LIMIT] = limit;
      ctx.remove('ETag');
      const isOwn = ctx.state[HANDLED] === true;
      const message = translate(code === 'internal' ? INTERNAL : wording, languageOf(ctx));
      const failure = { status, code, message, extra, isOwn };
      const path = trimCharacters(ctx.path.toLowerCase(), '/');
      const shape = shapes.find(({ covers }) => covers(path));
      if (shape) shape.present(ctx, failure);
      else sendFailure(ctx, failure);
    }
  };
}

/** Sets the body of a failure at a path where no feature has a shape of its own. */
export function sendFailure(ctx: Context, { message, extra }: Failure): void {
  ctx.body = { success: false, message, ...extra };
}

/** Key of `ctx.state` under which the router says that a route's handler has begun. */
export const HANDLED = 'isHandled';

/** Key of `ctx.state` for the code of the failure that a request is answered with. */
export const FAILURE = 'failure';

/** Key of `ctx.state` for the limit that refused a request. */
export const LIMIT = 'limit';

/** Throws what the router leaves without an answer. */
function checkAnswered({ status, method, path }: Context): void {
  const shown = path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path;
  if (status === 404) throw new ServiceError('not-found', phrase`Nothing found at "${shown}"`);
  if (status !== 405 && status !== 501) return;
  // `Allow` is set by then.
  throw new ServiceError('wrong-method', phrase`Method ${method} is not allowed for "${shown}"`, { status });
}
