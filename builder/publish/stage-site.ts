import { copyFileSync, linkSync, mkdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../lib/system-error.ts';
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import {
  countFiles,
  createFileList,
  type FileGroup,
  flattenChanged,
  isSameGroup,
  type SiteFiles,
} from './site-files.ts';

export interface KnownFolder {
  readonly folder: string;
  readonly site: SiteFiles;
}

export interface StagedSite {
  /** Whether all of the site is in place; else there was no room for the rest. */
  readonly isWhole: boolean;
  readonly written: number;
  readonly linked: number;
  /** Size in bytes of each written content. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Paths of files that were added, replaced or removed, and of all folders above them. */
  readonly touched: ReadonlySet<string>;
  readonly listStaged: () => SiteFiles;
}

const EMPTY: SiteFiles = new Map();
/** Group of files of groups that are not whole; no other has this name. */
const REST = '';

/**
 * Makes `staging` contain exactly `site`: existing files stay, files of `source` are linked from there, the rest comes
 * from `produce`, is written once and linked at its other paths. Removes what is not in `site`.
 */
export async function stageSite(options: {
  readonly staging: string;
  readonly staged: SiteFiles | undefined;
  readonly source: KnownFolder | undefined;
  readonly site: SiteFiles;
  readonly produce: (key: string, path: string) => Uint8Array | Promise<Uint8Array>;
  /** Contents whose size is known, those of `staged` and `source` among them, and how many bytes of others may be written. */
  readonly known: { has(key: string): boolean };
  readonly room: number;
  /** Called for each file that is in place. */
  readonly onFile?: ((count: number) => void) | undefined;
}): Promise<StagedSite> {
  const { staging, site, source, produce } = options;
  const staged = options.staged ?? EMPTY;
  const wanted = flattenChanged(site, staged);
  const present = flattenChanged(staged, site);
  const sizes = new Map<string, number>();
  /** Paths by content: a second path of each would take as much memory as the site has files. */
  const placed = new Map<string, string>();
  const touched = new Set<string>();
  let kept: ReadonlyMap<string, string> | undefined;
  let available: ReadonlyMap<string, string> | undefined;
  let linked = 0;
  let bytes = 0;

  removeOld();
  /** Files of `wanted` that are in place, from its beginning. */
  let done = 0;
  const folders = openFolders(listFolders());
  try {
    await stageFiles();
  } finally {
    await folders.settle();
  }
  if (done < wanted.size) for (const path of [...wanted.keys()].slice(done)) removeEmpty(staging, dirname(path));
  return { isWhole: done === wanted.size, written: sizes.size, linked, sizes, touched, listStaged };

  async function stageFiles(): Promise<void> {
    options.onFile?.(countFiles(site) - wanted.size);
    for (const [path, key] of wanted) {
      options.onFile?.(1);
      const turn = yieldToEventLoop();
      if (turn) await turn;
      if (present.get(path) === key) {
        done++;
        continue;
      }
      const target = join(staging, path);
      touch(path, touched);
      const making = folders.make(dirname(target));
      if (making) await making;
      const twin = findPlaced(key) ?? (options.known.has(key) ? (findKept(key) ?? findInSource(key)) : undefined);
      const how = twin === undefined ? 'missing' : link(twin, target);
      if (how !== 'missing') {
        linked++;
        if (how === 'copied') placed.set(key, path);
      } else {
        const produced = produce(key, path);
        const content = produced instanceof Promise ? await produced : produced;
        if (!options.known.has(key)) bytes += content.length;
        if (bytes > options.room) return;
        writeFileSync(target, content, { flag: 'wx' });
        sizes.set(key, content.length);
        placed.set(key, path);
      }
      done++;
    }
  }

  /** Returns the first folders of the files that are not in place, in the order in which they are needed. */
  function listFolders(): ReadonlySet<string> {
    const needed = new Set<string>();
    for (const [path, key] of wanted) {
      if (present.get(path) !== key) needed.add(dirname(path));
      if (needed.size === MAX_AHEAD) break;
    }
    return new Set([...needed].map((folder) => join(staging, folder)));
  }

  /** Groups that are whole stay groups, so that the next attempt need not compare their files. */
  function listStaged(): SiteFiles {
    const held = new Map<string, FileGroup>();
    const rest: (readonly [path: string, key: string])[] = [];
    let at = 0;
    for (const [name, group] of site) {
      const { prefix, list } = group;
      const isUnchanged = isSameGroup(group, staged.get(name));
      const end = isUnchanged ? at : at + list.files.length;
      if (isUnchanged || end <= done) held.set(name, group);
      else {
        for (const [i, [path, key]] of list.files.entries())
          if (at + i < done || present.get(prefix + path) === key) rest.push([prefix + path, key]);
      }
      at = end;
    }
    return held.set(REST, { prefix: '', list: createFileList(rest) });
  }

  function removeOld(): void {
    const emptied = new Set<string>();
    for (const [path, key] of present) {
      if (wanted.get(path) === key) continue;
      unlinkSync(join(staging, path));
      touch(path, touched);
      if (!wanted.has(path)) emptied.add(dirname(path));
    }
    for (const folder of [...emptied].sort((a, b) => b.length - a.length)) removeEmpty(staging, folder);
  }

  function findPlaced(key: string): string | undefined {
    const path = placed.get(key);
    return path === undefined ? undefined : join(staging, path);
  }

  /** Files that stay in place come first, so that equal files remain one file. */
  function findKept(key: string): string | undefined {
    kept ??= indexByKey(staged, (path, held) => !present.has(path) || wanted.get(path) === held);
    const path = kept.get(key);
    return path === undefined ? undefined : join(staging, path);
  }

  function findInSource(key: string): string | undefined {
    if (!source) return undefined;
    available ??= indexByKey(source.site);
    const path = available.get(key);
    return path === undefined ? undefined : join(source.folder, path);
  }
}

/** Maps each content of a site to the path of one file that holds it. */
function indexByKey(
  site: SiteFiles,
  accepts: (path: string, key: string) => boolean = () => true,
): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const { prefix, list } of site.values()) {
    for (const [path, key] of list.files) {
      if (!index.has(key) && accepts(prefix + path, key)) index.set(key, prefix + path);
    }
  }
  return index;
}

