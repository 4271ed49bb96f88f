import { existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BuildError } from '../../build-error.ts';
import type { GitFolders } from '../objects/git-files.ts';

/**
 * Finds the git folders of a path: a work tree (`.git` folder, or `.git` file of a linked worktree or submodule) or a
 * bare repository. Undefined for a plain folder, also inside a work tree. Throws `BuildError` when there is no folder at
 * the path, or if its `.git` has no target; where there is nothing, its message has the path as `shown`, and ends with `hint`.
 * isomorphic-git is not asked: it knows neither bare repositories nor common folders, and a plain folder needs none of it.
 */
export function findGitFolder(path: string, { shown = path, hint = '' } = {}): GitFolders | undefined {
  const stat = findStat(path);
  if (stat?.isDirectory() !== true) {
    const why = stat === undefined ? `the folder does not exist${hint}` : 'it is a file, not a folder';
    throw refuse(stat === undefined ? shown : path, why);
  }
  const root = realpathSync(path);
  const dotGit = join(root, '.git');
  const dotGitStat = findStat(dotGit);
  if (dotGitStat === undefined) return isGitFolder(root) ? withCommonFolder(root) : undefined;
  const folders = withCommonFolder(dotGitStat.isFile() ? readGitFile(dotGit) : dotGit);
  if (isGitFolder(folders.commonFolder)) return folders;
  throw refuse(path, 'its .git does not point to a git repository');
}

/** Returns the innermost folder with a `.git` among a folder and those around it. */
export function findWorkTree(folder: string): string | undefined {
  for (let top = folder; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) return top;
    if (top === dirname(top)) return undefined;
  }
}

function refuse(path: string, why: string, options?: ErrorOptions): BuildError {
  return new BuildError('not-a-repository', `Cannot open "${path}": ${why}`, options);
}

function findStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw refuse(path, (cause as Error).message, { cause });
  }
}

function isGitFolder(folder: string): boolean {
  const isFolder = (name: string): boolean => findStat(join(folder, name))?.isDirectory() === true;
  return findStat(join(folder, 'HEAD'))?.isFile() === true && isFolder('objects') && isFolder('refs');
}

function readGitFile(file: string): string {
  const target = /^gitdir: (.+?)[\r\n]*$/.exec(readFileSync(file, 'utf8'))?.[1];
  if (target === undefined) throw refuse(dirname(file), 'its .git file does not name a folder');
  return resolve(dirname(file), target);
}

function withCommonFolder(gitFolder: string): GitFolders {
  const file = join(gitFolder, 'commondir');
  if (findStat(file)?.isFile() !== true) return { gitFolder, commonFolder: gitFolder };
  return { gitFolder, commonFolder: resolve(gitFolder, readFileSync(file, 'utf8').trim()) };
}
