import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { IpAddress } from '../../lib/ip-address.ts';
import { createDatabaseFile, type DatabaseFile } from './create-database-file.ts';
import { findEmbedded } from './find-embedded.ts';
import { findRangeName } from './find-range-name.ts';
import { openEmbedded } from './open-embedded.ts';
import { openMmdb } from './open-mmdb.ts';
import { openXdb } from './open-xdb.ts';
import type { Region, RegionDatabase } from './region.ts';

/** Returns where addresses are used. */
export interface IpRegions {
  /** Returns the region of an address; its fields are '' where the data do not know. Reserved ranges are named in `isp`. */
  find(address: IpAddress): Promise<Region>;
  /** Warns of the operator's databases that do not exist. */
  check(): void;
}

/** Where the data are. */
export interface IpRegionsOptions {
  /** Paths of the operator's own databases, `.xdb` or `.mmdb`; '' = those that come with docbuild. */
  readonly db4: string;
  readonly db6: string;
  /** Language of names, where a database has several. */
  readonly lang: string;
  readonly onWarning: (message: string) => void;
  readonly nowMs: () => number;
}

const NOTHING: Region = { country: '', province: '', city: '', isp: '' };

/** Creates the lookup. Data are read when they are first needed; the operator's ones are read again when they change. */
export function createIpRegions({ db4, db6, lang, onWarning, nowMs }: IpRegionsOptions): IpRegions {
  const createFile = (path: string, version: 4 | 6): DatabaseFile | undefined => {
    if (path === '') return undefined;
    const isMmdb = extname(path).toLowerCase() === '.mmdb';
    const parse = async (bytes: Buffer): Promise<RegionDatabase> => {
      const database = await (isMmdb ? openMmdb(bytes, lang) : openXdb(bytes));
      if (!database.versions.has(version)) throw new Error(`it knows nothing of IPv${version}`);
      return database;
    };
    return createDatabaseFile({ path, parse, onWarning, nowMs });
  };
  const file4 = createFile(db4, 4);
  // One database may be about both.
  const file6 = db6 === db4 ? file4 : createFile(db6, 6);
  let embedded: Promise<RegionDatabase> | undefined;
  let hasComplained = false;

  const getEmbedded = (): Promise<RegionDatabase> => {
    embedded ??= openEmbedded().catch((error: unknown) => {
      embedded = undefined;
      throw error;
    });
    return embedded;
  };
  const complain = (error: unknown): void => {
    if (hasComplained) return;
    hasComplained = true;
    const kept = 'the data that come with docbuild are used for what it cannot tell';
    onWarning(`An IP database is damaged: ${(error as Error).message}; ${kept}`);
  };

  const findDatabase = async (version: 4 | 6): Promise<RegionDatabase> => {
    for (const file of version === 4 ? [file4] : [file6, file4]) {
      const database = await file?.get();
      if (database?.versions.has(version)) return database;
    }
    return getEmbedded();
  };
  return {
    check() {
      for (const path of new Set([db4, db6])) {
        if (path !== '' && !existsSync(path)) onWarning(`IP database "${path}" does not exist (yet)`);
      }
    },
    async find(asked) {
      const address = findEmbedded(asked);
      const reservedFor = findRangeName(address);
      if (reservedFor !== undefined) return { ...NOTHING, isp: reservedFor };
      const database = await findDatabase(address.version);
      try {
        return (await database.find(address)) ?? NOTHING;
      } catch (error) {
        // Not every record of a file is looked at before it is used.
        if (database === (await embedded)) throw error;
        complain(error);
        return (await (await getEmbedded()).find(address)) ?? NOTHING;
      }
    },
  };
}
