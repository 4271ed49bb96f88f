import type { SourceFile } from '../../../builder/source/files/walk-tree.ts';

/** Returns files as a walk lists them, in order of their paths. */
export function createFiles(...paths: readonly string[]): readonly SourceFile[] {
  return [...paths].sort().map((path) => ({ path, oid: `blob:${path}` }));
}
