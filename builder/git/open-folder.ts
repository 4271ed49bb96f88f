import { createHash } from 'node:crypto';
import { constants, promises as disk, realpathSync } from 'node:fs';
import { BuildError } from '../build-error.ts';
import type { Repository, TreeEntry } from '../model.ts';
import { type ScannedEntry, type ScannedFolder, scanFolder } from './scan-folder.ts';

/** Files above this many bytes get an id from size and times instead of from their content. */
const maxHashedBytes = 64 * 1024 * 1024;

/** How many files of one folder are read at a time. */
const parallelReads = 16;

/**
 * Opens a plain folder as a repository with one ref, `current`. Opening only looks at names, sizes and times; the id
 * of the ref, and of each tree, is a hash of those (and of the folder's path), so it changes when anything below does,
 * and means nothing elsewhere. The id of a blob is git's own, a hash of its content, found out when the tree that
 * holds the file is read. The folder is seen as it was when it was opened: open it anew to see changes.
 */
export async function openFolder(label: string, path: string): Promise<Repository> {
  const root = realpathSync(path);
  const folders = scanFolder(root);
  const rootFolder = folders.get(root)!;
  const byMark = new Map([...folders].map(([, folder]) => [folder.mark, folder]));
  const commit = createHash('sha1').update(`folder ${rootFolder.mark}`).digest('hex');
  const blobs = new Map<string, ScannedEntry>();
  const trees = new Map<string, Promise<readonly TreeEntry[]>>();

  const readEntry = async (entry: ScannedEntry): Promise<TreeEntry> => {
    const { name, kind } = entry;
    if (kind === 'folder') return { name, kind, oid: entry.mark };
    const oid = entry.size > maxHashedBytes ? entry.mark : hashBlob(await readContent(entry));
    blobs.set(oid, entry);
    return { name, kind, oid };
  };
  const readFolder = async ({ entries }: ScannedFolder): Promise<readonly TreeEntry[]> => {
    const read: TreeEntry[] = [];
    for (let at = 0; at < entries.length; at += parallelReads) {
      read.push(...(await Promise.all(entries.slice(at, at + parallelReads).map(readEntry))));
    }
    return read;
  };
  return {
    kind: 'folder',
    label,
    webUrl: undefined,
    head: 'current',
    refs: [{ name: 'current', kind: 'worktree', oid: commit }],
    async readCommit(oid) {
      if (oid !== commit) throw unknownObject(oid, label);
      return { tree: rootFolder.mark, time: Math.floor(rootFolder.time) };
    },
    async readTree(oid) {
      const folder = byMark.get(oid);
      if (folder === undefined) throw unknownObject(oid, label);
      const tree = trees.get(oid) ?? readFolder(folder);
      trees.set(oid, tree);
      return tree;
    },
    async readBlob(oid) {
      const entry = blobs.get(oid);
      if (entry === undefined) throw unknownObject(oid, label);
      const bytes = await readContent(entry);
      if (entry.size > maxHashedBytes || hashBlob(bytes) === oid) return bytes;
      throw new BuildError('damaged-repository', `File "${entry.path}" was changed while it was being read`);
    },
    async fetch(wanted, listener) {
      for (const ref of wanted) listener?.onFetched?.(ref);
    },
    async close() {
      trees.clear();
      blobs.clear();
    },
  };
}

/** Returns a file's bytes, or the target of a symbolic link. A file that became a link since it was seen is refused. */
async function readContent({ path, kind }: ScannedEntry): Promise<Buffer> {
  try {
    if (kind === 'symbolic-link') return await disk.readlink(path, { encoding: 'buffer' });
    return await disk.readFile(path, { flag: constants.O_RDONLY | constants.O_NOFOLLOW } as never);
  } catch (cause) {
    throw new BuildError('damaged-repository', `Cannot read "${path}": ${(cause as Error).message}`, { cause });
  }
}

/** Returns the id git gives a blob of this content. */
function hashBlob(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function unknownObject(oid: string, label: string): BuildError {
  return new BuildError('damaged-repository', `Object ${oid} is not in folder "${label}"`);
}
