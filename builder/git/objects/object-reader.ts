import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { CommitPast, ObjectReader, TreeEntry } from '../../model.ts';
import { FormatError } from './delta.ts';
import type { RawObject } from './object-folders.ts';
import { openObjectStore } from './object-store.ts';

/** An `ObjectReader` over a git folder that also reads any object. */
export interface GitObjectReader extends ObjectReader {
  /** Returns a commit with the parents that it names, whether they are here or not; undefined if it is missing itself. */
  findPast(oid: string): Promise<CommitPast | undefined>;
  readObject(oid: string): Promise<RawObject>;
  /** Returns undefined for an object that is missing. */
  findObject(oid: string): Promise<RawObject | undefined>;
  /** Forgets the list of objects and packs, since another process may have changed it. */
  forget(): void;
}

/** The description of the repository in messages about missing objects. */
export interface ObjectReaderOptions {
  readonly commonFolder: string;
  /** Added to the message about a missing object, e.g. that the repository is a partial clone. */
  readonly hint?: string;
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
 * damaged ones.
 */
export function createObjectReader({ commonFolder, hint = '' }: ObjectReaderOptions): GitObjectReader {
  const store = openObjectStore(commonFolder);
  const findObject = (oid: string): Promise<RawObject | undefined> =>
    store.read(oid).catch((cause: unknown) => {
      const why =
        cause instanceof FormatError ? `damaged: ${cause.message}` : `unreadable: ${(cause as Error).message}`;
      throw new BuildError('damaged-repository', `Object ${oid} is ${why}`, { cause });
    });
  const readObject = async (oid: string): Promise<RawObject> => {
    const object = await findObject(oid);
    if (!object) throw new BuildError('damaged-repository', `Object ${oid} is missing${hint}`);
    return object;
  };
  const readTyped = async (oid: string, type: string): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type === type) return object.bytes;
    throw new BuildError('damaged-repository', `Object ${oid} should be a ${type} but is a ${object.type}`);
  };
  return {
    forget: store.forget,
    readObject,
    findObject,
    async readCommit(oid) {
      const key = `${commonFolder}\0${oid}`;
      const known = recentCommits.get(key);
      if (known && store.has(oid)) return known;
      const object = await readObject(oid);
      if (object.type !== 'commit') {
        throw new BuildError('no-such-ref', `Object ${oid} is a ${object.type}, not a commit`);
      }
      const commit = parseCommit(oid, object.bytes.toString('latin1'));
      recentCommits.set(key, commit);
      return commit;
    },
    async findPast(oid) {
      const object = await findObject(oid);
      if (object?.type !== 'commit') return undefined;
      const text = object.bytes.toString('latin1');
      const head = text.split('\n\n', 1)[0] ?? '';
      return {
        tree: parseCommit(oid, text).tree,
        parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent]) => parent!),
        time: Number(/^author .* (\d+) [+-]\d+$/m.exec(head)?.[1] ?? 0),
      };
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

function parseCommit(oid: string, text: string): Commit {
  const head = text.split('\n\n', 1)[0] ?? '';
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  if (tree === undefined) throw new BuildError('damaged-repository', `Commit ${oid} is damaged: it names no tree`);
  // Some old commits have a committer line that git itself reads as time 0.
  return { tree, time: Number(/^committer .* (\d+) [+-]\d+$/m.exec(head)?.[1] ?? 0) };
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
