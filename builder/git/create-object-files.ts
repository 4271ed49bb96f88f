import { promises as disk, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

/** A file system in the shape isomorphic-git wants. */
export interface GitFiles {
  readonly promises: Record<string, (...args: never[]) => Promise<unknown>>;
}

/** A view of a repository's objects that remembers what it saw. */
export interface ObjectFiles {
  readonly fs: GitFiles;
  /** Forgets which objects and packs exist, after somebody else may have packed or added some. */
  forget(): void;
}

/**
 * Gives isomorphic-git a read-only file system over one repository. It answers look-ups of loose objects that do not
 * exist, and the list of packs, from memory (isomorphic-git asks for both with every object it reads), and shows the
 * objects of `objects/info/alternates` as if they were the repository's own.
 */
export function createObjectFiles(commonFolder: string): ObjectFiles {
  const prefix = `${commonFolder}/objects/`;
  const folders = findObjectFolders(join(commonFolder, 'objects'));
  const loose = new Map<string, Map<string, string>>();
  let fanOuts: ReadonlySet<string> | undefined;
  let packs: Map<string, string> | undefined;
  let stat: Stats | undefined;

  const findLoose = (fanOut: string, name: string) => {
    fanOuts ??= new Set(folders.flatMap((folder) => listFiles(folder).map(([fanOutName]) => fanOutName)));
    if (!fanOuts.has(fanOut)) return undefined;
    let names = loose.get(fanOut);
    if (names === undefined) {
      names = new Map(folders.toReversed().flatMap((folder) => listFiles(join(folder, fanOut))));
      loose.set(fanOut, names);
    }
    return names.get(name);
  };
  const listPacks = () => {
    packs ??= new Map(folders.toReversed().flatMap((folder) => listFiles(join(folder, 'pack'))));
    return packs;
  };
  const findPath = (path: string): string | undefined => {
    if (!path.startsWith(prefix)) return path;
    const [folder = '', name = ''] = path.slice(prefix.length).split('/');
    return folder === 'pack' ? listPacks().get(name) : findLoose(folder, name);
  };
  const promises = {
    async readFile(path: string, options?: BufferEncoding) {
      const found = findPath(path);
      if (found === undefined) return undefined; // an error for each of thousands of expected misses is slow
      // Loose objects are many and small: reading them at once is several times faster than a trip to the thread pool.
      return found.endsWith('.pack') ? disk.readFile(found, options) : readFileSync(found, options);
    },
    async readdir(path: string) {
      return path === `${prefix}pack` ? [...listPacks().keys()] : disk.readdir(path);
    },
    async stat(path: string) {
      if (path !== commonFolder) return disk.stat(path);
      stat ??= statSync(path);
      return stat;
    },
    lstat: (path: string) => disk.lstat(path),
    readlink: (path: string) => disk.readlink(path),
    writeFile: refuse,
    mkdir: refuse,
    rmdir: refuse,
    unlink: refuse,
    symlink: refuse,
    rm: refuse,
  };
  return {
    fs: { promises },
    forget() {
      loose.clear();
      fanOuts = undefined;
      packs = undefined;
    },
  };
}

async function refuse(): Promise<never> {
  throw new Error('A repository that is only read must not be written to');
}

function listFiles(folder: string): (readonly [name: string, path: string])[] {
  try {
    return readdirSync(folder).map((name) => [name, join(folder, name)] as const);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** Gives the object folder and those it borrows from (`git clone --shared` or `--reference`), nearest first. */
function findObjectFolders(objects: string): readonly string[] {
  const found = new Set<string>();
  const visit = (folder: string, depth: number) => {
    if (found.has(folder) || depth > 5) return; // git, too, follows five levels
    found.add(folder);
    for (const line of readLines(join(folder, 'info/alternates'))) {
      visit(isAbsolute(line) ? resolve(line) : resolve(folder, line), depth + 1);
    }
  };
  visit(objects, 0);
  return [...found];
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
