import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type Koa from 'koa';
import type { Request } from 'koa';
import type { Settings } from '../../data/config/settings.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { parseAddress } from '../../lib/ip-address.ts';

/**
 * Decides what requests are believed about how they came here. The host is the one in `Host`, never `X-Forwarded-Host`,
 * which many proxies pass on as their clients wrote it: proxies have to hand `Host` on. With `api.trusted_proxies` above
 * 0, the caller's address is the entry of `X-Forwarded-For` that the outermost trusted proxy added, and
 * `X-Forwarded-Proto` is the protocol; with 0 both are those of the connection.
 */
export function trustProxies(app: Koa, settings: Settings): void {
  const count = (): number => settings.current().api.trusted_proxies;
  Object.defineProperties(app.request, {
    host: {
      get(this: Request): string {
        // Clients of proxies send the whole address; its host is the one that counts (RFC 9112).
        const { url = '', headers } = this.req;
        return parseHost(url.startsWith('/') ? headers.host : (WHOLE.exec(url)?.[1] ?? headers.host));
      },
    },
    // Koa's own rules take the first entry of `X-Forwarded-Proto`, which the caller may have made up.
    protocol: {
      get(this: Request): string {
        return isSecure(this.req, count()) ? 'https' : 'http';
      },
    },
    ip: {
      get(this: Request): string {
        return addressOf(this.req, count());
      },
    },
  });
}

const WHOLE = /^https?:\/\/([^/?#@]+)/i;
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?$/;

/**
 * Gives a `Host` header as names are compared: lower case, without the dot that ends a full name, with its port. '' for
 * what is missing or cannot be a host.
 */
export function parseHost(header = ''): string {
  const host = header.toLowerCase().replace(/\.+(?=(?::\d*)?$)/, '');
  return host.length <= 260 && HOST.test(host) ? host : '';
}

/** Bits of an IPv6 address that name a network; one customer has at least all of one. */
const NETWORK_PARTS = 4;
/** More entries than any chain of proxies has. */
const MAX_ENTRIES = 50;

/**
 * Gives the address that calls, an IPv4 or IPv6 address in its short form; '' when the connection is gone. With `n`
 * trusted proxies in front, each of which appends the address it was called from, the nth entry of X-Forwarded-For from
 * the right counts: those before it may be the caller's invention. An entry that is no address is passed over for the next
 * one to the right, which a proxy nearer to us has written.
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

/** Gives what callers are counted by: the IPv4 address, or the IPv6 network of 64 bits: `2001:db8::/64`. */
export function sourceOf(request: IncomingMessage, trustedProxies: number): string {
  return sources(addressOf(request, trustedProxies));
}

/** Gives what a caller of this address is counted by. */
export function toSource(address: string): string {
  const short = readEntry(address) ?? address;
  if (isIP(short) !== 6) return short;
  const parts = ipaddr.IPv6.parse(short).parts.map((part, i) => (i < NETWORK_PARTS ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** Gives an address that a proxy has written in its short form; undefined for what is none. */
function readEntry(text: string): string | undefined {
  return parseAddress(stripPort(text))?.text;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function stripPort(text: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d[\d.]*):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** Callers come again: their addresses need not be read each time. */
const peers = memoize((address) => readEntry(address) ?? '', 10_000);
const sources = memoize(toSource, 10_000);

/** Tells whether the caller came by TLS, to us or, as the trusted proxies say (X-Forwarded-Proto), to the outermost one. */
export function isSecure(request: IncomingMessage, trustedProxies: number): boolean {
  if ((request.socket as Partial<TLSSocket>).encrypted) return true;
  if (trustedProxies === 0) return false;
  const entries = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  return entries.slice(-trustedProxies)[0]?.trim().toLowerCase() === 'https';
}
