import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  promises as disk,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { append } from '../../lib/append.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { findMachineError } from '../../lib/system-error.ts';
import { BuildError } from '../build-error.ts';
import type { FolderPast, PastReader, Repository, TreeEntry } from '../model.ts';

/** Files above this many bytes get an id from size and times instead of from their content. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;

const PARALLEL_READS = 16;
/** Files of a folder that are read here and now, as those that somebody saved: other threads take longer to begin with them. */
const FEW_FILES = 4;
/** Larger files are read by other threads. */
const MAX_BYTES_NOW = 1_000_000;

/** Number of equal files whose places are remembered. */
const MAX_EQUAL = 8;
/** Number of blob ids that are remembered by path, size and times of their files. */
const KNOWN_BLOBS = 100_000;
/** File system clocks advance in steps of up to 10 ms: two writes within one step leave the same times. */
const RACY_MS = 50;

/**
 * Opens a plain folder as a repository with one ref, `current`. Opening only looks at names, sizes and times; the id of
 * the ref, and of each tree, is a hash of those (and of the folder's path), so it changes when anything below does, and
 * is meaningless elsewhere. The id of a blob is git's own, a hash of its content, computed when the tree that contains
 * the file is read. The folder is seen as it was when it was opened: open it again to see changes. Its files have
 * the dates of `past`.
 */
export async function openFolder(label: string, path: string, past?: FolderPast): Promise<Repository> {
  const folder = createFolderReader(label, path);
  return { ...folder.open(await past?.look()), past: past?.past, close: async () => past?.forget() };
}

/** Reads one folder repeatedly; unchanged files and folders are not examined again. */
export interface FolderReader {
  /**
   * Opens the folder in its present state, as `openFolder` does; repositories opened earlier must not be used any more. `head` is
   * the commit whose history its files have.
   */
  open(head?: string): Repository;
  /** Discards what is known about these absolute paths and everything below them; without paths, about the whole folder. */
  forget(paths?: readonly string[]): void;
}

/** Creates the reader of a folder; files and folders for whose absolute path `isIgnored` returns true are left out. */
export function createFolderReader(
  label: string,
  path: string,
  isIgnored: (path: string, isFolder: boolean) => boolean = () => false,
): FolderReader {
  const root = realpathSync(path);
  const folders = new Map<string, ScannedFolder>();
  /** The last ones of files that are equal: one of them may go while the folders of the others stay as they are. */
  const blobs = new Map<string, readonly ScannedEntry[]>();
  const knownIds = createBoundedMap<string, string>({ maxEntries: KNOWN_BLOBS });
  let byMark = new Map<string, ScannedFolder>();
  let trees = new Map<string, Promise<readonly TreeEntry[]>>();

  const findId = ({ kind, size, mark }: ScannedEntry): string | undefined =>
    kind === 'folder' || size > MAX_HASHED_BYTES ? mark : knownIds.get(mark);
  const readEntry = async (entry: ScannedEntry, read: ContentReader): Promise<TreeEntry> => {
    const { name, kind, mark } = entry;
    let oid = findId(entry);
    if (oid === undefined) {
      const isSettled = Date.now() - entry.changedMs > RACY_MS;
      oid = hashBlob(await read(entry));
      if (isSettled) knownIds.set(mark, oid);
    }
    if (kind !== 'folder') {
      const others = blobs.get(oid)?.filter(({ path }) => path !== entry.path) ?? [];
      blobs.set(oid, [entry, ...others.slice(0, MAX_EQUAL - 1)]);
    }
    return { name, kind, oid };
  };
  const readFolder = async ({ entries }: ScannedFolder): Promise<readonly TreeEntry[]> => {
    const unknown = entries.filter((entry) => findId(entry) === undefined);
    const reader = unknown.length > FEW_FILES ? readContent : readContentNow;
    const read: TreeEntry[] = [];
    for (let at = 0; at < entries.length; at += PARALLEL_READS) {
      const some = entries.slice(at, at + PARALLEL_READS);
      append(read, await Promise.all(some.map((entry) => readEntry(entry, reader))));
    }
    return read;
  };

  return {
    open(head = '') {
      const rootFolder = scanFolder(root, folders, isIgnored);
      const [oldTrees, oldMarks] = [trees, byMark];
      byMark = new Map([...folders.values()].map((folder) => [folder.mark, folder]));
      trees = new Map([...oldTrees].filter(([mark]) => byMark.get(mark) === oldMarks.get(mark)));
      const commit = createHash('sha1').update(`folder ${rootFolder.mark} ${head}`).digest('hex');
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
          let problem: unknown = unknownObject(oid, label);
          for (const entry of blobs.get(oid) ?? []) {
            try {
              // It was read for its id a moment ago: the system has it in memory.
              const bytes = await readContentNow(entry);
              if (entry.size > MAX_HASHED_BYTES || hashBlob(bytes) === oid) return bytes;
              problem = new BuildError(
                'damaged-repository',
                `File "${entry.path}" was changed while it was being read`,
              );
            } catch (error) {
              problem = error;
            }
          }
          throw problem;
        },
        async fetch(wanted, listener) {
          for (const ref of wanted) listener?.onFetched?.(ref);
        },
        async close() {},
      };
    },
    forget(paths) {
      if (!paths) folders.clear();
      for (const changed of paths ?? []) {
        for (const known of folders.keys()) if (known.startsWith(changed + sep)) folders.delete(known);
        for (let at = changed; at.length >= root.length; at = dirname(at)) {
          folders.delete(at);
          if (at === dirname(at)) break;
        }
      }
    },
  };
}

