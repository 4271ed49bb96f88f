/** Thrown when stored or sent bytes violate git's format. The message completes "… is damaged: ". */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/**
 * Returns the sizes a delta declares, of its base and of its result, and where its instructions begin. Throws
 * `FormatError`. Format: git's Documentation/gitformat-pack, "Deltified representation".
 */
export function readDeltaSizes(delta: Uint8Array): {
  readonly base: number;
  readonly result: number;
  readonly start: number;
} {
  let at = 0;
  const readSize = (): number => {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta[at++];
      if (byte === undefined || factor > 2 ** 49) throw new FormatError('a delta declares no size');
      size += (byte & 127) * factor;
      if (byte < 128) return size;
    }
  };
  const base = readSize();
  return { base, result: readSize(), start: at };
}

/**
 * Returns the result of applying a delta to its base. Throws `FormatError` if they do not match, or if the result
 * exceeds `maxBytes`.
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const sizes = readDeltaSizes(delta);
  if (sizes.base !== base.length) throw new FormatError('a delta does not match its base');
  if (sizes.result > maxBytes) throw new FormatError(`a delta produces ${sizes.result} bytes, more than ${maxBytes}`);
  const result = Buffer.allocUnsafe(sizes.result);
  const end = delta.length;
  let at = sizes.start;
  let written = 0;
  while (at < end) {
    const instruction = delta[at++]!;
    if (instruction >= 128) {
      let from = 0;
      let size = 0;
      if (instruction & 1) from = delta[at++]!;
      if (instruction & 2) from |= delta[at++]! << 8;
      if (instruction & 4) from |= delta[at++]! << 16;
      if (instruction & 8) from += delta[at++]! * 0x1000000;
      if (instruction & 16) size = delta[at++]!;
      if (instruction & 32) size |= delta[at++]! << 8;
      if (instruction & 64) size |= delta[at++]! << 16;
      if (size === 0) size = 0x10000;
      if (at > end || from + size > base.length || written + size > result.length) throw outOfRange();
      copyBytes(base, from, result, written, size);
      written += size;
    } else {
      if (instruction === 0 || at + instruction > end || written + instruction > result.length) throw outOfRange();
      copyBytes(delta, at, result, written, instruction);
      at += instruction;
      written += instruction;
    }
  }
  if (written !== result.length) throw outOfRange();
  return result;
}

/** Most copies are of a few bytes, for which a call of `copy` takes longer than the loop. */
function copyBytes(source: Buffer, from: number, target: Buffer, to: number, size: number): void {
  if (size > 64) source.copy(target, to, from, from + size);
  else for (let index = 0; index < size; index += 1) target[to + index] = source[from + index]!;
}

function outOfRange(): FormatError {
  return new FormatError('a delta reaches beyond its base, its result or its own end');
}
