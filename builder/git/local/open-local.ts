import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import * as git from 'isomorphic-git';
import { parseRepositoryAddress } from '../../../lib/repository-address.ts';
import { BuildError } from '../../build-error.ts';
import type { FolderPast, PastReader, Repository } from '../../model.ts';
import type { GitFolders } from '../objects/git-files.ts';
import { createObjectReader, type GitObjectReader } from '../objects/object-reader.ts';
import { chooseHead } from './choose-head.ts';
import { collectLocalRefs, type GitRepository, readLocalHead } from './collect-local-refs.ts';
import { findGitFolder } from './find-git-folder.ts';

/** Opens a local repository for reading; nothing is ever written to it. */
export async function openLocal(label: string, folders: GitFolders): Promise<Repository> {
  let hint = '';
  const reader = createObjectReader(folders, () => hint);
  const repository: GitRepository = { fs: reader.files, gitdir: folders.gitFolder };
  const settings = await readSettings(label, repository);
  if (settings.isPartial)
    hint = `: "${label}" is a partial clone; fetch all of it with git fetch --refetch --no-filter`;
  const head = await readLocalHead(repository);
  const found = await collectLocalRefs(repository, reader);
  const isBare = found.length === 0 && head.oid !== undefined;
  const refs = isBare ? [{ name: 'current', kind: 'worktree', oid: head.oid! } as const] : found;
  if (refs.length === 0) throw new BuildError('no-refs', `Repository "${label}" has no commits yet`);
  return {
    kind: 'local',
    label,
    webUrl: settings.origin === undefined ? undefined : parseRepositoryAddress(settings.origin).webUrl,
    head: chooseHead(refs, head),
    refs,
    readCommit: reader.readCommit,
    readTree: reader.readTree,
    readBlob: reader.readBlob,
    past: createLocalPast(folders, reader),
    async fetch(wanted, listener) {
      for (const ref of wanted) listener?.onFetched?.(ref);
    },
    async close() {
      reader.forget();
    },
  };
}

/** Returns what a local repository knows of the past of its commits; see `PastReader`. */
export function createLocalPast({ commonFolder }: GitFolders, reader: GitObjectReader): PastReader {
  const shallow = readShallow(commonFolder);
  return {
    find: (oid) => (shallow.has(oid) ? undefined : oid),
    async readCommit(oid) {
      const past = await reader.findPast(oid);
      return past && shallow.has(oid) ? { ...past, parents: undefined } : past;
    },
    readTree: reader.readTree,
  };
}

/** Returns the commits of a shallow clone whose parents were not fetched; see git's Documentation/technical/shallow. */
function readShallow(commonFolder: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(join(commonFolder, 'shallow'), 'latin1').split('\n'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw new BuildError('damaged-repository', `Cannot read "shallow": ${(error as Error).message}`, { cause: error });
  }
}

/** The relevant part of a repository's configuration. */
interface Settings {
  /** Address of the remote `origin`; may hold credentials. */
  readonly origin: string | undefined;
  /** Objects may be missing because the clone left them out. */
  readonly isPartial: boolean;
}

/** Throws `BuildError` for repositories of a format that cannot be read. */
async function readSettings(label: string, repository: GitRepository): Promise<Settings> {
  const get = async (path: string): Promise<string | undefined> => {
    const value: unknown = await git.getConfig({ ...repository, path });
    return value === undefined ? undefined : String(value);
  };
  const format = (await get('extensions.objectFormat')) ?? 'sha1';
  if (format.toLowerCase() !== 'sha1') {
    throw new BuildError('not-a-repository', `Cannot open "${label}": its object format ${format} is not supported`);
  }
  const storage = (await get('extensions.refStorage')) ?? 'files';
  if (storage.toLowerCase() !== 'files') {
    throw new BuildError(
      'not-a-repository',
      `Cannot open "${label}": its ref format ${storage} is not supported; convert it with git refs migrate --ref-format=files`,
    );
  }
  const promisor = (await get('remote.origin.promisor')) ?? '';
  const isPartial = (await get('extensions.partialClone')) !== undefined || /^(?:true|yes|on|1)$/i.test(promisor);
  return { origin: await get('remote.origin.url'), isPartial };
}

/** Opens the history that the files of a folder have, tracked or not, in the work tree `top` around it; undefined if there is none. */
export function openFolderPast(folder: string, top: string): FolderPast | undefined {
  try {
    const folders = findGitFolder(top);
    if (!folders) return undefined;
    const reader = createObjectReader(folders);
    const below = relative(top, realpathSync(folder)).split(sep).join('/');
    const repository = { fs: reader.files, gitdir: folders.gitFolder };
    let head: string | undefined;
    return {
      past: { ...createLocalPast(folders, reader), base: below === '' ? '' : `${below}/`, find: () => head },
      async look() {
        // Dates alone are no reason to refuse a folder.
        head = await git.resolveRef({ ...repository, ref: 'HEAD' }).catch(() => undefined);
        return head;
      },
      forget: reader.forget,
    };
  } catch {
    return undefined;
  }
}