type ContentReader = (entry: ScannedEntry) => Buffer | Promise<Buffer>;

/** Returns a file's bytes, or the target of a symbolic link. A file that has become a link since is refused. */
async function readContent({ path, kind }: ScannedEntry): Promise<Buffer> {
  try {
    if (kind === 'symbolic-link') return await disk.readlink(path, { encoding: 'buffer' });
    return await disk.readFile(path, { flag: constants.O_RDONLY | constants.O_NOFOLLOW } as never);
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** Returns the same at once, unless the file is large. */
function readContentNow(entry: ScannedEntry): Buffer | Promise<Buffer> {
  const { path, kind, size } = entry;
  if (size > MAX_BYTES_NOW) return readContent(entry);
  try {
    if (kind === 'symbolic-link') return readlinkSync(path, { encoding: 'buffer' });
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

function cannotRead(path: string, cause: unknown): BuildError {
  return new BuildError('damaged-repository', `Cannot read "${path}": ${(cause as Error).message}`, { cause });
}

/** Returns git's id for a blob with this content. */
function hashBlob(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function unknownObject(oid: string, label: string): BuildError {
  return new BuildError('damaged-repository', `Object ${oid} is not in folder "${label}"`);
}

interface ScannedEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symbolic-link';
  readonly path: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** When the entry was last changed in any way, in ms since 1970; 0 for a folder. */
  readonly changedMs: number;
  /** Changes with the entry: a hash of path, size and times; for a folder of all that is in it. */
  readonly mark: string;
}

interface ScannedFolder {
  readonly mark: string;
  readonly entries: readonly ScannedEntry[];
  /** Newest modification, in seconds since 1970. */
  readonly time: number;
}

/** Folders whose names begin with a dot and that contain settings and files of generators; only part of their content counts. */
const OF_GENERATORS = /^\.(?:vitepress|vuepress|gitbook|config|docs)$/;
const CONFIGURATION = /^(?:config(?:\.[cm]?[jt]s)?|docs\.ya?ml|public|assets|includes)$/;

/**
 * Lists every file below a folder without reading any: names, sizes and times. Leaves out `node_modules`, folders whose
 * names begin with a dot save those of generators, and what is neither file, folder nor symbolic link (which are never
 * followed). Adds each folder to `folders` by its path; those that are there already are not looked at again.
 */
function scanFolder(
  root: string,
  folders: Map<string, ScannedFolder>,
  isIgnored: (path: string, isFolder: boolean) => boolean,
): ScannedFolder {
  const scan = (path: string): ScannedFolder => {
    const known = folders.get(path);
    if (known) return known;
    const hash = createHash('sha1').update(path);
    const entries: ScannedEntry[] = [];
    let time = 0;
    for (const found of sortLikeGit(listFolder(path))) {
      const place = join(path, found.name);
      if (isIgnored(place, found.isDirectory())) continue;
      const entry = scanEntry(place, found, scan);
      if (entry === undefined) continue;
      entries.push(entry.entry);
      time = Math.max(time, entry.time);
      hash.update(`${entry.entry.mark} ${found.name}\0`);
    }
    const folder = { mark: hash.digest('hex'), entries, time };
    folders.set(path, folder);
    return folder;
  };
  return scan(root);
}

function scanEntry(path: string, found: Dirent, scan: (path: string) => ScannedFolder) {
  const { name } = found;
  if (name.includes('\u{FFFD}') || name.includes('\\')) {
    throw new BuildError('unsafe-name', `"${path}" has an unsafe name: it contains a backslash or is not UTF-8`);
  }
  if (found.isDirectory()) {
    const { mark, time } = scan(path);
    return { entry: { name, kind: 'folder', path, size: 0, changedMs: 0, mark } as const, time };
  }
  const stat: BigIntStats | undefined = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined; // deleted since the folder was listed
  const kind = stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'symbolic-link' : undefined;
  if (kind === undefined) return undefined; // a socket, a pipe, a device: no content
  const mark = createHash('sha1')
    .update(`${path}\0${kind} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`)
    .digest('hex');
  const changedMs = Number(stat.ctimeMs);
  const entry = { name, kind, path, size: Number(stat.size), changedMs, mark } as const;
  return { entry, time: Number(stat.mtimeMs) / 1000 };
}

function listFolder(path: string): readonly Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    if (OF_GENERATORS.test(basename(path))) return entries.filter(({ name }) => CONFIGURATION.test(name));
    return entries.filter((entry) => !entry.isDirectory() || isListed(path, entry.name));
  } catch (cause) {
    throw new BuildError('not-a-repository', `Cannot read folder "${path}": ${(cause as Error).message}`, { cause });
  }
}

/** Returns whether folders of this name are never part of a documentation. */
export function isSkippedFolder(name: string): boolean {
  return name === 'node_modules' || (name.startsWith('.') && !OF_GENERATORS.test(name));
}

function isListed(path: string, name: string): boolean {
  if (isSkippedFolder(name)) return false;
  return !name.startsWith('.') || readdirSync(join(path, name)).some((inner) => CONFIGURATION.test(inner));
}

/** Git sorts by bytes, and a folder as if its name ended in a slash. */
function sortLikeGit(entries: readonly Dirent[]): readonly Dirent[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name),
  }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}

