import { append } from '../../../lib/append.ts';
import { judgeEntryName } from '../../entry-name.ts';
import type { ObjectReader, TreeEntry } from '../../model.ts';

/** A file or folder of a root tree, where it really is. */
export interface FoundEntry {
  readonly kind: 'file' | 'folder';
  readonly oid: string;
  /** From the repository's root, without symbolic links. */
  readonly path: string;
}

/** The reason why a path cannot be resolved. */
export interface PathObstacle {
  readonly kind: 'missing' | 'refused';
  /** Ends the sentence "the link is skipped:". */
  readonly why: string;
}

/** Resolves paths in one root tree; each folder is read once. */
export interface TreePaths {
  /**
   * Returns the entry at a path from the root. Symbolic links are followed inside the repository, as in a checkout; one
   * that leaves it is refused.
   */
  resolve(path: string): Promise<FoundEntry | PathObstacle>;
  /** Returns the file or folder at a path; undefined when there is none, or when a link to it is refused. */
  find(path: string): Promise<FoundEntry | undefined>;
}

/** Limit of links on the way to one file, as in Linux. */
const MAX_LINKS = 40;
const MAX_TARGET_BYTES = 4096;

/** Creates a resolver of paths in a root tree. Throws `damaged-repository` for trees that cannot be read. */
export function createTreePaths(reader: ObjectReader, rootTree: string): TreePaths {
  const folders = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  const readFolder = (oid: string): Promise<ReadonlyMap<string, TreeEntry>> => {
    let entries = folders.get(oid);
    if (!entries) {
      entries = reader.readTree(oid).then(mapNames);
      folders.set(oid, entries);
    }
    return entries;
  };

  async function resolve(path: string): Promise<FoundEntry | PathObstacle> {
    const pending = path.split('/').reverse();
    const above: { readonly name: string; readonly oid: string }[] = [];
    let links = 0;
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (above.pop() === undefined) return refuse('it points outside the repository');
        continue;
      }
      if (judgeEntryName(name).verdict === 'refuse') return refuse('it points into a git directory');
      const entries = await readFolder(above.at(-1)?.oid ?? rootTree);
      const entry = entries.get(name) ?? entries.get(name.normalize('NFC'));
      if (!entry) return { kind: 'missing', why: 'its target does not exist' };
      if (entry.kind === 'symbolic-link') {
        if (++links > MAX_LINKS) return refuse(`it is circular, or passes through more than ${MAX_LINKS} links`);
        const target = await readTarget(entry.oid);
        if (target === undefined) return refuse('it points outside the repository');
        append(pending, target.split('/').reverse());
      } else if (entry.kind === 'folder') {
        above.push(entry);
      } else if (entry.kind === 'submodule') {
        return refuse('it points into a submodule');
      } else {
        if (pending.some((part) => part !== '' && part !== '.'))
          return { kind: 'missing', why: 'its target does not exist' };
        return { kind: 'file', oid: entry.oid, path: [...above, entry].map((part) => part.name).join('/') };
      }
    }
    return { kind: 'folder', oid: above.at(-1)?.oid ?? rootTree, path: above.map((part) => part.name).join('/') };
  }

  /** Reads the target of a link; undefined if it cannot be a path inside a repository. */
  async function readTarget(oid: string): Promise<string | undefined> {
    const bytes = await reader.readBlob(oid);
    if (bytes.length === 0 || bytes.length > MAX_TARGET_BYTES || bytes.includes(0)) return undefined;
    const target = new TextDecoder().decode(bytes);
    return target.startsWith('/') || target.includes('\\') || /^[a-z]:/i.test(target) ? undefined : target;
  }

  return {
    resolve,
    async find(path) {
      const found = await resolve(path);
      return 'why' in found ? undefined : found;
    },
  };
}

/** Maps names to entries, and names in Unicode's composed form to those that are not, unless these are there, too. */
function mapNames(list: readonly TreeEntry[]): ReadonlyMap<string, TreeEntry> {
  const entries = new Map(list.map((entry) => [entry.name, entry]));
  for (const entry of list) {
    const composed = entry.name.normalize('NFC');
    if (!entries.has(composed)) entries.set(composed, entry);
  }
  return entries;
}

function refuse(why: string): PathObstacle {
  return { kind: 'refused', why };
}
