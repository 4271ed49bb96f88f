import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { memoize } from '../../lib/bounded-map.ts';

const CELLS = 5;
const CELL_PIXELS = 6;
const BORDER = 1;
const SIZE = CELLS * CELL_PIXELS + 2 * BORDER;
/** Icons that are kept, of some 200 bytes each. */
const MAX_KEPT = 2_000;

/** Returns a small image that distinguishes projects, as the data URI of a PNG: a pattern and a colour derived from the name. */
export const drawIcon = memoize((name: string): string => {
  const hash = createHash('sha256').update(name).digest();
  const colour = [0, 1, 2].map((at) => 40 + (hash[at]! % 140));
  // Each row begins with the filter it uses (none), then one byte a pixel: its place in the palette.
  const rows = Array.from({ length: SIZE }, (_, y) => [
    0,
    ...Array.from({ length: SIZE }, (_, x) => pixel(hash, x, y)),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([255, 255, 255, ...colour])),
    chunk('tRNS', Buffer.from([0])),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString('base64')}`;
}, MAX_KEPT);

/** Left and right are alike, so that the pattern looks meant. */
function pixel(hash: Buffer, x: number, y: number): number {
  const [column, row] = [x, y].map((at) => Math.floor((at - BORDER) / CELL_PIXELS)) as [number, number];
  if (column < 0 || row < 0 || column >= CELLS || row >= CELLS) return 0;
  return hash[3 + row * 3 + Math.min(column, CELLS - 1 - column)]! & 1;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
