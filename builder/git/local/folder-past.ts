import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { PastReader } from '../../model.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { findGitFolder, type GitFolders } from './find-git-folder.ts';
import { createLocalPast } from './open-local.ts';
import { readHead } from './read-ref-files.ts';

/** The history of the repository that a folder lies in: that of HEAD. */
export interface FolderPast {
  readonly past: PastReader;
  /** Looks where HEAD is now: the files of the folder have the dates of that commit, edited ones none. */
  look(): string | undefined;
  /** Forgets what was found on the disk. */
  forget(): void;
}

/** Opens the history that the files of a folder have, tracked or not; undefined if it lies in no repository's work tree. */
export function openFolderPast(folder: string): FolderPast | undefined {
  const root = realpathSync(folder);
  const found = findWorkTree(root);
  if (!found) return undefined;
  const { git, top } = found;
  const reader = createObjectReader(git);
  const below = relative(top, root).split(sep).join('/');
  let head: string | undefined;
  return {
    past: {
      ...createLocalPast(git.commonFolder, reader),
      base: below === '' ? '' : `${below}/`,
      find: () => head,
    },
    look() {
      head = findHead(git);
      return head;
    },
    forget: reader.forget,
  };
}

/** Returns the innermost work tree that a folder is in. */
function findWorkTree(folder: string): { readonly git: GitFolders; readonly top: string } | undefined {
  for (let top = folder; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) {
      const git = ignoreFailure(() => findGitFolder(top));
      return git && { git, top };
    }
    if (top === dirname(top)) return undefined;
  }
}

function findHead(git: GitFolders): string | undefined {
  return ignoreFailure(() => readHead(git));
}

/** Dates alone are no reason to refuse a folder. */
function ignoreFailure<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
