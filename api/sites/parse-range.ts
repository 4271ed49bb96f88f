/** Part of a body: bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` field (RFC 9110) for a body of `size` bytes. Returns undefined where the whole body is to be sent (another
 * unit, malformed, several ranges), `none` where the body has no such bytes.
 */
export function parseRange(field: string, size: number): ByteRange | 'none' | undefined {
  const set = /^bytes=(.*)$/i.exec(field)?.[1];
  const specs = set?.split(',').flatMap((spec) => spec.trim() || []);
  const [, first, last] = /^(\d*)-(\d*)$/.exec(specs?.length === 1 ? specs[0]! : '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && isLess(last, first)) return undefined;
  return start >= size ? 'none' : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Compares whole numbers of any length. */
function isLess(a: string, b: string): boolean {
  return BigInt(a) < BigInt(b);
}
