import type { SourceFile } from '../../../builder/source/walk-tree.ts';

/** Gives files as a walk gives them, in order of their paths. */
export function createFiles(...paths: readonly string[]): readonly SourceFile[] {
  return [...paths].sort().map((path) => ({ path, oid: `blob:${path}` }));
}
