import type { IpAddress } from '../../lib/ip-address.ts';

/** Where an address is used; '' = unknown. */
export interface Region {
  readonly country: string;
  readonly province: string;
  readonly city: string;
  /** The provider of the connection, or what the address is reserved for. */
  readonly isp: string;
}

export const UNKNOWN_REGION: Region = { country: '', province: '', city: '', isp: '' };

/** A database of IP addresses. */
export interface RegionDatabase {
  /** IP versions that it covers. */
  readonly versions: ReadonlySet<4 | 6>;
  /** Returns undefined for an unknown address. */
  find(address: IpAddress): Promise<Region | undefined>;
}

/** Longest field in characters; real ones are below 100. */
const MAX_LENGTH = 200;
/** Values that mean "unknown". */
const UNKNOWN = new Set(['0', '-', 'null', 'N/A', '未知', '未知地区']);

/** Returns a region from the fields of a database, trimmed, with '' for values that mean "unknown". */
export function createRegion(fields: Readonly<Record<keyof Region, unknown>>): Region {
  const { country, province, city, isp } = fields;
  return { country: clean(country), province: clean(province), city: clean(city), isp: clean(isp) };
}

function clean(field: unknown): string {
  if (typeof field !== 'string') return '';
  const text = field
    .slice(0, MAX_LENGTH)
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return UNKNOWN.has(text) ? '' : text;
}
