import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { hintAtUrl } from '../lib/repository-address.ts';
import { BuildError } from './build-error.ts';
import { DEFAULT_LIMITS } from './build-limits.ts';
import { createWorkTree, openFolder, type WorkTree } from './folder/open-folder.ts';
import { findGitFolder, findWorkTree } from './git/local/find-git-folder.ts';
import type { FolderPast, Repository } from './model.ts';
import { parseLocation } from './parse-location.ts';

export type { WorkTree } from './folder/open-folder.ts';

export interface OpenRepositoryOptions {
  /** Data fetched from remotes is stored below `<cacheFolder>/repos/<hash>`. */
  readonly cacheFolder: string;
  /**
   * Where credentials are looked up when a server requires them and the URL has none: `DOCBUILD_GIT_TOKEN`, or
   * `DOCBUILD_GIT_USERNAME` with `DOCBUILD_GIT_PASSWORD`; only for the host `DOCBUILD_GIT_HOST` when that is set. Proxies
   * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) that it does not name are those of the process.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Limit of one call of `fetch`, in bytes. */
  readonly maxFetchBytes?: number;
  /** Time limit of opening, or of one call of `fetch`. */
  readonly timeoutMs?: number;
  /** Ends what waits for a server. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a repository: an http(s) or `file://` URL, a path of a work tree or of a bare repository, or a plain folder.
 * Throws `BuildError`: `not-a-repository`, `no-refs`, `damaged-repository`, and for remotes `network`,
 * `authentication`, `not-found`.
 */
export async function openRepository(location: string, options: OpenRepositoryOptions): Promise<Repository> {
  const parsed = parseLocation(location);
  if (parsed.kind === 'remote') {
    const { openRemote } = await import('./git/remote/open-remote.ts');
    return openRemote({
      ...parsed,
      cacheFolder: options.cacheFolder,
      environment: options.environment,
      maxFetchBytes: options.maxFetchBytes ?? DEFAULT_LIMITS.maxFetchBytes,
      timeoutMs: options.timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
      signal: options.signal,
    });
  }
  const path = resolve(parsed.path);
  // Anything but an absolute path may be a mistyped URL: everything before the last @ could be a password.
  const isMistyped = /^[^/][^:]*:.*@/s.test(parsed.path);
  const written = isMistyped ? parsed.path.replace(/^.*@/s, '') : parsed.path;
  const folders = findGitFolder(path, { shown: isMistyped ? written : path, hint: hintAtUrl(written) });
  if (folders === undefined) return openFolder(location, path, await findPast(path));
  const { openLocal } = await import('./git/local/open-local.ts');
  return openLocal(location, folders);
}

/** Opens a folder whose files are read in their present state, committed or not. Throws `not-a-repository`. */
export async function openWorkTree(path: string): Promise<WorkTree> {
  const folders = findGitFolder(path);
  const tree = createWorkTree(path, await findPast(path));
  if (folders?.gitFolder !== tree.root) return tree;
  throw new BuildError('not-a-repository', `Cannot open "${path}": it is a bare repository, without files to work on`);
}

/** Loads the code that reads git only where there is a repository. */
async function findPast(path: string): Promise<FolderPast | undefined> {
  const top = findWorkTree(realpathSync(path));
  if (top === undefined) return undefined;
  const { openFolderPast } = await import('./git/local/open-local.ts');
  return openFolderPast(path, top);
}
