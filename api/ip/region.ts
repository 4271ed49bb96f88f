import type { IpAddress } from '../../lib/ip-address.ts';

/** Where an address is used, as far as it is known; '' = not known. */
export interface Region {
  readonly country: string;
  readonly province: string;
  readonly city: string;
  /** Who provides the connection, or what the address is reserved for. */
  readonly isp: string;
}

/** Data about addresses. */
export interface RegionDatabase {
  /** Versions of IP that the data are about. */
  readonly versions: ReadonlySet<4 | 6>;
  /** Returns undefined for an address that the data do not know. */
  find(address: IpAddress): Promise<Region | undefined>;
}

/** Longest text of a field in characters; real ones are below 100. */
const MAX_LENGTH = 200;
/** How data say that they do not know. */
const UNKNOWN = new Set(['0', '-', 'null', 'N/A', '未知', '未知地区']);

/** Returns a region of fields as they stand in data: trimmed, and '' for what means "not known". */
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
