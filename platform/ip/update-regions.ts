import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DataError } from '../../data/data-error.ts';
import { writeDurably } from '../../lib/durable-file.ts';
import { createHttpClient, HttpError } from '../../lib/http-client.ts';
import { parseAddress } from '../../lib/ip-address.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import type { LoadedConfig } from '../config/read-config.ts';
import { isMmdb, openDatabase } from './open-database.ts';
import type { RegionDatabase } from './region.ts';

/** Data of ip2region, Apache License 2.0, for IPv4 and IPv6. Its repository has no checksums. */
export const USUAL_SOURCES: readonly string[] = [4, 6].map(
  (version) => `https://github.com/lionsoul2014/ip2region/raw/master/data/ip2region_v${version}.xdb`,
);

/** A file that was put in its place. */
export interface UpdatedRegions {
  readonly file: string;
  readonly source: string;
  readonly format: 'mmdb' | 'xdb';
  readonly versions: readonly (4 | 6)[];
  readonly bytes: number;
  /** Hexadecimal; of the file as it came, packed or not. */
  readonly sha256: string;
}

/** The largest file, as it comes and unpacked: what a server keeps in memory. */
const MAX_BYTES = 500_000_000;
const TIMEOUT_MS = 600_000;
/** Addresses that every database knows: DNS servers that everybody may ask. */
const KNOWN = [
  '1.1.1.1',
  '8.8.8.8',
  '9.9.9.9',
  '114.114.114.114',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2620:fe::fe',
];

/** Returns where the databases of a configuration are: those that it names, otherwise below `base_dir`. */
export function locateDatabases({ config, file, baseDir }: LoadedConfig): { readonly 4: string; readonly 6: string } {
  const { db4, db6 } = config.utility.ip;
  const place = (named: string, version: 4 | 6): string =>
    named === '' ? usualPlace(baseDir, version) : resolve(dirname(file ?? '.'), named);
  return { 4: place(db4, 4), 6: place(db6, 6) };
}

/** Returns where `docbuild ip update` puts a database that the configuration does not name. */
export function usualPlace(baseDir: string, version: 4 | 6): string {
  return join(baseDir, 'ip', `regions-${version}.db`);
}

/**
 * Fetches databases from files and URLs, looks whether they can be used, and then puts them in their places, each in one step. Servers
 * read a file again when it changes. Throws DataError: `invalid` and `not-found` for a file that cannot be used, `busy` for a host that
 * does not answer, `unwritable`; then nothing has changed, but for files that were put in
 * their places before one that cannot be written.
 */
export async function updateRegions(
  loaded: LoadedConfig,
  { sources, sha256 }: { readonly sources: readonly string[]; readonly sha256?: string | undefined },
): Promise<readonly UpdatedRegions[]> {
  const { lang } = loaded.config.utility.ip;
  const places = locateDatabases(loaded);
  const fetched = [];
  for (const source of sources) {
    const packed = isWebUrl(source) ? await download(source) : await readFile(source);
    const sum = createHash('sha256').update(packed).digest('hex');
    if (sha256 !== undefined && sum !== sha256) {
      throw new DataError('invalid', `"${source}" has the SHA-256 ${sum}, not ${sha256}; it is not used`);
    }
    const bytes = await unpack(packed, source);
    const versions = await check(bytes, source, lang);
    fetched.push({ source, bytes, versions, sha256: sum, format: isMmdb(bytes) ? 'mmdb' : 'xdb' } as const);
  }
  // Files are looked up each by itself, so one that is new beside one that is old does no harm; the next update puts the other one in.
  const updated: UpdatedRegions[] = [];
  for (const { bytes, versions, ...about } of fetched) {
    // One file is for both: where IPv6 has none of its own, it is looked up in that for IPv4.
    const file = places[versions[0]!];
    await put(file, bytes);
    updated.push({ ...about, file, versions, bytes: bytes.length });
    if (versions.length === 1 || places[6] === file) continue;
    if (loaded.config.utility.ip.db6 === '') await rm(places[6], { force: true });
    else await put(places[6], bytes);
  }
  return updated;
}

async function download(url: string): Promise<Buffer> {
  const client = createHttpClient({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  try {
    const { status, body } = await client.send(url, { mayFollow: () => true });
    if (status === 200) return body;
    const code = status === 404 || status === 410 ? 'not-found' : 'busy';
    throw new DataError(code, `"${url}" answers with ${status}; name another place with --from`);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new DataError('busy', `Cannot fetch "${url}": ${error.message}`, { cause: error });
  } finally {
    await client.close();
  }
}

async function readFile(path: string): Promise<Buffer> {
  if (!existsSync(path)) throw new DataError('not-found', `File "${path}" does not exist`);
  try {
    const file = await open(path, 'r');
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new DataError('invalid', `"${path}" is no file`);
      if (stats.size > MAX_BYTES) throw new DataError('invalid', `"${path}" has more than ${MAX_BYTES} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError('invalid', `Cannot read "${path}": ${describeSystemError(error)}`, { cause: error });
  }
}

/** Unpacks what gzip has packed; anything else is returned as it is. */
async function unpack(bytes: Buffer, source: string): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw new DataError('invalid', `Cannot unpack "${source}": ${(error as Error).message}`, { cause: error });
  }
}

/** Opens a database and looks up addresses that it must know. Returns its versions of IP. */
async function check(bytes: Buffer, source: string, lang: string): Promise<readonly (4 | 6)[]> {
  const refuse = (why: string): never => {
    throw new DataError('invalid', `"${source}" cannot be used as an IP database: ${why}; the old data stays`);
  };
  let database: RegionDatabase;
  try {
    database = await openDatabase(bytes, lang);
  } catch (error) {
    return refuse((error as Error).message);
  }
  const known = KNOWN.map((text) => parseAddress(text)!).filter(({ version }) => database.versions.has(version));
  const regions = await Promise.all(known.map((address) => database.find(address).catch(() => undefined)));
  if (!regions.some((region) => region && region.country !== ''))
    refuse('it knows the country of no address that was tried');
  return [...database.versions].sort();
}

async function put(path: string, bytes: Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const folder = await open(dirname(path), 'r');
    try {
      await writeDurably(path, [bytes], { folder, beforeSwitch() {}, mode: 0o644 });
    } finally {
      await folder.close();
    }
    // Of data that can be fetched again no copy is needed.
    await rm(`${path}.bak`, { force: true });
  } catch (error) {
    throw new DataError('unwritable', `Cannot write "${path}": ${describeSystemError(error)}`, { cause: error });
  }
}
