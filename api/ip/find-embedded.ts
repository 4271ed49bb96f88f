import { fromBytes, type IpAddress } from '../../lib/ip-address.ts';

/** Ranges of IPv6 whose addresses hold an IPv4 address: the bytes they begin with, where it stands, if it is inverted. */
const TUNNELS: readonly { readonly start: readonly number[]; readonly at: number; readonly isInverted?: true }[] = [
  // 6to4, RFC 3056.
  { start: [0x20, 0x02], at: 2 },
  // Teredo, RFC 4380: the client's address, every bit turned.
  { start: [0x20, 0x01, 0, 0], at: 12, isInverted: true },
  // NAT64, RFC 6052.
  { start: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  // IPv4-translated, RFC 2765.
  { start: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: 12 },
];

/** Returns the IPv4 address that an address of a tunnel or translator stands for, and every other address as it is. */
export function findEmbedded(address: IpAddress): IpAddress {
  const { bytes, version } = address;
  if (version === 4) return address;
  const tunnel = TUNNELS.find(({ start }) => start.every((byte, i) => bytes[i] === byte));
  if (!tunnel) return address;
  const { at, isInverted } = tunnel;
  return fromBytes(bytes.slice(at, at + 4).map((byte) => (isInverted ? byte ^ 0xff : byte)));
}
