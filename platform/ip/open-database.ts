import type { RegionDatabase } from './region.ts';

/** Marker near the end of every `.mmdb` file. */
const MMDB_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** Returns whether a file is an `.mmdb` one, whatever its name is. */
export function isMmdb(bytes: Buffer): boolean {
  return bytes.lastIndexOf(MMDB_MARK) >= 0;
}

/** Opens an `.mmdb` or `.xdb` file; `lang` is the language of names, where it has several. Throws an error that says what is wrong. */
export async function openDatabase(bytes: Buffer, lang: string): Promise<RegionDatabase> {
  if (isMmdb(bytes)) return (await import('./mmdb.ts')).openMmdb(bytes, lang);
  return (await import('./xdb.ts')).openXdb(bytes);
}
