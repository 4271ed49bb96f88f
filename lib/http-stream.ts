import { HttpError } from './http-client.ts';

/** Limits of requests that belong together. */
export interface StreamLimits {
  /** Bytes of all answers together. */
  readonly maxBytes: number;
  /** The meaning of `maxBytes`, to follow "more than" in a message. */
  readonly limit: string;
  /** Ends every request when the whole operation has taken too long. */
  readonly signal: AbortSignal;
  /** How long the server may be silent. */
  readonly idleMs: number;
  /** The host that the operator named, without port. Any other one was named by a server: it must be on the public internet. */
  readonly namedHost: string;
  /** May hold `PROXY_VARIABLES`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with the number of body bytes received since the last call. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
}

/** One request, which may be repeated: it changes nothing at the server. */
export interface StreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A server's answer; its body must be read or discarded. */
export interface StreamAnswer {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Media type without parameters, '' when the server says none. */
  readonly type: string;
  /** Throws `HttpError`. */
  readonly body: AsyncIterable<Buffer>;
  discard(): Promise<void>;
}

/** Sends requests whose answers are read as they arrive. */
export interface StreamClient {
  /** Throws `HttpError`, whose message is a whole sentence. */
  send(request: StreamRequest): Promise<StreamAnswer>;
}

const MAX_REDIRECTS = 5;

/** The environment variables that name proxies, and hosts that are reached without. */
export const PROXY_VARIABLES: readonly string[] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/**
 * Creates a client with limits on bytes, time and silence. Redirects are followed for GET only, never from https to http;
 * credentials do not travel to another origin.
 */
export function createStreamClient(limits: StreamLimits): StreamClient {
  const budget = { bytes: limits.maxBytes };
  return {
    async send({ url, method, headers, body }) {
      const watch = createWatch(limits);
      let current = url;
      const sent = new Headers(headers);
      try {
        for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
          const send = await chooseFetch(current, limits);
          const options = { method, headers: sent, body: body ?? null, redirect: 'manual', signal: watch.signal };
          const response = await send(current, options as RequestInit).catch((error: unknown) => {
            if (!isCut(error)) throw error;
            return send(current, options as RequestInit);
          });
          const location = response.headers.get('location');
          if (method !== 'GET' || response.status < 300 || response.status >= 400 || location === null) {
            return toAnswer(current, response, { watch, budget, limits });
          }
          await response.body?.cancel();
          const next = findRedirect(current, location);
          if (new URL(next).origin !== new URL(current).origin) sent.delete('authorization');
          current = next;
        }
      } catch (error) {
        watch.stop();
        throw toHttpError(error, current);
      }
      watch.stop();
      throw new HttpError('redirect', `Cannot reach "${url}": it redirects more than ${MAX_REDIRECTS} times`);
    },
  };
}

/** Hardly ever needed, and slow to load. */
const otherFetches = new Map<string, Promise<typeof fetch>>();

/** Reaches hosts that a server names directly: hosts of NO_PROXY, which a proxy would not see, are behind the same guard. */
async function chooseFetch(url: string, { namedHost, environment }: StreamLimits): Promise<typeof fetch> {
  const isNamed = new URL(url).hostname === namedHost;
  const values = PROXY_VARIABLES.map((name) => environment[name] ?? '');
  if (isNamed && values.slice(0, 4).every((value) => value === '')) return fetch;
  const key = isNamed ? values.join('\0') : '';
  const other =
    otherFetches.get(key) ??
    import('./public-fetch.ts').then(({ createPublicFetch, createProxyFetch }) =>
      isNamed ? createProxyFetch(environment) : createPublicFetch(),
    );
  otherFetches.set(key, other);
  return other;
}

/** Servers close idle connections, sometimes just as they are used again. */
function isCut(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(cause?.code ?? '');
}

function findRedirect(from: string, location: string): string {
  if (!URL.canParse(location, from)) {
    throw new HttpError('redirect', `Cannot reach "${from}": it redirects to an invalid URL`);
  }
  const next = new URL(location, from);
  next.username = '';
  next.password = '';
  if (!/^https?:$/.test(next.protocol) || (from.startsWith('https:') && next.protocol === 'http:')) {
    throw new HttpError('redirect', `Cannot reach "${from}": it redirects to "${next.href}", which is unsafe`);
  }
  return next.href;
}

interface Watch {
  readonly signal: AbortSignal;
  touch(): void;
  stop(): void;
}

/** Returns a signal that ends a request at the total limit, or when `touch` was not called for `idleMs`. */
function createWatch({ signal, idleMs }: StreamLimits): Watch {
  const silence = new AbortController();
  const abort = () => silence.abort(new DOMException(`silent for ${idleMs / 1000} s`, 'TimeoutError'));
  const timer = setTimeout(abort, idleMs).unref();
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    touch: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

interface Reading {
  readonly watch: Watch;
  /** The rest for all answers together. */
  readonly budget: { bytes: number };
  readonly limits: StreamLimits;
}

function toAnswer(url: string, response: Response, reading: Reading): StreamAnswer {
  return {
    url,
    status: response.status,
    type: (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase(),
    body: readBody(url, response, reading),
    async discard() {
      reading.watch.stop();
      await response.body?.cancel();
    },
  };
}

async function* readBody(url: string, response: Response, { watch, budget, limits }: Reading) {
  try {
    for await (const chunk of response.body ?? []) {
      watch.touch();
      budget.bytes -= chunk.length;
      limits.onReceived?.(chunk.length);
      if (budget.bytes < 0) throw new HttpError('too-large', `"${new URL(url).host}" sent more than ${limits.limit}`);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  } catch (error) {
    throw toHttpError(error, url);
  } finally {
    watch.stop();
  }
}

function toHttpError(error: unknown, url: string): HttpError {
  const { host } = new URL(url);
  if (error instanceof HttpError) {
    return error.code === 'not-allowed' ? new HttpError(error.code, `The server ${error.message}`) : error;
  }
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new HttpError('timeout', `No answer from "${host}" in time (${message})`, { cause: error });
  }
  const why = explainCode(cause?.code) ?? cause?.message ?? message;
  return new HttpError('unreachable', `Cannot reach "${host}": ${why}`, { cause: error });
}

function explainCode(code: string | undefined): string | undefined {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name cannot be resolved (${code})`;
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection was closed';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connecting timed out';
  return undefined;
}
