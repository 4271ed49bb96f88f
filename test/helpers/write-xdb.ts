import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const HEADER = 256;
const VECTORS = 256 * 256;

/**
 * Returns an `.xdb` file: ranges of addresses (first, last, text), in ascending order, each inside of one /16 network. `structure`
 * is the version in its header.
 */
export function createXdb(
  ranges: readonly (readonly [first: string, last: string, text: string])[],
  structure: 2 | 3 = 3,
): Buffer {
  const version = isIP(ranges[0]![0]) as 4 | 6;
  const length = version === 4 ? 4 : 16;
  const header = Buffer.alloc(HEADER);
  const vectors = Buffer.alloc(VECTORS * 8);
  const texts: Buffer[] = [];
  const blocks: Buffer[] = [];
  const start = HEADER + vectors.length;
  const indexStart = start + ranges.reduce((sum, [, , text]) => sum + Buffer.byteLength(text), 0);
  let at = start;
  for (const [i, [first, last, text]] of ranges.entries()) {
    const [from, to] = [first, last].map((one) => Buffer.from(ipaddr.parse(one).toByteArray()));
    const block = Buffer.alloc(2 * length + 6);
    // IPv4 stands there with its least significant byte first.
    (version === 4 ? Buffer.from(from!).reverse() : from!).copy(block, 0);
    (version === 4 ? Buffer.from(to!).reverse() : to!).copy(block, length);
    block.writeUInt16LE(Buffer.byteLength(text), 2 * length);
    block.writeUInt32LE(at, 2 * length + 2);
    const vector = (from![0]! * 256 + from![1]!) * 8;
    const place = indexStart + i * block.length;
    if (vectors.readUInt32LE(vector) === 0) vectors.writeUInt32LE(place, vector);
    vectors.writeUInt32LE(place + block.length, vector + 4);
    at += Buffer.byteLength(text);
    texts.push(Buffer.from(text));
    blocks.push(block);
  }
  header.writeUInt16LE(structure, 0);
  header.writeUInt16LE(1, 2);
  header.writeUInt32LE(indexStart, 8);
  header.writeUInt32LE(indexStart + (blocks.length - 1) * blocks[0]!.length, 12);
  if (structure === 3) {
    header.writeUInt16LE(version, 16);
    header.writeUInt16LE(4, 18);
  }
  return Buffer.concat([header, vectors, ...texts, ...blocks]);
}
