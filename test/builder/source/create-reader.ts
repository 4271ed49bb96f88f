import type { ObjectReader, TreeEntry } from '../../../builder/model.ts';

/** A tree as a test writes it: names to file contents, folders, or entries of other kinds. */
export interface TreeSketch {
  readonly [name: string]: string | TreeSketch | readonly TreeEntry[] | Special;
}

/** An entry that is neither file nor folder. */
export type Special = { readonly kind: 'symbolic-link' | 'submodule' };

export const symbolicLink: Special = { kind: 'symbolic-link' };
export const submodule: Special = { kind: 'submodule' };

/** An object reader in memory that counts what is read. */
export interface MemoryReader extends ObjectReader {
  /** Adds a tree and returns its id. */
  add(tree: TreeSketch): string;
  /** Adds a tree of ready entries, which may be hostile, and returns its id. */
  addEntries(entries: readonly TreeEntry[]): string;
  readonly readCount: () => number;
}

/** Returns an empty object reader in memory. */
export function createReader(): MemoryReader {
  const trees = new Map<string, readonly TreeEntry[]>();
  let reads = 0;
  const addEntries = (entries: readonly TreeEntry[]): string => {
    const oid = `tree${trees.size}`;
    trees.set(oid, entries);
    return oid;
  };
  const add = (tree: TreeSketch): string =>
    addEntries(
      Object.entries(tree).map(([name, value]): TreeEntry => {
        if (typeof value === 'string') return { name, kind: 'file', oid: `blob:${value}` };
        if (Array.isArray(value)) return { name, kind: 'folder', oid: addEntries(value) };
        if (value === symbolicLink || value === submodule) return { name, kind: (value as Special).kind, oid: 'other' };
        return { name, kind: 'folder', oid: add(value as TreeSketch) };
      }),
    );
  return {
    add,
    addEntries,
    readCount: () => reads,
    async readCommit(oid) {
      return { tree: oid, time: 0 };
    },
    async readTree(oid) {
      reads++;
      return trees.get(oid)!;
    },
    async readBlob(oid) {
      return Buffer.from(oid.replace(/^blob:/, ''));
    },
  };
}
