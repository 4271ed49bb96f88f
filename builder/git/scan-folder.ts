import { createHash } from 'node:crypto';
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BuildError } from '../build-error.ts';

/** One file, folder or symbolic link of a plain folder. */
export interface ScannedEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symbolic-link';
  readonly path: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Changes with the entry: a hash of path, size and times; for a folder of all that is in it. */
  readonly mark: string;
}

/** A plain folder with all that is below it. */
export interface ScannedFolder {
  readonly mark: string;
  readonly entries: readonly ScannedEntry[];
  /** Newest modification, in seconds since 1970. */
  readonly time: number;
}

/** Folders whose names begin with a dot and that say how documentation is to be read; only some of what they hold counts. */
const OF_GENERATORS = /^\.(?:vitepress|vuepress)$/;
const CONFIGURATION = /^(?:config(?:\.[cm]?[jt]s)?|public)$/;

/**
 * Looks at every file below a folder, without reading any: names, sizes and times. Leaves out `node_modules`, folders
 * whose names begin with a dot save those of generators, and what is neither file, folder nor symbolic link (which are never
 * followed). Returns each folder by its path.
 */
export function scanFolder(root: string): ReadonlyMap<string, ScannedFolder> {
  const folders = new Map<string, ScannedFolder>();
  const scan = (path: string): ScannedFolder => {
    const hash = createHash('sha1').update(path);
    const entries: ScannedEntry[] = [];
    let time = 0;
    for (const found of sortLikeGit(listFolder(path))) {
      const entry = scanEntry(join(path, found.name), found, scan);
      if (entry === undefined) continue;
      entries.push(entry.entry);
      time = Math.max(time, entry.time);
      hash.update(`${entry.entry.mark} ${found.name}\0`);
    }
    const folder = { mark: hash.digest('hex'), entries, time };
    folders.set(path, folder);
    return folder;
  };
  scan(root);
  return folders;
}

function scanEntry(path: string, found: Dirent, scan: (path: string) => ScannedFolder) {
  const { name } = found;
  if (name.includes('\u{FFFD}') || name.includes('\\')) {
    throw new BuildError('unsafe-name', `"${path}" has an unsafe name: it contains a backslash or is not UTF-8`);
  }
  if (found.isDirectory()) {
    const { mark, time } = scan(path);
    return { entry: { name, kind: 'folder', path, size: 0, mark } as const, time };
  }
  const stat: BigIntStats | undefined = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined; // deleted since the folder was listed
  const kind = stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'symbolic-link' : undefined;
  if (kind === undefined) return undefined; // a socket, a pipe, a device: no content
  const mark = createHash('sha1')
    .update(`${path}\0${kind} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`)
    .digest('hex');
  return { entry: { name, kind, path, size: Number(stat.size), mark } as const, time: Number(stat.mtimeMs) / 1000 };
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

function isListed(path: string, name: string): boolean {
  if (!name.startsWith('.')) return name !== 'node_modules';
  return OF_GENERATORS.test(name) && readdirSync(join(path, name)).some((inner) => CONFIGURATION.test(inner));
}

/** Git sorts by bytes, and a folder as if its name ended in a slash. */
function sortLikeGit(entries: readonly Dirent[]): readonly Dirent[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name),
  }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}
