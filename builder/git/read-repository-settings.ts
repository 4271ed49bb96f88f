import fs from 'node:fs';
import git from 'isomorphic-git';
import { BuildError } from '../build-error.ts';

/** What matters of a repository's configuration. */
export interface RepositorySettings {
  /** Address of the remote `origin`; may hold credentials. */
  readonly origin: string | undefined;
  /** Objects may be missing because the clone left them out. */
  readonly isPartial: boolean;
}

/** Reads a repository's configuration file. Throws `BuildError` for formats that isomorphic-git cannot read. */
export async function readRepositorySettings(label: string, gitdir: string): Promise<RepositorySettings> {
  const get = async (path: string) => {
    const value: unknown = await git.getConfig({ fs, gitdir, path });
    return value === undefined ? undefined : String(value);
  };
  const format = (await get('extensions.objectformat')) ?? 'sha1';
  if (format.toLowerCase() !== 'sha1') {
    throw new BuildError('not-a-repository', `Cannot open "${label}": its object format ${format} is not supported`);
  }
  const storage = (await get('extensions.refstorage')) ?? 'files';
  if (storage.toLowerCase() !== 'files') {
    throw new BuildError(
      'not-a-repository',
      `Cannot open "${label}": its ref format ${storage} is not supported; git refs migrate --ref-format=files helps`,
    );
  }
  const isPartial =
    (await get('extensions.partialclone')) !== undefined || (await get('remote.origin.promisor')) === 'true';
  return { origin: await get('remote.origin.url'), isPartial };
}
