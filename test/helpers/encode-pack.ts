import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Kinds of entries by their number in a pack. */
export const KIND = { commit: 1, tree: 2, blob: 3, tag: 4, deltaByOffset: 6, deltaById: 7 } as const;

/** Returns the bytes of an entry; what it says of its size need not be true. */
export function encodeEntry(
  kind: number,
  content: Uint8Array,
  options: { readonly size?: number; readonly base?: Uint8Array } = {},
): Buffer {
  const size = options.size ?? content.length;
  const head = [(kind << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1]! |= 128;
    head.push(rest % 128);
  }
  return Buffer.concat([Buffer.from(head), options.base ?? Buffer.alloc(0), deflateSync(content)]);
}

/** Returns a distance of less than 16,512 as a delta names its base by it. */
export function encodeDistance(distance: number): Buffer {
  return distance < 128 ? Buffer.from([distance]) : Buffer.from([128 | ((distance >> 7) - 1), distance & 127]);
}

/** Returns a delta between contents of these sizes with the given instructions. */
export function encodeDelta(from: number, to: number, ...instructions: readonly number[]): Buffer {
  return Buffer.from([...encodeSize(from), ...encodeSize(to), ...instructions]);
}

function encodeSize(size: number): number[] {
  const bytes = [size % 128];
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest % 128);
  }
  return bytes;
}

/** Returns a pack of entries with its checksum. */
export function encodePack(entries: readonly Buffer[], count = entries.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Returns the id of a blob. */
export function blobId(content: string | Uint8Array): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
