import { BuildError } from '../build-error.ts';
import type { TreeEntry } from '../model.ts';

/**
 * Returns the entries of a git tree object in its own order. Only names that no file system path may hold (empty, `.`,
 * `..`, with a slash) are refused with `unsafe-name`; all others pass unchanged, for the source room to
 * judge.
 * Format: `<mode> <name>\0<20 bytes of object id>`, see git's Documentation/gitformat-pack and `ls-tree`.
 */
export function parseTree(oid: string, bytes: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (end < 0 || end + 21 > bytes.length) throw damagedTree(oid);
    const name = bytes.toString('utf8', space + 1, end);
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new BuildError('unsafe-name', `Tree ${oid} contains an entry with the unsafe name ${JSON.stringify(name)}`);
    }
    const kind = findKind(bytes.toString('latin1', at, space));
    if (kind === undefined) throw damagedTree(oid);
    entries.push({ name, kind, oid: bytes.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

/** Returns the kind of an entry from its mode (octal); undefined for a mode git does not know. */
function findKind(mode: string): TreeEntry['kind'] | undefined {
  if (mode === '40000' || mode === '040000') return 'folder';
  if (/^100[0-7]{3}$/.test(mode)) return 'file';
  if (mode === '120000') return 'symbolic-link';
  if (mode === '160000') return 'submodule';
  return undefined;
}

function damagedTree(oid: string): BuildError {
  return new BuildError('damaged-repository', `Tree ${oid} is damaged: it cannot be parsed`);
}
