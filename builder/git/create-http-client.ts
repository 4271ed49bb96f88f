import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import { BuildError } from '../build-error.ts';

/** What a client may take from a server. */
export interface HttpLimits {
  /** Bytes of all answers together. */
  readonly maxBytes: number;
  /** Ends every request when the whole operation has taken too long. */
  readonly signal: AbortSignal;
  /** How long the server may be silent. */
  readonly idleMs: number;
  /**
   * The host that the operator named, without port; default: that of the address. Any other one was named by a server: it
   * must be on the public internet.
   */
  readonly namedHost?: string;
}

/** An HTTP client for isomorphic-git, and where redirects led it. */
export interface LimitedHttpClient extends HttpClient {
  /** The repository's address after redirects, without credentials. */
  address(): string;
}

const maxRedirects = 5;

/**
 * Creates a client for one repository with limits on bytes, time and silence. Redirects are followed for GET only, as
 * git does it, never from https to http; credentials do not travel to another origin.
 */
export function createHttpClient(url: string, limits: HttpLimits): LimitedHttpClient {
  let address = url;
  const budget = { bytes: limits.maxBytes };
  const namedHost = limits.namedHost ?? new URL(url).hostname;

  const request = async ({ url: target, method = 'GET', headers = {}, body }: GitHttpRequest) => {
    const watch = createWatch(limits);
    let current = target;
    let sent = new Headers(headers as Record<string, string>);
    const content = body === undefined ? null : Buffer.concat(await collect(body));
    try {
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const send = new URL(current).hostname === namedHost ? fetch : await getFetchElsewhere();
        const options = { method, headers: sent, body: content, redirect: 'manual', signal: watch.signal } as const;
        const response = await send(current, options).catch((error: unknown) => {
          if (!isCut(error)) throw error;
          return send(current, options);
        });
        const location = response.headers.get('location');
        if (method !== 'GET' || response.status < 300 || response.status >= 400 || location === null) {
          if (response.ok && method === 'GET') address = current.replace(/\/info\/refs(\?.*)?$/, '');
          return toGitResponse(current, response, watch, budget);
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
    throw new BuildError('network', `Cannot reach "${url}": it redirects more than ${maxRedirects} times`);
  };
  return { request, address: () => address };
}

/**
 * Servers close connections that were idle, at times just as they are used again. Nothing of a fetch changes the server, so
 * it may be asked once more.
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
    throw new BuildError('network', `Cannot reach "${from}": it redirects to "${next.href}", which is not safe`);
  }
  return next.href;
}

async function collect(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

interface Watch {
  readonly signal: AbortSignal;
  touch(): void;
  stop(): void;
}

/** Gives a signal that ends a request at the total limit, or when `touch` was not called for `idleMs`. */
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

function toGitResponse(url: string, response: Response, watch: Watch, budget: { bytes: number }): GitHttpResponse {
  return {
    url,
    headers: Object.fromEntries(response.headers),
    statusCode: response.status,
    statusMessage: response.statusText,
    body: readBody(url, response, watch, budget),
  };
}

async function* readBody(url: string, response: Response, watch: Watch, budget: { bytes: number }) {
  try {
    for await (const chunk of response.body ?? []) {
      watch.touch();
      budget.bytes -= chunk.length;
      if (budget.bytes < 0) {
        throw new BuildError('fetch-limit', `"${new URL(url).host}" sent more than one fetch may bring`);
      }
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw toNetworkError(error, url);
  } finally {
    watch.stop();
  }
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
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name is not known (${code})`;
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection was cut';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'no connection in time';
  return undefined;
}
