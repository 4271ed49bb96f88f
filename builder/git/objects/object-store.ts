import { join } from 'node:path';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { applyDelta, FormatError } from './delta.ts';
import {
  findObjectFolders,
  hashObject,
  isAbsent,
  type LooseObjects,
  listPackIndexes,
  openLooseObjects,
  type RawObject,
} from './object-folders.ts';
import { OBJECT_TYPES, openPackFile, type PackFile } from './pack-file.ts';

/** The objects of a git folder, packed and loose, including borrowed ones. */
export interface ObjectStore {
  /**
   * Returns an object, verified against its id; undefined if it does not exist, even after listing the folders again
   * (another process may have packed it). Throws `FormatError` when all its copies are damaged.
   */
  read(oid: string): Promise<RawObject | undefined>;
  /** Returns whether an object is listed; it is not read. */
  has(oid: string): boolean;
  /** Closes all files and forgets the list of objects. */
  forget(): void;
}

/** No published file is nearly as large. */
const MAX_OBJECT_BYTES = 512_000_000;
/** git itself never creates chains of more than 4,095 deltas. */
const MAX_CHAIN = 10_000;
const MAX_CHAIN_BYTES = 512_000_000;
/** Objects are cached because most are the base of others: a pack stores the versions of a file as one chain. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Overhead of a cached object besides its bytes. */
const OVERHEAD_BYTES = 500;

/** A snapshot of the existing objects and packs. */
interface Inventory {
  readonly packs: readonly PackFile[];
  readonly loose: LooseObjects;
  readonly damage: FormatError | undefined;
  readonly kept: KeptObjects;
  /** Number of running reads: files are closed when there are none. */
  users: number;
  isForgotten: boolean;
}

/** Opens the objects of a git folder. Its files are listed when the first object is read. */
export function openObjectStore(commonFolder: string): ObjectStore {
  let current: Inventory | undefined;
  const release = (inventory: Inventory): void => {
    if (inventory.isForgotten && inventory.users === 0) for (const pack of inventory.packs) pack.close();
  };
  const forget = (): void => {
    if (!current) return;
    current.isForgotten = true;
    release(current);
    current = undefined;
  };
  const readOnce = async (oid: string): Promise<RawObject | undefined> => {
    current ??= takeInventory(commonFolder);
    const inventory = current;
    inventory.users += 1;
    try {
      return await find(oid, inventory);
    } finally {
      inventory.users -= 1;
      release(inventory);
    }
  };
  return {
    forget,
    has(oid) {
      const id = Buffer.from(oid, 'hex');
      try {
        current ??= takeInventory(commonFolder);
        return current.packs.some((pack) => pack.find(id) !== undefined) || current.loose.has(oid);
      } catch {
        // Whoever reads the object learns why it cannot be read.
        return false;
      }
    },
    async read(oid) {
      const turn = yieldToEventLoop();
      if (turn) await turn;
      const found = await readOnce(oid);
      if (found) return found;
      forget();
      return readOnce(oid);
    },
  };
}

/** Opens every pack that has an index; those that cannot be read may contain nothing that is needed. */
function takeInventory(commonFolder: string): Inventory {
  const folders = findObjectFolders(join(commonFolder, 'objects'));
  const packs: PackFile[] = [];
  let damage: FormatError | undefined;
  for (const path of listPackIndexes(folders)) {
    try {
      packs.push(openPackFile(path, MAX_OBJECT_BYTES));
    } catch (error) {
      if (error instanceof FormatError) damage ??= error;
      else if (!isAbsent(error)) throw error;
    }
  }
  // An object is most likely in a large pack.
  packs.sort((a, b) => b.count - a.count);
  const loose = openLooseObjects(folders, MAX_OBJECT_BYTES);
  return { packs, loose, damage, kept: createKeptObjects(), users: 0, isForgotten: false };
}

/** Tries every copy of an object until one is intact. */
async function find(oid: string, { packs, loose, damage, kept }: Inventory): Promise<RawObject | undefined> {
  const id = Buffer.from(oid, 'hex');
  let failure = damage;
  for (const [number, pack] of [...packs, undefined].entries()) {
    try {
      const offset = pack?.find(id);
      if (pack && offset === undefined) continue;
      const found = pack ? await readPacked(pack, number, offset!, kept) : loose.read(oid);
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

/** Follows a chain of deltas to a whole object, or to one that is kept, and comes back. */
async function readPacked(pack: PackFile, number: number, offset: number, kept: KeptObjects): Promise<RawObject> {
  const chain: { readonly offset: number; readonly delta: Buffer }[] = [];
  let chainBytes = 0;
  let at = offset;
  let object = kept.get(number, at);
  while (!object) {
    const { kind, bytes, base } = pack.readEntry(at);
    if (base === undefined) {
      object = { type: OBJECT_TYPES[kind]!, bytes };
      kept.set(number, at, object);
      break;
    }
    chain.push({ offset: at, delta: bytes });
    chainBytes += bytes.length;
    if (chain.length > MAX_CHAIN || chainBytes > MAX_CHAIN_BYTES) {
      throw new FormatError('its chain of deltas is too long or circular');
    }
    at = base;
    object = kept.get(number, at);
    const turn = yieldToEventLoop();
    if (turn) await turn;
  }
  for (const { offset: place, delta } of chain.reverse()) {
    object = { type: object.type, bytes: applyDelta(object.bytes, delta, MAX_OBJECT_BYTES) };
    kept.set(number, place, object);
    const turn = yieldToEventLoop();
    if (turn) await turn;
  }
  return object;
}

interface KeptObjects {
  get(pack: number, offset: number): RawObject | undefined;
  set(pack: number, offset: number, object: RawObject): void;
}

/** Caches the most recently used objects, up to a number of bytes. */
function createKeptObjects(): KeptObjects {
  const objects = new Map<number, RawObject>();
  let bytes = 0;
  /** Packs are smaller than 2 ** 42 bytes (4 TB). */
  const keyOf = (pack: number, offset: number): number => pack * 2 ** 42 + offset;
  return {
    get(pack, offset) {
      const key = keyOf(pack, offset);
      const found = objects.get(key);
      if (!found) return undefined;
      objects.delete(key);
      objects.set(key, found);
      return found;
    },
    set(pack, offset, object) {
      const key = keyOf(pack, offset);
      const cost = object.bytes.length + OVERHEAD_BYTES;
      if (cost > MAX_KEPT_BYTES / 4 || objects.has(key)) return;
      objects.set(key, object);
      bytes += cost;
      for (const [oldest, dropped] of objects) {
        if (bytes <= MAX_KEPT_BYTES) break;
        objects.delete(oldest);
        bytes -= dropped.bytes.length + OVERHEAD_BYTES;
      }
    },
  };
}
