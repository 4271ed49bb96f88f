import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type Koa from 'koa';
import type { Context, Next, Request } from 'koa';
import { memoize } from '../../lib/bounded-map.ts';
import { parseAddress } from '../../lib/ip-address.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { isAtHost } from './areas.ts';

/**
 * Defines what requests are believed about their origin. The host is that of `Host`, never of `X-Forwarded-Host`, which many
 * proxies forward as their clients wrote it; proxies must forward `Host`. With `api.trusted_proxies` above 0, the caller's
 * address is the entry of `X-Forwarded-For` that the outermost trusted proxy added, and the protocol is that of
 * `X-Forwarded-Proto`; with 0 both are those of the connection. Where a base URL begins with https, its host is reached by TLS.
 */
export function trustProxies(app: Koa, settings: Settings): void {
  const { base_url, hub_url, auth_url, docs_api_url } = settings.current().api;
  const secure = [base_url, hub_url, auth_url, docs_api_url]
    .filter((url) => url.startsWith('https:'))
    .map((url) => new URL(url));
  const count = (): number => settings.current().api.trusted_proxies;
  Object.defineProperties(app.request, {
    host: {
      get(this: Request): string {
        return parseRequestTarget(this.req).host;
      },
    },
    // Koa itself uses the first entry of `X-Forwarded-Proto`, which the caller may have invented.
    protocol: {
      get(this: Request): string {
        const isTls = isSecure(this.req, count()) || secure.some((url) => isAtHost(url, this.host));
        return isTls ? 'https' : 'http';
      },
    },
    ip: {
      get(this: Request): string {
        return addressOf(this.req, count());
      },
    },
  });
}

/** Limit of the request line and headers without cookies, bytes. */
const MAX_HEAD_BYTES = 16_384;

/** Returns what whoever sends more is told. */
export function largeHead(): Phrase {
  return phrase`The request line and the headers together may have 16 KB`;
}

/**
 * Refuses requests whose host cannot be told: proxies and this service might take different ones for it. Refuses those whose request
 * line and headers are too large, too; cookies are not counted, since other sites may have left them.
 */
export function checkHead({ req }: Context, next: Next): Promise<void> {
  const { rawHeaders, url = '' } = req;
  let hosts = 0;
  let bytes = url.length;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    if (name.length !== 6 || name.toLowerCase() !== 'cookie') bytes += name.length + rawHeaders[at + 1]!.length;
  }
  if (bytes > MAX_HEAD_BYTES) throw new ServiceError('large-head', largeHead());
  // HTTP/1.0 has no such header.
  const isMissing = hosts === 0 && req.httpVersion !== '1.0';
  if (isMissing || hosts > 1 || (hosts === 1 && parseHost(req.headers.host) === ''))
    throw new ServiceError('bad-request', phrase`The request must have one valid Host header`);
  return next();
}

const ABSOLUTE = /^https?:\/\/([^/?#@]+)(.*)/is;
const MAX_HOST = 260;
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]{2,45}\])(?::(\d{0,5}))?$/;
const MAX_PORT = 65_535;

/**
 * Returns the host of a request, as `parseHost` does, and its path with the query. Clients of proxies send an absolute URL,
 * whose host takes precedence over `Host` (RFC 9112).
 */
export function parseRequestTarget({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): {
  readonly host: string;
  readonly target: string;
} {
  const absolute = url.startsWith('/') ? null : ABSOLUTE.exec(url);
  if (!absolute) return { host: parseHost(headers.host), target: url };
  return { host: parseHost(absolute[1]), target: absolute[2]!.startsWith('/') ? absolute[2]! : `/${absolute[2]}` };
}

/** Returns a `Host` header in lower case, without the final dot of the name, with its port; '' where it is missing or invalid. */
export function parseHost(header = ''): string {
  return header.length <= MAX_HOST ? hosts(header) : '';
}

/** Few hosts are asked for. */
const hosts = memoize((header) => {
  const host = header.toLowerCase().replace(/(?<!\.)\.+(?=(?::\d*)?$)/, '');
  const parts = HOST.exec(host);
  return parts && Number(parts[1] ?? 0) <= MAX_PORT ? host : '';
}, 1_000);

/** 16-bit parts of an IPv6 address that name a network; one customer has at least one network. */
const NETWORK_PARTS = 4;
/** More than any chain of proxies adds. */
const MAX_ENTRIES = 50;

/**
 * Returns the caller's IP address in its short form; '' when the connection is closed. Each of `n` trusted proxies appends
 * the address that it was called from, so the nth entry of X-Forwarded-For from the right counts: the caller may have
 * invented those before it. An entry that is no address is skipped in favour of the next one to the right.
 */
export function addressOf(request: IncomingMessage, trustedProxies: number): string {
  const peer = peers(request.socket.remoteAddress ?? '');
  const header = request.headers['x-forwarded-for'];
  if (trustedProxies === 0 || header === undefined) return peer;
  const entries = String(header).split(',').slice(-Math.min(trustedProxies, MAX_ENTRIES));
  for (const entry of entries) {
    const address = readEntry(entry.trim());
    if (address !== undefined) return address;
  }
  return peer;
}

/** Returns what a caller is counted by: the IPv4 address, or the /64 network of an IPv6 address: `2001:db8::/64`. */
export function sourceOf(request: IncomingMessage, trustedProxies: number): string {
  return sources(addressOf(request, trustedProxies));
}

/** Returns what a caller with this address is counted by. */
export function toSource(address: string): string {
  const short = readEntry(address) ?? address;
  if (isIP(short) !== 6) return short;
  const parts = ipaddr.IPv6.parse(short).parts.map((part, i) => (i < NETWORK_PARTS ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** Returns an address written by a proxy in its short form; undefined for anything else. */
function readEntry(text: string): string | undefined {
  return parseAddress(stripPort(text))?.text;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function stripPort(text: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d[\d.]*):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** Callers return, so their addresses are not parsed each time. */
const peers = memoize((address) => readEntry(address) ?? '', 10_000);
const sources = memoize(toSource, 10_000);

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
/** Headers that proxies add to requests; one that adds none, like nginx by default, speaks HTTP/1.0. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Checks whether a request comes from a program on this machine: from its loopback address, for a name of it, and by no proxy. A
 * page that has its own name resolved to this machine names another host.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const peer = parseAddress(request.socket.remoteAddress ?? '')?.text ?? '';
  const isLoopback = peer === '::1' || peer.startsWith('127.');
  const isDirect = request.httpVersion !== '1.0' && PROXY_HEADERS.every((name) => request.headers[name] === undefined);
  return isLoopback && isDirect && LOOPBACK_HOST.test(parseRequestTarget(request).host);
}

/** Checks whether the caller uses TLS, to this process or, according to X-Forwarded-Proto, to the outermost trusted proxy. */
export function isSecure(request: IncomingMessage, trustedProxies: number): boolean {
  if ((request.socket as Partial<TLSSocket>).encrypted) return true;
  if (trustedProxies === 0) return false;
  const entries = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  return entries.slice(-trustedProxies)[0]?.trim().toLowerCase() === 'https';
}
