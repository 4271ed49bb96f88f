import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { memoize } from '../../lib/bounded-map.ts';
import { parseAddress } from './parse-address.ts';

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