/** Links a file; copies it if the file system does not support links or the file has too many; `missing` if it is gone. */
function link(from: string, to: string): 'linked' | 'copied' | 'missing' {
  try {
    linkSync(from, to);
    return 'linked';
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'missing';
    if (!hasCode(error, 'EMLINK', 'EPERM', 'ENOTSUP', 'EXDEV')) throw error;
    copyFileSync(from, to);
    return 'copied';
  }
}

function touch(path: string, touched: Set<string>): void {
  for (let at = path; !touched.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) touched.add(at);
}

/** Folders that are made ahead: beyond so many the rest is made when it is needed. */
const MAX_AHEAD = 1_000;
/** So few are made faster than they are handed over. */
const MIN_AHEAD = 16;

/**
 * Makes folders on other threads, in their order, while this one composes what will stand in them: for a whole site it takes a
 * tenth of the build. Where one cannot be made, whoever needs it gets the error.
 */
function openFolders(needed: ReadonlySet<string>): {
  /** Makes a folder; returns a promise where that is to be waited for. */
  readonly make: (folder: string) => Promise<void> | undefined;
  /** Waits until nothing is made any more. */
  readonly settle: () => Promise<unknown>;
} {
  const made = new Set<string>();
  const making = new Map<string, Promise<void>>();
  if (needed.size >= MIN_AHEAD) for (const folder of needed) making.set(folder, begin(folder));
  return {
    make(folder) {
      if (made.has(folder)) return undefined;
      const begun = making.get(folder);
      if (begun) return begun;
      mkdirSync(folder, { recursive: true });
      made.add(folder);
      return undefined;
    },
    settle: () => Promise.allSettled(making.values()),
  };

  function begin(folder: string): Promise<void> {
    const promise = mkdir(folder, { recursive: true }).then(() => {
      made.add(folder);
    });
    // Reported to whoever needs the folder.
    promise.catch(() => {});
    return promise;
  }
}

function removeEmpty(root: string, folder: string): void {
  for (let path = folder; path !== '.' && path !== ''; path = dirname(path)) {
    try {
      rmdirSync(join(root, path));
    } catch {
      return;
    }
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
