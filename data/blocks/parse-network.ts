import ipaddr from 'ipaddr.js';

/** A range of addresses. */
export interface Network {
  readonly kind: 'ipv4' | 'ipv6';
  /** Bits that its addresses have in common. */
  readonly bits: number;
  /** Its canonical form: `203.0.113.0/24`, `2001:db8::/32`. */
  readonly text: string;
}

/** A host has a /64 network for itself: whoever is counted by it is blocked by it. */
const NARROWEST = { ipv4: 32, ipv6: 64 } as const;
/** Longest text of an address with its prefix. */
const MAX_LENGTH = 64;

/**
 * Reads an address or a range in CIDR form; bits behind the prefix are dropped, IPv4 in IPv6 is unwrapped, and IPv6 is
 * widened to /64. Gives undefined for anything else.
 */
export function parseNetwork(source: string): Network | undefined {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(source.slice(0, MAX_LENGTH + 1)) ?? [];
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (source.length > MAX_LENGTH || !(isIpv4 || ipaddr.IPv6.isValid(address))) return undefined;
  const written = ipaddr.parse(address);
  const parsed = ipaddr.process(address);
  const unwrapped = written.kind() === parsed.kind() ? 0 : 96;
  const kind = parsed.kind();
  const given = prefix === undefined ? NARROWEST[kind] : Number(prefix) - unwrapped;
  if (given < 0 || given > (kind === 'ipv4' ? 32 : 128)) return undefined;
  return createNetwork(kind, parsed.toString(), Math.min(given, NARROWEST[kind]));
}

/** Gives the network of this width that a narrower one lies in. */
export function widenNetwork({ kind, text }: Network, bits: number): Network {
  return createNetwork(kind, text.split('/', 1)[0]!, bits);
}

function createNetwork(kind: Network['kind'], address: string, bits: number): Network {
  const type = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return { kind, bits, text: `${type.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}` };
}
