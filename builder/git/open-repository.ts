import { resolve } from 'node:path';
import { hintAtUrl } from '../../lib/repository-address.ts';
import { DEFAULT_LIMITS } from '../build-limits.ts';
import type { Repository } from '../model.ts';
import { findGitFolder } from './local/find-git-folder.ts';
import { openFolder } from './local/open-folder.ts';
import { openLocal } from './local/open-local.ts';

export { openWorkTree, type WorkTree } from './local/work-tree.ts';

import { parseLocation } from './parse-location.ts';
import { openRemote } from './remote/open-remote.ts';

/** How a repository is opened. */
export interface OpenRepositoryOptions {
  /** Data fetched from remotes is stored below `<cacheFolder>/repos/<hash>`. */
  readonly cacheFolder: string;
  /**
   * Where credentials are looked up when a server requires them and the URL has none: `DOCBUILD_GIT_TOKEN`, or
   * `DOCBUILD_GIT_USERNAME` with `DOCBUILD_GIT_PASSWORD`; only for the host `DOCBUILD_GIT_HOST` when that is set.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Limit of one call of `fetch`, in bytes. */
  readonly maxFetchBytes?: number;
  /** Time limit of opening, or of one call of `fetch`. */
  readonly timeoutMs?: number;
}

/**
 * Opens a repository: an http(s) or `file://` URL, a path of a work tree or of a bare repository, or a plain folder.
 * Throws `BuildError`: `not-a-repository`, `no-refs`, `damaged-repository`, and for remotes `network`,
 * `authentication`, `not-found`.
 */
export async function openRepository(location: string, options: OpenRepositoryOptions): Promise<Repository> {
  const parsed = parseLocation(location);
  if (parsed.kind === 'remote') {
    return openRemote({
      ...parsed,
      cacheFolder: options.cacheFolder,
      environment: options.environment,
      maxFetchBytes: options.maxFetchBytes ?? DEFAULT_LIMITS.maxFetchBytes,
      timeoutMs: options.timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
    });
  }
  const path = resolve(parsed.path);
  // What is no absolute path may be a mistyped URL: everything before the last @ could be a password.
  const isMistyped = /^[^/].*:.*@/s.test(parsed.path);
  const written = isMistyped ? parsed.path.replace(/^.*@/s, '') : parsed.path;
  const folders = findGitFolder(path, { shown: isMistyped ? written : path, hint: hintAtUrl(written) });
  return folders === undefined ? openFolder(location, path) : openLocal(location, folders);
}
