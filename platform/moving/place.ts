import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataError } from '../../data/data-error.ts';
import type { Vault, VaultReader } from '../../data/vault.ts';
import type { LogStorage } from '../builds/build-logs.ts';
import { createLogFiles, createSharedLogs } from '../builds/log-storages.ts';
import { parseS3Address } from '../sites/s3/s3-address.ts';
import { openBucket } from '../sites/s3/s3-bucket.ts';
import { openCredentials } from '../sites/s3/s3-credentials.ts';
import { openSiteBucket, openSiteFolders, type SiteSource, type SiteTarget } from './site-copies.ts';

/** Logs of builds beside records. */
interface WithLogs {
  readonly logs: LogStorage;
}

/** Returns whether a text is the URL of a database and not the path of a folder. */
export function isDatabase(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

/**
 * Opens the records of a database (`postgres://…`), or below a folder (a `base_dir`), for this process alone. Throws DataError
 * `busy` while a server uses them, `not-found` where there must be some.
 */
export async function openVault(
  place: string,
  { mustExist, onWarning }: { readonly mustExist: boolean; readonly onWarning: (message: string) => void },
): Promise<Vault & WithLogs> {
  if (isDatabase(place)) {
    const { openPostgresVault } = await import('../../data/postgres/open-postgres-vault.ts');
    const vault = await openPostgresVault(place, onWarning);
    if (mustExist) await checkWhole(vault);
    return { ...vault, logs: createSharedLogs(vault.logs, async () => false) };
  }
  const folder = join(resolve(place), 'store');
  if (mustExist && !existsSync(folder)) {
    throw new DataError('not-found', `There are no records: "${folder}" does not exist`);
  }
  const { openLowdbVault } = await import('../../data/lowdb/open-lowdb-vault.ts');
  const vault = await openLowdbVault(folder, onWarning);
  if (mustExist) await checkWhole(vault);
  return { ...vault, logs: createLogFiles(join(resolve(place), 'logs')) };
}

async function checkWhole(vault: Vault): Promise<void> {
  if ((await vault.findState()) !== 'unfinished') return;
  await vault.close();
  throw new DataError('invalid', `Cannot copy from ${vault.name}: bringing records there was interrupted`);
}

/** Opens the records of a place as they are at this moment, also while servers change them. Throws DataError. */
export async function openSnapshot(
  place: string,
  onWarning: (message: string) => void,
): Promise<VaultReader & WithLogs> {
  if (isDatabase(place)) {
    const { openPostgresSnapshot } = await import('../../data/postgres/open-postgres-vault.ts');
    const reader = await openPostgresSnapshot(place, onWarning);
    return { ...reader, logs: createSharedLogs(reader.logs, async () => false) };
  }
  const { openLowdbSnapshot } = await import('../../data/lowdb/open-lowdb-vault.ts');
  return { ...openLowdbSnapshot(join(resolve(place), 'store')), logs: createLogFiles(join(resolve(place), 'logs')) };
}

/** Opens the sites in a bucket (`s3://…`), whose credentials are in the environment, or below a folder. Throws DataError `invalid`. */
export async function openSitePlace(place: string): Promise<SiteSource & SiteTarget> {
  if (!place.startsWith('s3:')) return openSiteFolders(resolve(place));
  let address: ReturnType<typeof parseS3Address>;
  try {
    address = parseS3Address(place);
  } catch (cause) {
    throw new DataError('invalid', `"${place.slice(0, 200)}" ${(cause as Error).message}`, { cause });
  }
  return openSiteBucket(openBucket(address, openCredentials(process.env)), () => new Date());
}

/** The places that `docbuild store copy` takes. */
interface CopyPlaces {
  readonly from: string;
  readonly to: string;
  readonly sitesFrom?: string;
  readonly sitesTo?: string;
}

/**
 * Throws DataError: `invalid` for a URL that is neither a database nor a bucket, since as a folder it would be created, with the
 * password in its name; `not-found` where the named folder of sites does not exist.
 */
export function checkPlaces({ from, to, sitesFrom, sitesTo }: CopyPlaces): void {
  const check = (option: string, place: string | undefined, scheme: string): void => {
    if (place === undefined || place.startsWith(`${scheme}://`) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return;
    throw new DataError('invalid', `Cannot use what ${option} names: it must be a folder or begin with "${scheme}://"`);
  };
  if (!isDatabase(from)) check('--from', from, 'postgres');
  if (!isDatabase(to)) check('--to', to, 'postgres');
  check('--sites-from', sitesFrom, 's3');
  check('--sites-to', sitesTo, 's3');
  if (sitesFrom !== undefined && !sitesFrom.startsWith('s3:') && !existsSync(sitesFrom)) {
    throw new DataError('not-found', `There are no sites: "${resolve(sitesFrom)}" does not exist`);
  }
}

/** Throws DataError `invalid` where both are the same place. */
export function checkApart(from: string, to: string): void {
  const same = isDatabase(from) ? from === to : !isDatabase(to) && resolve(from) === resolve(to);
  if (same) throw new DataError('invalid', 'Cannot copy: --from and --to are the same place');
}

/** Returns where sites are copied from and to; undefined where they stay. Throws DataError `invalid`. */
export function chooseSites(places: CopyPlaces): { readonly from: string; readonly to: string } | undefined {
  const usual = (place: string): string | undefined => (isDatabase(place) ? undefined : join(resolve(place), 'sites'));
  const from = places.sitesFrom ?? usual(places.from);
  const to = places.sitesTo ?? usual(places.to);
  if (from === undefined && places.sitesTo !== undefined) {
    throw new DataError('invalid', 'Cannot copy sites: say with --sites-from where they are');
  }
  if (to === undefined && places.sitesFrom !== undefined) {
    throw new DataError('invalid', 'Cannot copy sites: say with --sites-to where they go');
  }
  return from === undefined || to === undefined || from === to ? undefined : { from, to };
}
