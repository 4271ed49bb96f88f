import { createHash } from 'node:crypto';

/** Facts about the entries of a pack that is being written, in its order: 33 bytes an entry. */
export interface PackEntries {
  count: number;
  offsets: Float64Array;
  /** Checksums of the entries as they are stored. */
  crcs: Uint32Array;
  /** Types of objects; 0 while it is not known. */
  types: Uint8Array;
  /** 20 bytes an entry. */
  oids: Buffer;
}

/** Creates an empty table that grows with its entries: a number announced by a server reserves no memory. */
export function createEntries(room = 1_000): PackEntries {
  return {
    count: 0,
    offsets: new Float64Array(room),
    crcs: new Uint32Array(room),
    types: new Uint8Array(room),
    oids: Buffer.alloc(room * 20),
  };
}

export function addEntry(entries: PackEntries, offset: number, crc: number): number {
  const entry = entries.count++;
  if (entry === entries.offsets.length) {
    const { count: _, ...larger } = createEntries(entry * 2);
    larger.offsets.set(entries.offsets);
    larger.crcs.set(entries.crcs);
    larger.types.set(entries.types);
    larger.oids.set(entries.oids);
    Object.assign(entries, larger);
  }
  entries.offsets[entry] = offset;
  entries.crcs[entry] = crc;
  return entry;
}

/** Returns the bytes of an index of version 2. Format: git's Documentation/gitformat-pack. */
export function encodeIndex({ count, oids, crcs, offsets }: PackEntries, packChecksum: Buffer): Buffer {
  const large = offsets.subarray(0, count).filter((offset) => offset >= 2 ** 31);
  const index = Buffer.alloc(8 + 1024 + count * 28 + large.length * 8 + 40);
  const [oidsStart, crcsStart] = [8 + 1024, 8 + 1024 + count * 20];
  const [offsetsStart, largeStart] = [crcsStart + count * 4, crcsStart + count * 8];
  index.writeUInt32BE(0xff744f63, 0);
  index.writeUInt32BE(2, 4);
  let largeCount = 0;
  for (const [place, entry] of sortByOid(oids, count).entries()) {
    oids.copy(index, oidsStart + place * 20, entry * 20, entry * 20 + 20);
    const first = 8 + oids[entry * 20]! * 4;
    index.writeUInt32BE(index.readUInt32BE(first) + 1, first);
    index.writeUInt32BE(crcs[entry]!, crcsStart + place * 4);
    const offset = offsets[entry]!;
    if (offset >= 2 ** 31) index.writeBigUInt64BE(BigInt(offset), largeStart + largeCount * 8);
    index.writeUInt32BE(offset < 2 ** 31 ? offset : 2 ** 31 + largeCount++, offsetsStart + place * 4);
  }
  for (let at = 12; at < oidsStart; at += 4)
    index.writeUInt32BE(index.readUInt32BE(at - 4) + index.readUInt32BE(at), at);
  packChecksum.copy(index, index.length - 40);
  const hash = createHash('sha1').update(index.subarray(0, -20)).digest();
  hash.copy(index, index.length - 20);
  return index;
}

function sortByOid(oids: Buffer, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, entry) => entry);
  return order.sort((a, b) => oids.compare(oids, b * 20, b * 20 + 20, a * 20, a * 20 + 20));
}
