import { DataError } from '../../data/data-error.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { QueueFullError } from '../builds/queue/build-queue.ts';
import { WebhookError } from '../code-hosts/code-host.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** A failure that is answered with its HTTP status and message; only that of `internal` is not shown. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** The message for whoever asked; `message` is the English one. */
  readonly wording: string | Phrase;
  readonly code: ErrorCode;
  /** Fields of the answer besides `success` and `message`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The limit that refused the call, see `LIMIT_TABLE`; undefined = none, or one that has no name. */
  readonly limit: string | undefined;

  constructor(
    code: ErrorCode,
    wording: string | Phrase,
    /** `status` only where it is not that of the code. */
    options: ErrorOptions & Partial<Pick<ServiceError, 'status' | 'extra' | 'headers' | 'limit'>> = {},
  ) {
    super(String(wording), options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status ?? ERROR_CODES[code].status;
    this.wording = wording;
    this.code = code;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.limit = options.limit;
  }
}

export const INTERNAL = phrase`Internal error; the server log has the details`;

/** Returns what an error is answered with; what no code of ours expects is a 500 without details. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof QueueFullError) {
    const headers = { 'Retry-After': '60' };
    const options = { cause: error, headers, limit: 'builds.waiting' };
    return new ServiceError('queue-full', error.wording, options);
  }
  if (error instanceof DataError) return new ServiceError(error.code, error.wording, { cause: error });
  if (error instanceof WebhookError) return new ServiceError(error.code, error.message, { cause: error });
  const { status, expose, message } = error as { status?: unknown; expose?: unknown; message?: unknown };
  // Koa and its middleware mark what a caller may read.
  if (typeof status === 'number' && status >= 400 && status < 500 && expose === true) {
    return new ServiceError('bad-request', String(message), { status, cause: error });
  }
  return new ServiceError('internal', INTERNAL, { cause: error });
}
