import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address. */
export interface IpAddress {
  readonly version: 4 | 6;
  /** As people write it: dotted quad, or RFC 5952. */
  readonly text: string;
  /** 4 or 16 bytes, the most significant one first. */
  readonly bytes: readonly number[];
}

/** Longest address as text, with a zone. */
const MAX_LENGTH = 100;

/**
 * Reads an address in full notation (four decimal numbers, or IPv6). A zone is dropped, and an IPv6 address that stands
 * for an IPv4 one (`::ffff:1.2.3.4`) is that one. Returns undefined for anything else.
 */
export function parseAddress(given: string): IpAddress | undefined {
  const trimmed = given.length > MAX_LENGTH ? '' : given.trim();
  // The parser also takes what only the C library does: 127.1, 0x7f.1, 010.0.0.1.
  const version = isIP(trimmed);
  if (version === 0) return undefined;
  const bare = trimmed.replace(/%.*$/s, '');
  // It takes `::1.2.3.4` for `::ffff:1.2.3.4`; in hexadecimal it does not.
  const text = version === 4 ? bare : new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  return fromBytes(ipaddr.process(text).toByteArray());
}

/** Returns the address of 4 or 16 bytes. */
export function fromBytes(bytes: readonly number[]): IpAddress {
  const address = ipaddr.fromByteArray([...bytes]);
  const isV4 = address instanceof ipaddr.IPv4;
  return { version: isV4 ? 4 : 6, text: isV4 ? address.toString() : address.toRFC5952String(), bytes };
}
