import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns all that is below a folder, by path: a hash of each file's bytes, `folder` for folders. Empty when it is absent. */
export function hashTree(folder: string): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        tree.set(below, 'folder');
        visit(below);
      } else if (entry.isFile()) {
        tree.set(
          below,
          createHash('sha1')
            .update(readFileSync(join(folder, below)))
            .digest('hex'),
        );
      } else {
        tree.set(below, 'neither file nor folder');
      }
    }
  };
  if (existsSync(folder)) visit('');
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the paths at which two trees differ, each with how; empty when they are the same. */
export function compareTrees(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): readonly string[] {
  const paths = [...new Set([...a.keys(), ...b.keys()])].sort();
  return paths
    .filter((path) => a.get(path) !== b.get(path))
    .map((path) => (!a.has(path) ? `more: ${path}` : !b.has(path) ? `less: ${path}` : `other: ${path}`));
}
