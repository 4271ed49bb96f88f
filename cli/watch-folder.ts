import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';

/** How often a folder that has disappeared is looked for, in ms. */
const LOOK_MS = 200;

export interface FolderWatcher {
  /** Watches, and reports, folders that `isIgnored` no longer leaves out. */
  refresh(): void;
  close(): void;
}

export interface WatchOptions {
  /** Returns whether changes of a file or folder, given by its absolute path, are of no interest, nor those below it. */
  readonly isIgnored: (path: string, isFolder: boolean) => boolean;
  /** Receives the absolute path of a file or folder that has appeared, changed or disappeared. */
  readonly onChange: (path: string) => void;
  /** Receives the first error because of which a folder cannot be watched, as that the system's limit is reached. */
  readonly onError: (error: NodeJS.ErrnoException) => void;
  /** How often all files are checked, in ms, where the file system does not report changes. */
  readonly pollMs?: number | undefined;
}

/**
 * Watches a folder and all folders in it, from now on. Symbolic links are not followed. Of a folder that is moved away or removed with
 * its content, perhaps only the folder is reported. No change goes unnoticed: each folder is watched before it is listed, so that a
 * file is in the list or reported later, and a folder that takes the place of another is watched anew.
 */
export function watchFolder(root: string, options: WatchOptions): FolderWatcher {
  return options.pollMs === undefined ? watchEvents(root, options) : poll(root, options, options.pollMs);
}

function watchEvents(root: string, { isIgnored, onChange, onError }: WatchOptions): FolderWatcher {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  enter(root, () => {});
  return {
    refresh() {
      for (const folder of [...watchers.keys()]) {
        for (const entry of listFolder(folder)) {
          const path = join(folder, entry.name);
          if (!entry.isDirectory() || watchers.has(path) || isIgnored(path, true)) continue;
          onChange(path);
          enter(path, onChange);
        }
      }
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };

  /** Begins to watch a folder and those in it; all that is in it is passed to `report`. */
  function enter(folder: string, report: (path: string) => void): void {
    leave(folder);
    try {
      const watcher = watch(folder);
      watchers.set(folder, watcher);
      watcher.on('change', (kind, name) => follow(folder, kind, name as string | null));
      // Windows says so of a folder that is removed.
      watcher.on('error', () => leave(folder));
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
    for (const entry of listFolder(folder)) {
      const path = join(folder, entry.name);
      if (isIgnored(path, entry.isDirectory())) continue;
      report(path);
      if (entry.isDirectory()) enter(path, report);
    }
  }

  /** No longer watches a folder, nor those below it. */
  function leave(folder: string): void {
    // Those above are entered first.
    if (!watchers.has(folder)) return;
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  }

  function follow(folder: string, kind: string, name: string | null): void {
    if (name === null) {
      onChange(folder);
      enter(folder, onChange);
      return;
    }
    const path = join(folder, name);
    const status = readStatus(path);
    if (status === undefined) {
      // A folder that is removed reports itself by its own name, as if it were in itself. Others are reported by that above, too.
      if (name === basename(folder)) {
        if (folder === root) reopenRoot();
        if (folder === root || readStatus(folder) === undefined) return;
      }
      const isFolder = watchers.has(path);
      leave(path);
      if (!isIgnored(path, isFolder)) onChange(path);
      return;
    }
    const isFolder = status.isDirectory();
    if (!isFolder) leave(path);
    if (isIgnored(path, isFolder)) return;
    onChange(path);
    // It is new, or perhaps another one of the same name.
    if (isFolder && (kind === 'rename' || !watchers.has(path))) enter(path, onChange);
  }

  /** Watches the root anew, once there is one. */
  function reopenRoot(): void {
    clearTimeout(timer);
    const isThere = readStatus(root) !== undefined;
    if (isThere) enter(root, () => {});
    else leave(root);
    // Also the first time that it is gone.
    if (isThere || timer === undefined) onChange(root);
    timer = isThere ? undefined : setTimeout(reopenRoot, LOOK_MS);
  }

  function fail(error: NodeJS.ErrnoException): void {
    // It has disappeared, or nobody may read it.
    if (hasFailed || ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(error.code ?? '')) return;
    hasFailed = true;
    onError(error);
  }
}

function poll(root: string, { isIgnored, onChange }: WatchOptions, pollMs: number): FolderWatcher {
  let states = describeAll();
  let timer = setTimeout(look, pollMs);
  return { refresh() {}, close: () => clearTimeout(timer) };

  function look(): void {
    const previous = states;
    states = describeAll();
    for (const [path, state] of states) if (previous.get(path) !== state) onChange(path);
    for (const path of previous.keys()) if (!states.has(path)) onChange(path);
    timer = setTimeout(look, pollMs);
  }

  /** Returns what differs after a change of a file, by paths; of a folder only that there is one. */
  function describeAll(): Map<string, string> {
    const found = new Map<string, string>();
    const add = (folder: string): void => {
      for (const entry of listFolder(folder)) {
        const path = join(folder, entry.name);
        if (isIgnored(path, entry.isDirectory())) continue;
        const status = readStatus(path);
        if (status === undefined) continue;
        found.set(path, entry.isDirectory() ? 'folder' : `${status.ino} ${status.size} ${status.mtimeNs}`);
        if (entry.isDirectory()) add(path);
      }
    };
    if (readStatus(root) !== undefined) found.set(root, 'folder');
    add(root);
    return found;
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it has disappeared since, or nobody may read it
  }
}

function readStatus(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way to it has become a file
  }
}
