import { createHash } from 'node:crypto';
import { inflateSync, type Zlib } from 'node:zlib';
import { BuildError } from '../build-error.ts';

/** How large the objects of a pack may be when unpacked. */
export interface PackLimits {
  readonly maxObjectBytes: number;
  /** Of all objects together; a delta counts as what it makes. */
  readonly maxTotalBytes: number;
}

const deltaByOffset = 6;
const deltaById = 7;

/**
 * Checks a pack before it is stored and unpacked, and gives the number of objects it says it has. A pack that was cut
 * off has a wrong checksum, which isomorphic-git would not notice. A small pack may unpack to more than there is memory,
 * by zlib or by deltas that repeat their source, and isomorphic-git has no limit for that.
 * Format: git's Documentation/gitformat-pack.
 */
export function checkPack(pack: Buffer, limits: PackLimits): number {
  const hash = createHash('sha1').update(pack.subarray(0, -20)).digest('hex');
  if (pack.length < 32 || hash !== pack.toString('hex', pack.length - 20)) {
    throw new BuildError('network', 'The server ended its answer too early: the pack it sent is not complete');
  }
  const count = pack.readUInt32BE(8);
  let at = 12;
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const object = measureObject(pack, at, limits.maxObjectBytes);
    total += object.bytes;
    at = object.end;
    if (object.bytes > limits.maxObjectBytes) throw tooLarge('an object', limits.maxObjectBytes);
    if (total > limits.maxTotalBytes) throw tooLarge('objects', limits.maxTotalBytes);
  }
  return count;
}

/** Gives how many bytes the object that begins at an offset has when unpacked, and where it ends. */
function measureObject(
  pack: Buffer,
  start: number,
  maxBytes: number,
): { readonly bytes: number; readonly end: number } {
  let at = start;
  let byte = pack.readUInt8(at++);
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte >= 128; factor *= 128) {
    byte = pack.readUInt8(at++);
    size += (byte & 127) * factor;
  }
  if (size > maxBytes) throw tooLarge('an object', maxBytes);
  if (type === deltaById) at += 20;
  if (type === deltaByOffset) while (pack.readUInt8(at++) >= 128);
  const { buffer, engine } = unpack(pack.subarray(at, -20), size);
  const bytes = type === deltaById || type === deltaByOffset ? measureDelta(buffer) : size;
  return { bytes, end: at + engine.bytesWritten };
}

function unpack(bytes: Buffer, size: number) {
  try {
    const options = { info: true, chunkSize: Math.max(64, size + 1), maxOutputLength: Math.max(64, size + 1) };
    return inflateSync(bytes, options) as unknown as { readonly buffer: Buffer; readonly engine: Zlib };
  } catch (cause) {
    throw new BuildError('damaged-repository', 'The server sent a pack that cannot be unpacked', { cause });
  }
}

/** Gives how many bytes the instructions of a delta write. */
function measureDelta(delta: Buffer): number {
  let at = 0;
  for (let sizes = 0; sizes < 2; sizes += 1) while (delta.readUInt8(at++) >= 128);
  let written = 0;
  while (at < delta.length) {
    const instruction = delta.readUInt8(at++);
    if (instruction < 128) {
      written += instruction;
      at += instruction;
      continue;
    }
    for (let bit = 0; bit < 4; bit += 1) if (instruction & (1 << bit)) at += 1;
    let copied = 0;
    for (let bit = 4; bit < 7; bit += 1)
      if (instruction & (1 << bit)) copied += delta.readUInt8(at++) << ((bit - 4) * 8);
    written += copied === 0 ? 0x10000 : copied;
  }
  return written;
}

function tooLarge(what: string, bytes: number): BuildError {
  const megabytes = Math.floor(bytes / 1024 / 1024);
  return new BuildError('fetch-limit', `The server sent ${what} of more than ${megabytes} MB when unpacked`);
}
