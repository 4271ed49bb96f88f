import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BuildError } from '../../build-error.ts';

/** The folders of a local repository. */
export interface GitFolders {
  /** Holds HEAD; for a linked worktree a folder below `.git/worktrees`. */
  readonly gitFolder: string;
  /** Holds refs, objects and config; the same as `gitFolder` except for a linked worktree. */
  readonly commonFolder: string;
}

/**
 * Finds the git folders of a path: a work tree (`.git` folder, or `.git` file of a linked worktree or submodule) or a
 * bare repository. Undefined for a plain folder, also inside a work tree. Throws `BuildError` when there is no folder at
 * the path, or if its `.git` has no target; where there is nothing, its message has the path as `shown`, and ends with `hint`.
 */
export function findGitFolder(path: string, { shown = path, hint = '' } = {}): GitFolders | undefined {
  const stat = findStat(path);
  if (stat === undefined) {
    throw new BuildError('not-a-repository', `Cannot open "${shown}": the folder does not exist${hint}`);
  }
  if (!stat.isDirectory())
    throw new BuildError('not-a-repository', `Cannot open "${path}": it is a file, not a folder`);
  const root = realpathSync(path);
  const dotGit = join(root, '.git');
  const dotGitStat = findStat(dotGit);
  if (dotGitStat === undefined) return isGitFolder(root) ? withCommonFolder(root) : undefined;
  const gitFolder = dotGitStat.isFile() ? readGitFile(dotGit) : dotGit;
  const folders = withCommonFolder(gitFolder);
  if (!isGitFolder(folders.commonFolder)) {
    throw new BuildError('not-a-repository', `Cannot open "${path}": its .git does not point to a git repository`);
  }
  return folders;
}

function findStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw new BuildError('not-a-repository', `Cannot open "${path}": ${(cause as Error).message}`, { cause });
  }
}

function isGitFolder(folder: string): boolean {
  return (
    findStat(join(folder, 'HEAD'))?.isFile() === true &&
    findStat(join(folder, 'objects'))?.isDirectory() === true &&
    findStat(join(folder, 'refs'))?.isDirectory() === true
  );
}

function readGitFile(file: string): string {
  const target = /^gitdir: (.+?)[\r\n]*$/.exec(readFileSync(file, 'utf8'))?.[1];
  if (target === undefined) {
    throw new BuildError('not-a-repository', `Cannot open "${dirname(file)}": its .git file does not name a folder`);
  }
  return resolve(dirname(file), target);
}

function withCommonFolder(gitFolder: string): GitFolders {
  const file = join(gitFolder, 'commondir');
  if (findStat(file)?.isFile() !== true) return { gitFolder, commonFolder: gitFolder };
  return { gitFolder, commonFolder: resolve(gitFolder, readFileSync(file, 'utf8').trim()) };
}
