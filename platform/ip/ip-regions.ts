import { existsSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { fromBytes, type IpAddress } from '../../lib/ip-address.ts';
import { hasCode } from '../../lib/system-error.ts';
import { createDatabaseFile, type DatabaseFile } from './database-file.ts';
import { openEmbedded } from './embedded-database.ts';
import { openDatabase } from './open-database.ts';
import { type Region, type RegionDatabase, UNKNOWN_REGION } from './region.ts';

/** Returns where addresses are used. */
export interface IpRegions {
  /** Returns the region of an address, with '' for what is unknown and reserved ranges in `isp`; undefined where there are no data at all. */
  find(address: IpAddress): Promise<Region | undefined>;
  /** Warns about databases of the operator that do not exist. */
  check(): void;
}

interface IpRegionsOptions {
  /** Paths of the operator's databases, `.xdb` or `.mmdb`; '' = what was fetched, else the data included in docbuild. */
  readonly db4: string;
  readonly db6: string;
  /** Paths of what `docbuild ip update` has fetched, where the operator names no database. */
  readonly fetched: { readonly 4: string; readonly 6: string };
  /** Language of names, where a database has several. */
  readonly lang: string;
  readonly onWarning: (message: string) => void;
  readonly nowMs: () => number;
  /** Opens the data included in docbuild. */
  readonly openIncluded?: () => Promise<RegionDatabase>;
}

/** Creates the lookup. Data is read on first use; the operator's files are read again when they change. */
export function createIpRegions(options: IpRegionsOptions): IpRegions {
  const { db4, db6, fetched, lang, onWarning, nowMs, openIncluded = openEmbedded } = options;
  const createFile = (path: string, version: 4 | 6): DatabaseFile => {
    const isOptional = path === '';
    const parse = async (bytes: Buffer): Promise<RegionDatabase> => {
      const database = await openDatabase(bytes, lang);
      if (!database.versions.has(version)) throw new Error(`it contains no IPv${version} addresses`);
      return database;
    };
    return createDatabaseFile({ path: isOptional ? fetched[version] : path, isOptional, parse, onWarning, nowMs });
  };
  const file4 = createFile(db4, 4);
  // One database may cover both.
  const file6 = db6 === db4 && db4 !== '' ? file4 : createFile(db6, 6);
  let embedded: Promise<RegionDatabase | undefined> | undefined;
  let hasComplained = false;

  /** The data are an optional dependency: who installs without these has none, until the operator fetches some. */
  const getEmbedded = (): Promise<RegionDatabase | undefined> => {
    embedded ??= openIncluded().catch((error: unknown) => {
      if (!hasCode(error, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND')) {
        embedded = undefined;
        throw error;
      }
      onWarning('No data of the IP lookup are installed: "docbuild ip update" fetches them');
      return undefined;
    });
    return embedded;
  };
  const complain = (error: unknown): void => {
    if (hasComplained) return;
    hasComplained = true;
    const kept = 'the data included in docbuild is used where it fails';
    onWarning(`An IP database is damaged: ${(error as Error).message}; ${kept}`);
  };

  const findDatabase = async (version: 4 | 6): Promise<RegionDatabase | undefined> => {
    const files6 = db6 === '' ? [file4, file6] : [file6, file4];
    for (const file of version === 4 ? [file4] : files6) {
      const database = await file.get();
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
      if (reservedFor !== undefined) return { ...UNKNOWN_REGION, isp: reservedFor };
      const database = await findDatabase(address.version);
      if (!database) return undefined;
      try {
        return (await database.find(address)) ?? UNKNOWN_REGION;
      } catch (error) {
        // Not every record of a file is checked before it is used.
        if (database === (await embedded)) throw error;
        complain(error);
        return (await (await getEmbedded())?.find(address)) ?? UNKNOWN_REGION;
      }
    },
  };
}

/** IPv6 ranges whose addresses contain an IPv4 address: their first bytes, its position, and whether it is inverted. */
const TUNNELS: readonly { readonly start: readonly number[]; readonly at: number; readonly isInverted?: true }[] = [
  // 6to4, RFC 3056.
  { start: [0x20, 0x02], at: 2 },
  // Teredo, RFC 4380: the client's address with every bit inverted.
  { start: [0x20, 0x01, 0, 0], at: 12, isInverted: true },
  // NAT64, RFC 6052.
  { start: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  // IPv4-translated, RFC 2765.
  { start: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: 12 },
];

/** Returns the IPv4 address inside that of a tunnel or translator, and every other address unchanged. */
export function findEmbedded(address: IpAddress): IpAddress {
  const { bytes, version } = address;
  if (version === 4) return address;
  const tunnel = TUNNELS.find(({ start }) => start.every((byte, i) => bytes[i] === byte));
  if (!tunnel) return address;
  const { at, isInverted } = tunnel;
  return fromBytes(bytes.slice(at, at + 4).map((byte) => (isInverted ? byte ^ 0xff : byte)));
}

/** Ranges that do not belong to the public network, by the IANA special-purpose address registries; more specific ones first. */
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
/** The part of IPv6 that addresses are assigned from, RFC 4291. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Addresses inside the ranges above that are global nevertheless. */
const GLOBAL = ['192.0.0.9/32', '192.0.0.10/32', '2001:1::1/128', '2001:1::2/128', '2001:3::/32', '2001:4:112::/48'];

type Range = ReturnType<typeof ipaddr.parseCIDR>;
const parseRange = (range: string): Range => ipaddr.parseCIDR(range);
const ranges = RANGES.map(([name, ...list]) => [name, list.map(parseRange)] as const);
const global = GLOBAL.map(parseRange);

/** Returns what an address is reserved for; undefined for addresses of the public network. */
export function findRangeName({ bytes, version }: IpAddress): string | undefined {
  const address = ipaddr.fromByteArray([...bytes]);
  const isIn = (range: Range): boolean => range[0].kind() === address.kind() && address.match(range);
  if (global.some(isIn)) return undefined;
  const found = ranges.find(([, list]) => list.some(isIn));
  return found?.[0] ?? (version === 6 && !isIn(GLOBAL_UNICAST) ? 'Reserved' : undefined);
}
