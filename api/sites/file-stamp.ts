import type { BigIntStats } from 'node:fs';

/** What tells one content of a file from another without reading it. */
export type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

/** Checks whether two stamps are of one file with one content. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size && a.dev === b.dev;
}

/** Returns a stamp as text. */
export function formatStamp({ dev, ino, size, mtimeNs }: FileStamp): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}
