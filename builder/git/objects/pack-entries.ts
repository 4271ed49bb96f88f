/** The entries of a pack, in its order. */
export interface PackEntries {
  count: number;
  offsets: Float64Array;
  /** Checksums of the entries as they are stored. */
  crcs: Uint32Array;
  /** Types of whole objects and of deltas that are resolved; 0 for other deltas. */
  types: Uint8Array;
  /** 20 bytes an entry; zeros while the type is 0. */
  oids: Buffer;
  /** The entry that a delta is based on where it says so by an offset; else -1. */
  bases: Int32Array;
}

/** An entry takes 50 bytes in memory. */
export const MAX_ENTRIES = 4_000_000;

/** Creates an empty table that will probably hold some number of entries. */
export function createEntries(expected: number): PackEntries {
  // A number announced by a server does not reserve memory.
  const room = Math.min(expected, 50_000) + 16;
  return {
    count: 0,
    offsets: new Float64Array(room),
    crcs: new Uint32Array(room),
    types: new Uint8Array(room),
    oids: Buffer.alloc(room * 20),
    bases: new Int32Array(room),
  };
}

/** Adds an entry and returns its number. */
export function addEntry(entries: PackEntries, offset: number, base = -1): number {
  const { count } = entries;
  if (count === entries.offsets.length) {
    entries.offsets = copyInto(new Float64Array(count * 2), entries.offsets);
    entries.crcs = copyInto(new Uint32Array(count * 2), entries.crcs);
    entries.types = copyInto(new Uint8Array(count * 2), entries.types);
    entries.oids = copyInto(Buffer.alloc(count * 40), entries.oids);
    entries.bases = copyInto(new Int32Array(count * 2), entries.bases);
  }
  entries.offsets[count] = offset;
  entries.bases[count] = base;
  entries.count += 1;
  return count;
}

function copyInto<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from);
  return to;
}
