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
 * Parses an address in full notation (four decimal numbers, or IPv6). A zone is dropped, and an IPv6 address that stands
 * for an IPv4 one (`::ffff:1.2.3.4`) is that one. Returns undefined for anything else.
 */
export function parseAddress(given: string): IpAddress | undefined {
  const trimmed = given.length > MAX_LENGTH ? '' : given.trim();
  // The parser also takes what only the C library does: 127.1, 0x7f.1, 010.0.0.1.
  const version = isIP(trimmed);
  if (version === 0) return undefined;
  const bare = trimmed.replace(/%.*/s, '');
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

/** A range of IP addresses. */
export interface IpNetwork {
  readonly version: 4 | 6;
  /** Bits that its addresses have in common. */
  readonly bits: number;
  /** Its canonical form: `203.0.113.0/24`, `2001:db8::/32`. */
  readonly text: string;
}

/** A host has a /64 network to itself, so that nothing narrower tells callers apart. */
const NARROWEST = { 4: 32, 6: 64 } as const;
const WITH_PREFIX = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i;

/**
 * Parses an address or a range in CIDR form: bits after the prefix are dropped, IPv4 in IPv6 is unwrapped, and IPv6 is
 * widened to /64. Returns undefined for anything else.
 */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [, given = '', prefix] = (text.length > MAX_LENGTH ? null : WITH_PREFIX.exec(text)) ?? [];
  const address = parseAddress(given);
  if (!address) return undefined;
  const { version } = address;
  const isUnwrapped = version === 4 && given.includes(':');
  const bits = prefix === undefined ? NARROWEST[version] : Number(prefix) - (isUnwrapped ? 96 : 0);
  if (bits < 0 || bits > (version === 4 ? 32 : 128)) return undefined;
  return createNetwork(version, address.text, Math.min(bits, NARROWEST[version]));
}

/** Returns the network of this width that a narrower one is part of. */
export function widenNetwork({ version, text }: IpNetwork, bits: number): IpNetwork {
  return createNetwork(version, text.split('/', 1)[0]!, bits);
}

/** Returns whether an address or range is part of one of these, all as `parseNetwork` reads them. */
export function isAmongNetworks(text: string, networks: readonly string[]): boolean {
  const inner = parseNetwork(text);
  return inner !== undefined && networks.some((one) => isWithin(inner, parseNetwork(one.trim())));
}

function isWithin(inner: IpNetwork, outer: IpNetwork | undefined): boolean {
  if (inner.version !== outer?.version || inner.bits < outer.bits) return false;
  return widenNetwork(inner, outer.bits).text === outer.text;
}

function createNetwork(version: 4 | 6, address: string, bits: number): IpNetwork {
  const type = version === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return { version, bits, text: `${type.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}` };
}

/**
 * Checks whether an address belongs to the public internet: not to this machine, a private network, a link (where clouds keep
 * their metadata) or a test range, and does not stand for an address of another kind.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also accepts `1.2.3`.
  if (isIP(address) === 0) return false;
  const known = ipaddr.process(address);
  // Of IPv6 only 2000::/3 is given out; `::7f00:1` once stood for 127.0.0.1.
  const isGivenOut = known.kind() === 'ipv4' || (known.toByteArray()[0]! & 0xe0) === 0x20;
  return isGivenOut && known.range() === 'unicast';
}
