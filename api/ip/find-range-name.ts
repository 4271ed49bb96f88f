import ipaddr from 'ipaddr.js';
import type { IpAddress } from '../../lib/ip-address.ts';

/**
 * Ranges that nobody in the public network has, by the IANA registries of special-purpose addresses; the more special
 * ones first.
 */
const RANGES: readonly (readonly [name: string, ...ranges: string[]])[] = [
  ['Unspecified address', '0.0.0.0/32', '::/128'],
  ['This network', '0.0.0.0/8'],
  ['Loopback', '127.0.0.0/8', '::1/128'],
  ['Private network', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['Unique local (private network)', 'fc00::/7'],
  ['Shared address space (carrier-grade NAT)', '100.64.0.0/10'],
  ['Link-local', '169.254.0.0/16', 'fe80::/10'],
  ['Site-local (deprecated)', 'fec0::/10'],
  ['Documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['Benchmarking', '198.18.0.0/15', '2001:2::/48'],
  ['6to4 relay anycast (deprecated)', '192.88.99.0/24'],
  ['IETF protocol assignments', '192.0.0.0/24', '2001::/23'],
  ['Broadcast', '255.255.255.255/32'],
  ['Multicast', '224.0.0.0/4', 'ff00::/8'],
  ['Reserved', '240.0.0.0/4'],
  ['IPv4-compatible (deprecated)', '::/96'],
  ['Local-use NAT64', '64:ff9b:1::/48'],
  ['Discard-only', '100::/64'],
  ['Segment routing', '5f00::/16'],
];
/** The part of IPv6 that addresses are given out of, RFC 4291; with what is in use below it (NAT64). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Addresses inside of ranges above that are global after all. */
const GLOBAL = ['192.0.0.9/32', '192.0.0.10/32', '2001:1::1/128', '2001:1::2/128', '2001:3::/32', '2001:4:112::/48'];

type Range = ReturnType<typeof ipaddr.parseCIDR>;
const parse = (range: string): Range => ipaddr.parseCIDR(range);
const ranges = RANGES.map(([name, ...list]) => [name, list.map(parse)] as const);
const global = GLOBAL.map(parse);

/** Returns what an address is reserved for; gives undefined for those that can be somebody's in the public network. */
export function findRangeName({ bytes, version }: IpAddress): string | undefined {
  const address = ipaddr.fromByteArray([...bytes]);
  const isIn = (range: Range): boolean => range[0].kind() === address.kind() && address.match(range);
  if (global.some(isIn)) return undefined;
  const found = ranges.find(([, list]) => list.some(isIn));
  return found?.[0] ?? (version === 6 && !isIn(GLOBAL_UNICAST) ? 'Reserved' : undefined);
}
