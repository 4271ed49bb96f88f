import type { PromiseFsClient } from 'isomorphic-git';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { CommitPast, ObjectReader, TreeEntry } from '../../model.ts';
import { createGitFiles, type GitFolders } from './git-files.ts';
import type { ObjectType, RawObject } from './object-folders.ts';
import { openObjectStore } from './object-store.ts';
import { FormatError } from './pack-entry.ts';

/** An `ObjectReader` over a git folder that also reads any object. */
export interface GitObjectReader extends ObjectReader {
  /** The git folder as isomorphic-git reads it. */
  readonly files: PromiseFsClient;
  /** Returns a commit with the parents that it names, whether they are here or not; undefined if it is missing itself. */
  findPast(oid: string): Promise<CommitPast | undefined>;
  findObject(oid: string): Promise<RawObject | undefined>;
  /** Returns the type of an object. Throws `BuildError` for one that is missing. */
  findType(oid: string): Promise<ObjectType>;
  /** Returns whether an object is here; it is not read. */
  has(oid: string): boolean;
  /** Forgets the list of objects and packs, since another process may have changed it. */
  forget(): void;
}

/**
 * Folders and commits that builds of this process have read, by repository and id: a push changes few of them. Those that git has
 * forgotten since are missing, as they are to a new process.
 */
const recentCommits = createBoundedMap<string, Commit>({ maxEntries: 2_000 });
const recentTrees = createBoundedMap<string, readonly TreeEntry[]>({
  maxWeight: 20_000,
  weigh: ({ length }) => length + 1,
});

/**
 * Creates a reader of a git folder. Throws `BuildError` `damaged-repository`, which names the object, for missing and
 * damaged ones; `getHint` returns what is said besides of a missing one, e.g. that the repository is a partial clone.
 */
export function createObjectReader(folders: GitFolders, getHint: () => string = () => ''): GitObjectReader {
  const { commonFolder } = folders;
  const store = openObjectStore(commonFolder);
  const findObject = (oid: string): Promise<RawObject | undefined> =>
    store.read(oid).catch((cause: unknown) => {
      const why =
        cause instanceof FormatError ? `damaged: ${cause.message}` : `unreadable: ${(cause as Error).message}`;
      throw new BuildError('damaged-repository', `Object ${oid} is ${why}`, { cause });
    });
  const files = createGitFiles(folders, store.has);
  const readObject = async (oid: string): Promise<RawObject> => {
    const object = await findObject(oid);
    if (!object) throw new BuildError('damaged-repository', `Object ${oid} is missing${getHint()}`);
    return object;
  };
  const readTyped = async (oid: string, type: ObjectType): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type === type) return object.bytes;
    const code = type === 'commit' ? 'no-such-ref' : 'damaged-repository';
    throw new BuildError(code, `Object ${oid} is a ${object.type}, not a ${type}`);
  };
  return {
    files,
    forget: store.forget,
    has: store.has,
    findObject,
    findType: async (oid) => (await readObject(oid)).type,
    async readCommit(oid) {
      const key = `${commonFolder}\0${oid}`;
      const known = recentCommits.get(key);
      if (known && store.has(oid)) return known;
      const { tree, time } = parseCommit(oid, await readTyped(oid, 'commit'));
      recentCommits.set(key, { tree, time });
      return { tree, time };
    },
    async findPast(oid) {
      const object = await findObject(oid);
      if (object?.type !== 'commit') return undefined;
      const { tree, parents, writtenAt } = parseCommit(oid, object.bytes);
      return { tree, parents, time: writtenAt };
    },
    async readTree(oid) {
      const key = `${commonFolder}\0${oid}`;
      const known = recentTrees.get(key);
      if (known && store.has(oid)) return known;
      const entries = parseTree(oid, await readTyped(oid, 'tree'));
      recentTrees.set(key, entries);
      return entries;
    },
    readBlob: (oid) => readTyped(oid, 'blob'),
  };
}

interface Commit {
  readonly tree: string;
  readonly time: number;
}

/**
 * Parses a commit by itself: isomorphic-git's `readCommit` takes 0.2 ms, which is long for histories, does not check the tree's id, and
 * its pattern for authors takes a minute for a line of 2 KB that was made for it (1.44; nobody has told upstream).
 */
function parseCommit(oid: string, bytes: Buffer): Commit & { readonly parents: readonly string[]; writtenAt: number } {
  const head = readHead(bytes);
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  if (tree === undefined) throw new BuildError('damaged-repository', `Commit ${oid} is damaged: it names no tree`);
  const timeOf = (line: RegExp): number => Number(line.exec(head)?.[1] ?? 0);
  return {
    tree,
    time: timeOf(/^committer .* (\d+) [+-]\d+$/m),
    parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent]) => parent!),
    writtenAt: timeOf(/^author .* (\d+) [+-]\d+$/m),
  };
}

const MAX_HEAD_BYTES = 1_000_000;

/** Returns what precedes the message of a commit or tag. */
function readHead(bytes: Buffer): string {
  const end = bytes.indexOf('\n\n');
  return bytes.toString('latin1', 0, Math.min(end < 0 ? bytes.length : end, MAX_HEAD_BYTES));
}

/** Returns the id of what an annotated tag leads to; undefined if it names none. */
export function parseTag(bytes: Buffer): string | undefined {
  return /^object ([0-9a-f]{40})$/m.exec(readHead(bytes))?.[1];
}

/**
 * Returns the entries of a git tree object in its own order. Only names that no file system path may hold (empty, `.`,
 * `..`, with a slash) are refused with `unsafe-name`; all others are returned unchanged and judged by `source/`. Format:
 * `<mode> <name>\0<20 bytes of object id>`, see git's Documentation/gitformat-pack and `ls-tree`.
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
