import type { Context, Middleware } from 'koa';
import { DataError, type DataErrorCode } from '../../data/data-error.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { QueueFullError } from '../../platform/builds/build-queue.ts';
import { WebhookError } from '../../platform/code-hosts/code-host.ts';
import { languageOf, translate } from './language.ts';

/** Code of a 429 that is over as soon as earlier requests of the same caller are answered; such refusals lead to no block. */
export const TOO_MANY_AT_ONCE = 'too-many-waiting';

/** A failure that is answered with its HTTP status and message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The message for whoever asked; `message` is the English one. */
  readonly wording: string | Phrase;
  /** What went wrong, in one word that programs may rely on. */
  readonly code: string;
  /** Whether the message is fit for the caller; by default that of a status below 500 is. */
  readonly expose: boolean;
  /** What the answer holds besides `success` and `message`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The limit that refused the call, see `LIMIT_TABLE`; undefined = none, or one that has no name. */
  readonly limit: string | undefined;

  constructor(
    status: number,
    code: string,
    wording: string | Phrase,
    options: ErrorOptions & Partial<Pick<ApiError, 'expose' | 'extra' | 'headers' | 'limit'>> = {},
  ) {
    super(String(wording), options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.wording = wording;
    this.code = code;
    this.expose = options.expose ?? status < 500;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.limit = options.limit;
  }
}

/** A failure as it is to be presented; nothing in it is secret. */
export interface Failure extends Pick<ApiError, 'status' | 'code' | 'extra'> {
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

const STATUS_OF_CODE: Readonly<Record<DataErrorCode, number>> = {
  taken: 409,
  'not-found': 404,
  invalid: 400,
  refused: 409,
  busy: 503,
  damaged: 500,
  unwritable: 503,
};
const INTERNAL = phrase`Internal error; the server log has the details`;
/** Clients of other services report their failures themselves. */
const UPSTREAM = 'upstream';
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
      const { status, code, wording, expose, extra, headers, limit } = toApiError(error);
      if (status >= 500 && status !== 501 && code !== UPSTREAM) onError(error, String(ctx.state['requestId'] ?? ''));
      ctx.status = status;
      ctx.state[FAILURE] = code;
      ctx.set({ 'Cache-Control': 'no-store', ...(headers as Record<string, string | string[]>) });
      ctx.state[LIMIT] = limit;
      ctx.remove('ETag');
      const isOwn = ctx.state[HANDLED] === true;
      const message = translate(expose ? wording : INTERNAL, languageOf(ctx));
      const failure = { status, code, message, extra, isOwn };
      const path = ctx.path.toLowerCase().replace(/\/+$/, '');
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
  if (status === 404) throw new ApiError(404, 'not-found', phrase`Nothing found at "${shown}"`);
  if (status !== 405 && status !== 501) return;
  // `Allow` is set by then.
  throw new ApiError(status, 'wrong-method', phrase`Method ${method} is not allowed for "${shown}"`, { expose: true });
}

/** Returns what an error is answered with; what no code of ours expects is a 500 without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueueFullError) {
    const headers = { 'Retry-After': '60' };
    const options = { cause: error, headers, expose: true, limit: 'builds.waiting' };
    return new ApiError(503, 'queue-full', error.wording, options);
  }
  if (error instanceof DataError) {
    return new ApiError(STATUS_OF_CODE[error.code], error.code, error.wording, { cause: error, expose: true });
  }
  if (error instanceof WebhookError) {
    return new ApiError(/signature$/.test(error.code) ? 403 : 400, error.code, error.message, { cause: error });
  }
  const { status, expose, message } = error as { status?: unknown; expose?: unknown; message?: unknown };
  // Koa and its middleware mark what a caller may read.
  if (typeof status === 'number' && status >= 400 && status < 500 && expose === true) {
    return new ApiError(status, 'bad-request', String(message), { cause: error });
  }
  return new ApiError(500, 'internal', INTERNAL, { cause: error });
}
