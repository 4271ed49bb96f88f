import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the bytes of a file, flushes and renames it, that many times, with nothing else; returns the time, ms. */
export function writePlainly(source: string, folder: string, times: number): number {
  const bytes = readFileSync(source);
  const [path, temporary] = [join(folder, 'plain'), join(folder, 'plain.tmp')];
  const start = performance.now();
  for (let i = 0; i < times; i++) {
    const file = openSync(temporary, 'w');
    let at = 0;
    while (at < bytes.length) at += writeSync(file, bytes, at);
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, path);
  }
  return performance.now() - start;
}
