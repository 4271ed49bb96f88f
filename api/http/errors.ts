import type { Middleware } from 'koa';
import { BuildError } from '../../builder/index.ts';
import { DataError, type DataErrorCode } from '../../data/data-error.ts';

/** What an `ApiError` has besides status and message. */
interface ApiErrorOptions extends ErrorOptions {
  readonly expose?: boolean;
  /** What goes into the answer besides `success` and `message`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that is answered with its HTTP status and message; the error middleware presents it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What went wrong, in one word that programs may rely on. */
  readonly code: string;
  /** Whether the message is fit for the caller. */
  readonly expose: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.expose = options.expose ?? status < 500;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Paths as the router takes them: in any case, with or without slashes at the end. */
const SHAPES: readonly (readonly [
  path: RegExp,
  fields: (code: number, msg: string) => Readonly<Record<string, unknown>>,
])[] = [
  [/^\/api\/(?:alpha|beta)includedquery\/*$/i, (_, msg) => ({ Included: false, deduct: false, url: '', msg })],
  [/^\/openservice\/shorturl(?:\/|$)/i, (code, msg) => ({ code, msg })],
  [/^\/openservice\/crontab\/*$/i, () => ({ data: [] })],
];

/** Gives the fields that the failures of a path have besides `success` and `message`, whoever finds them. */
function failureFields(path: string, code: number, message: string): Readonly<Record<string, unknown>> {
  return SHAPES.find(([pattern]) => pattern.test(path))?.[1](code, message) ?? {};
}

const STATUS_OF_CODE: Readonly<Record<DataErrorCode, number>> = {
  taken: 409,
  'not-found': 404,
  invalid: 400,
  busy: 503,
  damaged: 500,
  unwritable: 503,
};

/** Whoever asks other services tells of their failures, once and not for each request; a crowd is no failure. */
const QUIET: ReadonlySet<string> = new Set(['upstream', 'overloaded']);

/**
 * Turns whatever a handler throws into the answer `{success: false, message}`, with the fields that failures of its path
 * have besides; what is nobody's mistake is logged whole.
 */
export function handleErrors(onError: (error: unknown, requestId: string) => void): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.body === undefined) checkAnswered(ctx);
    } catch (error) {
      const known = toApiError(error);
      const isOurs = known.status >= 500 && known.status !== 501 && !QUIET.has(known.code);
      if (isOurs) onError(error, String(ctx.state['requestId'] ?? ''));
      ctx.status = known.status;
      ctx.set({ 'Cache-Control': 'no-store', ...known.headers });
      ctx.remove('ETag');
      const message = known.expose ? known.message : 'Internal error; the server log has the details';
      ctx.body = { success: false, message, ...failureFields(ctx.path, known.status, message), ...known.extra };
    }
  };
}

/** What the router leaves without an answer. */
function checkAnswered({ status, method, path }: { status: number; method: string; path: string }): void {
  if (status === 404) throw new ApiError(404, 'not-found', `Nothing is at "${shorten(path)}"`);
  if (status !== 405 && status !== 501) return;
  // `Allow` is set by then.
  throw new ApiError(status, 'wrong-method', `Method ${method} is not for "${shorten(path)}"`, { expose: true });
}

/** Gives what an error is answered with; what is nobody's mistake is a 500 that says nothing. */
export function toApiError(error: unknown): ApiError {
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
