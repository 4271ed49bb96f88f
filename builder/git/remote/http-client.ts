import { BuildError } from '../../build-error.ts';
import { AnswerError } from './packet-lines.ts';

/** Limits of a client. */
export interface HttpLimits {
  /** Bytes of all answers together. */
  readonly maxBytes: number;
  /** What `maxBytes` is, to follow "more than" in a message. */
  readonly limit: string;
  /** Ends every request when the whole operation has taken too long. */
  readonly signal: AbortSignal;
  /** How long the server may be silent. */
  readonly idleMs: number;
  /**
   * The host that the operator named, without port; default: that of the address. Any other one was named by a server: it
   * must be on the public internet.
   */
  readonly namedHost?: string;
  /** Called with the number of body bytes received since the last call. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
}

/** One request to a git server. */
export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A server's answer; its body must be read or discarded. */
export interface HttpAnswer {
  readonly status: number;
  /** Media type without parameters, '' when the server says none. */
  readonly type: string;
  /** Throws `BuildError` `network` and `fetch-limit`. */
  readonly body: AsyncIterable<Buffer>;
  discard(): Promise<void>;
}

/** Sends requests within limits, and remembers redirects. */
export interface HttpClient {
  /** Throws `BuildError` `network`. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** The repository's address after redirects, without credentials. */
  address(): string;
}

const MAX_REDIRECTS = 5;

/** Some servers check the beginning to distinguish git from browsers. */
const USER_AGENT = 'git/2 docbuild';

/**
 * Creates a client for one repository with limits on bytes, time and silence. Redirects are followed for GET only, as
 * git does it, never from https to http; credentials do not travel to another origin.
 */
export function createHttpClient(url: string, limits: HttpLimits): HttpClient {
  let address = url;
  const budget = { bytes: limits.maxBytes, limit: limits.limit, onReceived: limits.onReceived };
  const namedHost = limits.namedHost ?? new URL(url).hostname;

  const request = async ({ url: target, method, headers, body }: HttpRequest): Promise<HttpAnswer> => {
    const watch = createWatch(limits);
    let current = target;
    let sent = new Headers({ 'user-agent': USER_AGENT, ...headers });
    try {
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const send = new URL(current).hostname === namedHost ? fetch : await getFetchElsewhere();
        const options = {
          method,
          headers: sent,
          body: body ?? null,
          redirect: 'manual',
          signal: watch.signal,
        } as const;
        const response = await send(current, options).catch((error: unknown) => {
          if (!isCut(error)) throw error;
          return send(current, options);
        });
        const location = response.headers.get('location');
        if (method !== 'GET' || response.status < 300 || response.status >= 400 || location === null) {
          if (response.ok && method === 'GET') address = current.replace(/\/info\/refs(\?.*)?$/, '');
          return toAnswer(current, response, watch, budget);
        }
        await response.body?.cancel();
        const next = findRedirect(current, location);
        if (new URL(next).origin !== new URL(current).origin) {
          sent = new Headers(sent);
          sent.delete('authorization');
        }
        current = next;
      }
    } catch (error) {
      watch.stop();
      throw toNetworkError(error, current);
    }
    watch.stop();
    throw new BuildError('network', `Cannot reach "${url}": it redirects more than ${MAX_REDIRECTS} times`);
  };
  return { request, address: () => address };
}

/**
 * Servers close idle connections, sometimes just as they are used again. A fetch does not change the server, so the
 * request may be repeated.
 */
function isCut(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(cause?.code ?? '');
}

let fetchElsewhere: Promise<typeof fetch> | undefined;

/** Hardly ever needed, and slow to load. */
function getFetchElsewhere(): Promise<typeof fetch> {
  fetchElsewhere ??= import('./fetch-elsewhere.ts').then(({ createFetchElsewhere }) => createFetchElsewhere());
  return fetchElsewhere;
}

function findRedirect(from: string, location: string): string {
  const next = new URL(location, from);
  next.username = '';
  next.password = '';
  if (!/^https?:$/.test(next.protocol) || (from.startsWith('https:') && next.protocol === 'http:')) {
    throw new BuildError('network', `Cannot reach "${from}": it redirects to "${next.href}", which is unsafe`);
  }
  return next.href;
}

interface Watch {
  readonly signal: AbortSignal;
  touch(): void;
  stop(): void;
}

/** Returns a signal that ends a request at the total limit, or when `touch` was not called for `idleMs`. */
function createWatch({ signal, idleMs }: HttpLimits): Watch {
  const silence = new AbortController();
  const abort = () => silence.abort(new DOMException(`silent for ${idleMs / 1000} s`, 'TimeoutError'));
  const timer = setTimeout(abort, idleMs).unref();
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    touch: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

/** The remaining bytes for all answers together. */
interface Budget {
  bytes: number;
  readonly limit: string;
  readonly onReceived: ((bytes: number) => void) | undefined;
}

function toAnswer(url: string, response: Response, watch: Watch, budget: Budget): HttpAnswer {
  return {
    status: response.status,
    type: (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase(),
    body: readBody(url, response, watch, budget),
    async discard() {
      watch.stop();
      await response.body?.cancel();
    },
  };
}

async function* readBody(url: string, response: Response, watch: Watch, budget: Budget) {
  try {
    for await (const chunk of response.body ?? []) {
      watch.touch();
      budget.bytes -= chunk.length;
      budget.onReceived?.(chunk.length);
      if (budget.bytes < 0) {
        throw new BuildError('fetch-limit', `"${new URL(url).host}" sent more than ${budget.limit}`);
      }
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  } catch (error) {
    throw toNetworkError(error, url);
  } finally {
    watch.stop();
  }
}

/** Returns the body of an answer in git's protocol. Throws `BuildError` for refusals, `AnswerError` for others. */
export async function* readAnswer(answer: HttpAnswer, url: string, type: string): AsyncGenerator<Buffer> {
  if (answer.status !== 200 || answer.type !== type) await answer.discard();
  if (answer.status !== 200) throw toStatusError(answer.status, url);
  if (answer.type !== type) throw new AnswerError(`answered as "${answer.type}" instead of "${type}"`);
  yield* answer.body;
}

/** Returns the error for a server that answers, but not with what was requested. */
export function toStatusError(status: number, url: string): BuildError {
  if (status === 401 || status === 403 || status === 203) {
    return new BuildError(
      'authentication',
      `"${url}" denies access (${status}): provide credentials in the URL (https://name:token@…), in DOCBUILD_GIT_TOKEN, or in DOCBUILD_GIT_USERNAME and DOCBUILD_GIT_PASSWORD, and check that they allow reading`,
    );
  }
  if (status === 404 || status === 410) {
    return new BuildError('not-found', `"${url}" does not exist (${status}), or is private and needs credentials`);
  }
  return new BuildError('network', `"${url}" answers with status ${status}`);
}

function toNetworkError(error: unknown, url: string): BuildError {
  if (error instanceof BuildError) return error;
  const { host } = new URL(url);
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new BuildError('network', `No answer from "${host}" in time (${message})`, { cause: error });
  }
  const why = explainCode(cause?.code) ?? cause?.message ?? message;
  return new BuildError('network', `Cannot reach "${host}": ${why}`, { cause: error });
}

function explainCode(code: string | undefined): string | undefined {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name cannot be resolved (${code})`;
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection was closed';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connecting timed out';
  return undefined;
}
