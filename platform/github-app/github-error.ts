import { setTimeout as wait } from 'node:timers/promises';
import { HttpError } from '../../lib/http-client.ts';
import { quoteName } from '../../lib/quote-name.ts';

/** A call to GitHub's API that failed. Its message holds no token, key or secret. */
export class GithubError extends Error {
  override readonly name = 'GithubError';
  /** HTTP status of the answer; 0 = none came. */
  readonly status: number;
  /** How long to wait before another try, in ms; undefined where one is of no use. */
  readonly retryMs: number | undefined;

  constructor(message: string, status: number, retryMs: number | undefined) {
    super(message);
    this.status = status;
    this.retryMs = retryMs;
  }
}

/** GitHub asks for minutes where it means it; longer waits than this are not kept. */
const MAX_RETRY_MS = 10_000;
const USUAL_RETRY_MS = 500;

/** Returns what was thrown during a call in words of our own: octokit's errors carry the request with its headers. */
export function toGithubError(error: unknown, what: string): GithubError {
  if (error instanceof GithubError) return error;
  const { status, response, message, cause } = toParts(error);
  if (!response) {
    if (cause instanceof HttpError) {
      const mayPass = cause.code === 'timeout' || cause.code === 'unreachable';
      const retryMs = mayPass ? USUAL_RETRY_MS : undefined;
      return new GithubError(`Cannot reach GitHub for ${what}: ${cause.message}`, 0, retryMs);
    }
    // It never came to a call: the private key cannot be read, for one.
    return new GithubError(`Cannot reach GitHub for ${what}: ${quoteName(message)}`, 0, undefined);
  }
  const said = findMessage(response.data);
  return new GithubError(
    `GitHub answered ${status} to ${what}${said === '' ? '' : `: ${quoteName(said)}`}`,
    status,
    findRetryMs(status, response.headers, said),
  );
}

interface Answer {
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}

function toParts(error: unknown): { status: number; response?: Answer; message: string; cause?: unknown } {
  if (!(error instanceof Error)) return { status: 0, message: 'unknown error' };
  const { status, response } = error as { status?: number; response?: Answer };
  const { message, cause } = error;
  return { status: typeof status === 'number' ? status : 0, ...(response && { response }), message, cause };
}

function findMessage(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  const { message, errors } = data as { message?: unknown; errors?: unknown };
  const details = Array.isArray(errors)
    ? errors
        .map((item: unknown) => (item as { message?: unknown } | null)?.message)
        .filter((text) => typeof text === 'string')
    : [];
  return [message, ...details].filter((text) => typeof text === 'string').join(': ');
}

/** Server errors and GitHub's secondary rate limit pass; the primary one lasts up to an hour. */
function findRetryMs(status: number, headers: Answer['headers'], said: string): number | undefined {
  const asked = Number(headers?.['retry-after']);
  const isLimited = (status === 403 || status === 429) && (asked > 0 || /secondary rate limit/i.test(said));
  if (status < 500 && !isLimited) return undefined;
  const retryMs = asked > 0 ? asked * 1000 : USUAL_RETRY_MS;
  return retryMs <= MAX_RETRY_MS ? retryMs : undefined;
}

const TRIES = 3;

/**
 * Does work that may be done twice, up to three times while GitHub's errors say that another try is of use. The last
 * error says so no more: whoever asked for the work does not begin anew.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GithubError) || error.retryMs === undefined) throw error;
      if (attempt === TRIES) throw new GithubError(error.message, error.status, undefined);
      await wait(error.retryMs * attempt);
    }
  }
}
