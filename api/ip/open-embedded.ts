import type { IpAddress } from '../../lib/ip-address.ts';
import { parseArea } from './parse-area.ts';
import { createRegion, type Region, type RegionDatabase } from './region.ts';

/** What the package gives for IPv6: the area in one word, and who uses it. */
interface RawArea {
  readonly cArea: string;
  readonly aArea: string;
}

/** Opens the data that come with docbuild (npm `ip2region`, of 2021): 11 MB are read into memory. */
export async function openEmbedded(): Promise<RegionDatabase> {
  // A package of CommonJS whose class is its export `default`.
  const { default: exported } = await import('ip2region');
  const data = new exported.default();
  const findV4 = (text: string): Region | undefined => {
    const found = data.search(text);
    return found ? createRegion(found) : undefined;
  };
  const findV6 = ({ bytes }: IpAddress): Region | undefined => {
    // The data know networks of 64 bits; behind these the package would look for IPv4 addresses of its own accord.
    const found = data.searchRaw(`${toGroups(bytes.slice(0, 8))}:0:0:0:0`, false) as RawArea | null;
    return found ? parseArea(found.cArea, found.aArea) : undefined;
  };
  return {
    versions: new Set([4, 6]),
    find: async (address) => (address.version === 4 ? findV4(address.text) : findV6(address)),
  };
}

function toGroups(bytes: readonly number[]): string {
  const groups: string[] = [];
  for (let i = 0; i < bytes.length; i += 2) groups.push(((bytes[i]! << 8) | bytes[i + 1]!).toString(16));
  return groups.join(':');
}
