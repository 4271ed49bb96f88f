import { createRegion, type Region, type RegionDatabase } from './region.ts';

/** Paths of a field in different databases, the best first; `*` stands for a language. */
const PLACES: Readonly<Record<keyof Region, readonly string[]>> = {
  country: ['country.names.*', 'country_name', 'registered_country.names.*', 'country.name', 'country', 'country_code'],
  province: ['subdivisions.0.names.*', 'region_name', 'state1', 'region', 'province', 'state'],
  city: ['city.names.*', 'city_name', 'city.name', 'city'],
  isp: [
    'traits.isp',
    'isp',
    'isp_domain',
    'traits.organization',
    'organization',
    'traits.autonomous_system_organization',
    'autonomous_system_organization',
    'as_name',
  ],
};
/** Addresses all over the tree that are looked up before a database is used. */
const SAMPLES = 256;

/**
 * Opens an `.mmdb` file (GeoIP2, GeoLite2, DB-IP, IPinfo …) with names in `lang`, otherwise in English. Throws an error that
 * says what is wrong with a damaged file. Memory: the file.
 */
export async function openMmdb(bytes: Buffer, lang: string): Promise<RegionDatabase> {
  // The exports of a CommonJS package are in its default export, also where it is bundled.
  const { default: maxmind } = await import('maxmind');
  const reader = new maxmind.Reader(bytes);
  const { ipVersion, nodeCount, searchTreeSize, binaryFormatMajorVersion } = reader.metadata;
  if (binaryFormatMajorVersion !== 2) throw new Error('it is not an .mmdb file of version 2');
  if (!(nodeCount > 0) || searchTreeSize > bytes.length) throw new Error('it is shorter than its header says');
  const find = (text: string): Region | undefined => {
    const record: unknown = reader.get(text);
    if (typeof record !== 'object' || record === null) return undefined;
    const pick = (field: keyof Region): string | undefined => findField(record, PLACES[field], lang);
    return createRegion({
      country: pick('country'),
      province: pick('province'),
      city: pick('city'),
      isp: pick('isp'),
    });
  };
  for (let i = 0; i < SAMPLES; i++) {
    find(`${i}.${(i * 89) % 256}.${(i * 57) % 256}.${i}`);
    if (ipVersion === 6) find(`2${(i * 16).toString(16).padStart(3, '0')}:${i * 251}::`);
  }
  return {
    versions: new Set(ipVersion === 6 ? ([4, 6] as const) : ([4] as const)),
    find: async ({ text, version }) => (version > ipVersion ? undefined : find(text)),
  };
}

function findField(record: object, places: readonly string[], lang: string): string | undefined {
  for (const place of places) {
    for (const path of place.includes('*') ? [place.replace('*', lang), place.replace('*', 'en')] : [place]) {
      const value = follow(record, path.split('.'));
      if (typeof value === 'string' && value !== '') return value;
    }
  }
  return undefined;
}

function follow(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return follow((value as Record<string, unknown>)[key], rest);
}
