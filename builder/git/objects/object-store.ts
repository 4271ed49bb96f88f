import { join } from 'node:path';
import { type BoundedMap, createBoundedMap } from '../../../lib/bounded-map.ts';
import { hasCode } from '../../../lib/system-error.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import {
  findLooseObject,
  findObjectFolders,
  hashObject,
  listPackIndexes,
  type RawObject,
  readLooseObject,
} from './object-folders.ts';
import { applyDelta, FormatError, OBJECT_TYPES, type PackEntry } from './pack-entry.ts';
import { openPackFile, type PackFile } from './pack-file.ts';

/** The objects of a git folder, packed and loose, including borrowed ones. */
export interface ObjectStore {
  /**
   * Returns an object, verified against its id; undefined if it does not exist, even after listing the packs again
   * (another process may have packed it). Throws `FormatError` when all its copies are damaged.
   */
  read(oid: string): Promise<RawObject | undefined>;
  /** Returns whether an object is listed; it is not read. */
  has(oid: string): boolean;
  /** Closes all files and forgets the list of packs. */
  forget(): void;
}

const OID = /^[0-9a-f]{40}$/;
/** No published file is nearly as large. */
const MAX_OBJECT_BYTES = 512_000_000;
/** git itself never creates chains of more than 4,095 deltas. */
const MAX_CHAIN = 10_000;
const MAX_CHAIN_BYTES = 512_000_000;
/** Objects are cached because most are the base of others: a pack stores the versions of a file as one chain. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

interface Inventory {
  readonly folders: readonly string[];
  readonly packs: readonly (PackFile & { readonly read: ChainReader })[];
  readonly damage: FormatError | undefined;
}

/** Opens the objects of a git folder. Its packs are listed when the first object is read. */
export function openObjectStore(commonFolder: string): ObjectStore {
  let current: Inventory | undefined;
  const forget = (): void => {
    for (const pack of current?.packs ?? []) pack.close();
    current = undefined;
  };
  const list = (): Inventory => {
    current ??= takeInventory(findObjectFolders(join(commonFolder, 'objects')));
    return current;
  };
  return {
    forget,
    has(oid) {
      const id = Buffer.from(oid, 'hex');
      if (!OID.test(oid)) return false;
      try {
        const { packs, folders } = list();
        return packs.some(({ index }) => index.find(id) !== undefined) || findLooseObject(folders, oid) !== undefined;
      } catch {
        // Whoever reads the object learns why it cannot be read.
        return false;
      }
    },
    async read(oid) {
      const turn = yieldToEventLoop();
      if (turn) await turn;
      // A name from a commit or a tree must not become that of any file.
      if (!OID.test(oid)) return undefined;
      try {
        const found = find(oid, list());
        if (found) return found;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
      forget();
      return find(oid, list());
    },
  };
}

/** Opens every pack that has an index; those that cannot be read may contain nothing that is needed. */
function takeInventory(folders: readonly string[]): Inventory {
  const packs: PackFile[] = [];
  let damage: FormatError | undefined;
  for (const path of listPackIndexes(folders)) {
    try {
      packs.push(openPackFile(path, MAX_OBJECT_BYTES));
    } catch (error) {
      if (error instanceof FormatError) damage ??= error;
      else if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }
  // An object is most likely in a large pack.
  packs.sort((a, b) => b.index.count - a.index.count);
  const kept = keepObjects(MAX_KEPT_BYTES);
  const readers = packs.map((pack, number) => {
    const options = { findBase: pack.index.find, kept, number, maxBytes: MAX_OBJECT_BYTES };
    return { ...pack, read: createChainReader(pack.readEntry, options) };
  });
  return { folders, packs: readers, damage };
}

/** Tries every copy of an object until one is intact. */
function find(oid: string, { packs, folders, damage }: Inventory): RawObject | undefined {
  const id = Buffer.from(oid, 'hex');
  let failure = damage;
  for (const pack of [...packs, undefined]) {
    try {
      const place = pack ? pack.index.find(id) : findLooseObject(folders, oid);
      if (place === undefined) continue;
      const found = pack ? pack.read(place as number) : readLooseObject(place as string, MAX_OBJECT_BYTES);
      if (found && hashObject(found) !== oid) throw new FormatError('its content is that of another object');
      if (found) return found;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return undefined;
}

/** Returns the object at an offset of a pack. Throws `FormatError`. */
export type ChainReader = (offset: number) => RawObject;

export interface ChainOptions {
  readonly findBase: (id: Buffer) => number | undefined;
  /** Objects that were read last, of any pack. */
  readonly kept: BoundedMap<number, RawObject>;
  /** The number of the pack, for these. */
  readonly number: number;
  readonly maxBytes: number;
}

/** Creates a cache of objects up to a number of bytes, that of the cache itself included; one object takes half at most. */
export function keepObjects(maxBytes: number): BoundedMap<number, RawObject> {
  return createBoundedMap({
    maxWeight: maxBytes,
    weigh: ({ bytes }) => (bytes.length > maxBytes / 2 ? Number.POSITIVE_INFINITY : bytes.length + 500),
  });
}

/** Creates a reader that follows a chain of deltas to a whole object, or to one that is kept, and comes back. */
export function createChainReader(
  readEntry: (offset: number) => PackEntry,
  { findBase, kept, number, maxBytes }: ChainOptions,
): ChainReader {
  // Packs are smaller than 2 ** 42 bytes (4 TB).
  const start = number * 2 ** 42;
  return (offset) => {
    const chain: { readonly offset: number; readonly delta: Buffer }[] = [];
    let chainBytes = 0;
    let at = offset;
    let object = kept.get(start + at);
    while (!object) {
      const { kind, bytes, distance, baseId } = readEntry(at);
      const type = OBJECT_TYPES[kind];
      if (type !== undefined) {
        object = { type, bytes };
        kept.set(start + at, object);
        break;
      }
      chain.push({ offset: at, delta: bytes });
      chainBytes += bytes.length;
      if (chain.length > MAX_CHAIN || chainBytes > MAX_CHAIN_BYTES) {
        throw new FormatError('its chain of deltas is too long or circular');
      }
      const base = baseId ? findBase(baseId) : at - distance!;
      if (base === undefined) throw new FormatError('the base of a delta is not in its pack');
      at = base;
      object = kept.get(start + at);
    }
    for (const { offset: place, delta } of chain.reverse()) {
      object = { type: object.type, bytes: applyDelta(object.bytes, delta, maxBytes) };
      kept.set(start + place, object);
    }
    return object;
  };
}
