import { lookup as lookUpAddresses } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Agent } from 'undici';
import { isPublicAddress } from './ip-address.ts';
import { type Phrase, phrase } from './phrase.ts';

/** Why a request failed, in one word that programs may rely on. */
export type HttpErrorCode =
  | 'timeout'
  | 'too-large'
  | 'unreachable'
  | 'unreadable'
  | 'redirect'
  | 'not-allowed'
  | 'aborted';

const LATE = phrase`it did not answer in time`;

/** Words for callers about a service that failed so; hosts and addresses are the operator's business. */
export const HTTP_FAILURES: Readonly<Record<HttpErrorCode, Phrase>> = {
  timeout: LATE,
  'too-large': phrase`the answer is too large`,
  unreachable: phrase`it cannot be reached`,
  unreadable: phrase`the answer cannot be decoded`,
  redirect: phrase`it redirects to another page, such as a captcha`,
  'not-allowed': phrase`its address is not on the public internet`,
  aborted: LATE,
};

/** A request without a usable answer; the message names the host, but no path or query. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;

  constructor(code: HttpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A request besides its URL. */
export interface HttpRequest {
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The answer counts as soon as its headers are there; its `body` is empty, whatever is sent. */
  readonly isBodyIgnored?: boolean;
  /**
   * Decides whether a redirect that is safe may be followed; without it, redirects are returned as answers. Unsafe ones never
   * are followed: to anything but http(s), from https to http, to a URL with credentials, or with a method other than GET to
   * another origin.
   */
  readonly mayFollow?: (to: URL, from: URL) => boolean;
}

/** An answer, read to its end. */
export interface HttpAnswer {
  /** Where it came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** By lower-case name; repeated ones are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Without any content coding. */
  readonly body: Buffer;
}

/** Sends requests to other servers over connections that are kept open. */
export interface HttpClient {
  /** Sends a request and returns the answer, whatever its status. Throws HttpError. */
  send(url: string | URL, request?: HttpRequest): Promise<HttpAnswer>;
  /** Aborts requests and closes connections. */
  close(): Promise<void>;
}

/** Limits of each request, redirects included; `maxBytes` also limits the decoded body. */
export interface HttpClientOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Most connections to one host, default 8; further requests wait. */
  readonly maxConnections?: number;
  /** Finds the addresses of hosts; default: the system's. */
  readonly lookup?: LookupFunction;
  /** Checks an address of a host that is not trusted; default: only those of the public internet are allowed. */
  readonly isAllowedAddress?: (address: string) => boolean;
  /** Hosts of requests are not trusted, either; default: only those that redirects name are not. */
  readonly isGuarded?: boolean;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that must not travel to another origin. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
/** Search engines send many cookies. */
const MAX_HEADER_BYTES = 65_536;
const KEEP_ALIVE_MS = 30_000;
const MAX_SHOWN_HOST = 100;

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip) as never],
  ['x-gzip', promisify(gunzip) as never],
  ['deflate', promisify(inflate) as never],
  ['br', promisify(brotliDecompress) as never],
]);

