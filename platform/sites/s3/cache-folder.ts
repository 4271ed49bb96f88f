import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';

/** A folder of files that keeps to a number of bytes: those used longest ago make room. Other processes may use it, too. */
export interface CacheFolder {
  /** Bytes of what this process has brought or found. */
  readonly bytes: number;
  /** Counts a file as used now. */
  use(name: string): void;
  /** Keeps a file, unless the disk refuses it. */
  keep(name: string, bytes: Buffer): Promise<void>;
  /** Adds a file that `write` makes at a path of its own. Nothing is left of one that fails. */
  add(name: string, size: number, write: (path: string) => Promise<void>): Promise<void>;
}

/** When it is full, it shrinks to this part. */
const SHRUNK = 0.9;
const NAME = /^[0-9a-f]{64}(?:\.br|\.gz)?$/;
const UNFINISHED = '.tmp';
const UNFINISHED_MS = 3_600_000;
const STATS_AT_ONCE = 8;

/** Opens the folder, which is read in the background. `onProblem` is told what the disk refuses, `onRemoved` which files have gone. */
export function openCacheFolder(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly onProblem: (error: unknown) => void;
  readonly onRemoved: (name: string) => void;
}): CacheFolder {
  const { folder, maxBytes, onProblem, onRemoved } = options;
  /** Sizes by name, least recently used first. */
  const known = new Map<string, number>();
  let bytes = 0;
  const indexed = index().catch(onProblem);

  return {
    get bytes() {
      return bytes;
    },
    use: (name) => use(name),
    keep: (name, stored) => add(name, stored.length, (path) => writeFile(path, stored, { flag: 'wx' })).catch(refuse),
    add,
  };

  async function add(name: string, size: number, write: (path: string) => Promise<void>): Promise<void> {
    const unfinished = join(folder, `${name}.${randomBytes(6).toString('hex')}${UNFINISHED}`);
    try {
      await makeRoom(size);
      await write(unfinished);
      await rename(unfinished, join(folder, name));
      use(name, size);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  function use(name: string, size = known.get(name)): void {
    if (size === undefined) return;
    bytes += size - (known.get(name) ?? 0);
    known.delete(name);
    known.set(name, size);
  }

  async function makeRoom(size: number): Promise<void> {
    await indexed;
    if (bytes + size > maxBytes) await shrink(maxBytes * SHRUNK - size);
  }

  async function shrink(target: number): Promise<void> {
    for (const [name, size] of known) {
      if (bytes <= target) return;
      known.delete(name);
      onRemoved(name);
      bytes -= size;
      await rm(join(folder, name), { force: true });
    }
  }

  /** Where the disk is full, half of what is here makes room for others. */
  async function refuse(error: unknown): Promise<void> {
    onProblem(error);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') await shrink(bytes / 2).catch(onProblem);
  }

  /** Finds what an earlier process has left. */
  async function index(): Promise<void> {
    await mkdir(folder, { recursive: true });
    const names = await readdir(folder);
    const found = await pMap(
      names.filter((name) => NAME.test(name) || name.endsWith(UNFINISHED)),
      async (name) => ({ name, stats: await stat(join(folder, name)).catch(() => undefined) }),
      { concurrency: STATS_AT_ONCE },
    );
    const usedMs = ({ stats }: (typeof found)[number]): number => Math.max(stats?.atimeMs ?? 0, stats?.mtimeMs ?? 0);
    for (const file of found.sort((a, b) => usedMs(a) - usedMs(b))) {
      const { name, stats } = file;
      if (!name.endsWith(UNFINISHED)) use(name, stats?.size);
      // A younger one may be of another process that uses this folder.
      else if (Date.now() - usedMs(file) > UNFINISHED_MS) await rm(join(folder, name), { force: true });
    }
  }
}