/** A folder whose files are being edited; files that git ignores are left out. */
export interface WorkTree extends Pick<FolderReader, 'forget'> {
  /** Absolute path without symbolic links. */
  readonly root: string;
  /** Opens the folder in its present state; repositories opened earlier must not be used any more. */
  open(): Promise<Repository>;
  /** The history of the repository that it is in: that of HEAD when the folder was last opened; undefined if it is in none. */
  readonly past: PastReader | undefined;
  /** Returns whether a file or folder, given by its absolute path, cannot be part of the documentation. */
  isIgnored(path: string, isFolder: boolean): boolean;
  /** Returns whether a file, given by its path, says what is ignored. */
  isIgnoreFile(path: string): boolean;
}

const IGNORE_FILE = '.gitignore';

/** Creates the work tree of a folder; its files have the dates of `past`. */
export function createWorkTree(path: string, past?: FolderPast): WorkTree {
  const root = realpathSync(path);
  const rules = new Map<string, Ignore | undefined>();
  const isIgnoreFile = (found: string): boolean => basename(found) === IGNORE_FILE;
  const isIgnored = (found: string, isFolder: boolean): boolean => {
    let isLeftOut = false;
    for (const folder of listFoldersAbove(root, found)) {
      const place = relative(folder, found).split(sep).join('/') + (isFolder ? '/' : '');
      const { ignored, unignored } = rulesOf(folder)?.test(place) ?? {};
      if (ignored) isLeftOut = true;
      else if (unignored) isLeftOut = false;
    }
    return isLeftOut;
  };
  const folder = createFolderReader(path, root, isIgnored);
  return {
    root,
    past: past?.past,
    isIgnored: (found, isFolder) => (isFolder && isSkippedFolder(basename(found))) || isIgnored(found, isFolder),
    isIgnoreFile,
    open: async () => folder.open(await past?.look()),
    forget(paths) {
      // A changed rule also applies to files that did not change themselves.
      const haveRulesChanged = paths?.some(isIgnoreFile) ?? true;
      if (haveRulesChanged) rules.clear();
      folder.forget(haveRulesChanged ? undefined : paths);
    },
  };

  function rulesOf(place: string): Ignore | undefined {
    if (rules.has(place)) return rules.get(place);
    const text = readText(join(place, IGNORE_FILE));
    const found = text === undefined ? undefined : ignore().add(text);
    rules.set(place, found);
    return found;
  }
}

/** Returns the folders from `root` down to the one that holds a path. */
function listFoldersAbove(root: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at.length >= root.length; at = dirname(at)) {
    folders.unshift(at);
    if (at === dirname(at)) break;
  }
  return folders;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (findMachineError(error)) throw error;
    return undefined; // git ignores unreadable rules, too
  }
}
