import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { FolderPast, PastReader, Repository } from '../model.ts';
import { createFolderReader, type FolderReader, isSkippedFolder } from './open-folder.ts';

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
  } catch {
    return undefined; // git ignores unreadable rules, too
  }
}