/**
 * Creates a client. The host of a request's URL is trusted, since it was configured, unless the client is guarded; a host that
 * a redirect names is not: it must be on the public internet, which is checked for every address of the name when connecting.
 * undici is loaded with the first request.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs, maxBytes, maxConnections = 8, lookup, isAllowedAddress = isPublicAddress } = options;
  const { isGuarded = false } = options;
  const refuse = isGuarded ? notAllowed : notPublic;
  const closing = new AbortController();
  const agents = new Map<'named' | 'foreign', Promise<Agent>>();

  const getAgent = (kind: 'named' | 'foreign'): Promise<Agent> => {
    const ownLookup = kind === 'named' ? lookup : guardLookup(lookup ?? lookUpAddresses, isAllowedAddress, refuse);
    const agent = agents.get(kind) ?? createAgent(ownLookup);
    agents.set(kind, agent);
    return agent;
  };
  const createAgent = async (ownLookup: LookupFunction | undefined): Promise<Agent> => {
    const { Agent } = await loadUndici();
    return new Agent({
      connections: maxConnections,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: timeoutMs, ...(ownLookup && { lookup: ownLookup }) },
    });
  };

  /** Sends a request once and follows nothing. */
  const exchange = async (
    url: URL,
    request: Pick<HttpRequest, 'method' | 'headers' | 'body' | 'isBodyIgnored'> & { readonly signal: AbortSignal },
    isForeign: boolean,
  ): Promise<HttpAnswer> => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Literal addresses are not looked up. URL has normalized `127.1` and `0x7f.1`.
    if (isForeign && isIP(host) !== 0 && !isAllowedAddress(host)) throw refuse(host);
    const { request: dispatch } = await loadUndici();
    const { method = 'GET', headers = {}, body, signal, isBodyIgnored = false } = request;
    const answer = await dispatch(url, {
      dispatcher: await getAgent(isForeign ? 'foreign' : 'named'),
      method: method as 'GET',
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      ...(body !== undefined && { body }),
      signal,
    });
    const known = new Map<string, string>();
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) known.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const { statusCode: status } = answer;
    if (isBodyIgnored) {
      // Read so far that the connection can be used again.
      answer.body.dump({ limit: maxBytes }).catch(() => {});
      return { url, status, headers: known, body: Buffer.alloc(0) };
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(url, maxBytes);
      chunks.push(chunk);
    }
    const decoded = await decode(Buffer.concat(chunks), known.get('content-encoding') ?? '', url, maxBytes);
    return { url, status, headers: known, body: decoded };
  };

  const follow = async (first: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> => {
    const { method = 'GET', body, isBodyIgnored = false, mayFollow } = request;
    let { headers = {} } = request;
    let url = first;
    for (let hop = 0; ; hop++) {
      const sent = { method, headers, signal, isBodyIgnored, ...(body !== undefined && { body }) };
      const answer = await exchange(url, sent, isGuarded || url.hostname !== first.hostname);
      const location = answer.headers.get('location');
      if (!mayFollow || location === undefined || !isRedirect(answer.status, method)) return answer;
      const host = describeHost(url);
      if (hop === MAX_REDIRECTS)
        throw new HttpError('redirect', `"${host}" redirects more than ${MAX_REDIRECTS} times`);
      if (!URL.canParse(location, url.href)) throw new HttpError('redirect', `"${host}" redirects to an invalid URL`);
      const next = new URL(location, url);
      if (!isSafeRedirect(next, url, method) || !mayFollow(next, url)) {
        throw new HttpError('redirect', `"${host}" redirects to "${describeHost(next)}"`);
      }
      if (next.origin !== url.origin) headers = withoutCredentials(headers);
      url = next;
    }
  };

  return {
    async send(target, request = {}) {
      const url = new URL(target);
      // Loading it the first time must not use up the other server's time.
      await loadUndici();
      const limit = AbortSignal.timeout(timeoutMs);
      const { signal: own } = request;
      const signal = AbortSignal.any([limit, closing.signal, ...(own ? [own] : [])]);
      try {
        signal.throwIfAborted();
        return await follow(url, request, signal);
      } catch (cause) {
        if (cause instanceof HttpError) throw cause;
        const host = describeHost(url);
        if (closing.signal.aborted || own?.aborted) {
          throw new HttpError('aborted', `The request to "${host}" was aborted`, { cause });
        }
        if (limit.aborted) {
          throw new HttpError('timeout', `"${host}" did not answer within ${timeoutMs / 1000} s`, { cause });
        }
        const { code } = cause as NodeJS.ErrnoException;
        throw new HttpError('unreachable', `Cannot reach "${host}"${code ? ` (${code})` : ''}`, { cause });
      }
    },
    async close() {
      closing.abort();
      for (const agent of agents.values()) await (await agent.catch(() => undefined))?.destroy();
    },
  };
}

/** Loads undici, whose exports are all in the default export, also where it is bundled. */
async function loadUndici(): Promise<typeof import('undici')> {
  return (await import('undici')).default as unknown as typeof import('undici');
}

/** Wraps a lookup so that it fails, with what `refuse` returns, for a name with any address that is not allowed. */
export function guardLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
  refuse: (host: string) => HttpError = notPublic,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = found as unknown as readonly { readonly address: string; readonly family: number }[];
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address))) return callback(refuse(hostname), '');
      if (options.all) (callback as (error: null, found: unknown) => void)(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** 303 asks for GET at the other URL; to any other method it is the answer. */
function isRedirect(status: number, method: string): boolean {
  return REDIRECTS.has(status) && (status !== 303 || method === 'GET');
}

function isSafeRedirect(to: URL, from: URL, method: string): boolean {
  const hasCredentials = to.username !== '' || to.password !== '';
  const isWeb = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  return isWeb && !hasCredentials && (method === 'GET' || to.origin === from.origin);
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name.toLowerCase())));
}

async function decode(body: Buffer, coding: string, url: URL, maxBytes: number): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (name === '' || name === 'identity' || body.length === 0) return body;
  const decoder = DECODERS.get(name);
  try {
    if (!decoder) throw new Error('Unknown coding');
    return await decoder(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(url, maxBytes);
    throw new HttpError('unreadable', `"${describeHost(url)}" sent a body that cannot be decoded`, { cause });
  }
}

function tooLarge(url: URL, maxBytes: number): HttpError {
  return new HttpError('too-large', `"${describeHost(url)}" sent more than ${maxBytes} bytes`);
}

function notPublic(host: string): HttpError {
  return new HttpError('redirect', `A redirect leads to "${host}", which is not on the public internet`);
}

function notAllowed(host: string): HttpError {
  return new HttpError('not-allowed', `"${host.slice(0, MAX_SHOWN_HOST)}" is not on the public internet`);
}

function describeHost({ host, protocol }: URL): string {
  return (host === '' ? protocol : host).slice(0, MAX_SHOWN_HOST);
}
