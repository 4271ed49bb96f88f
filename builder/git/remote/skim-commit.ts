import { rm } from 'node:fs/promises';
import { HttpError } from '../../../lib/http-client.ts';
import { BuildError } from '../../build-error.ts';
import type { ObjectReader } from '../../model.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { type FetchOptions, prepareMirror, pull } from './fetch-commits.ts';
import type { ServerProtocol, WantedCommit } from './git-http.ts';

/** Configurations are few; whoever reads more wants to fetch all files at once. */
const MAX_FILES = 40;

/** Single objects that no ref leads to are sent to everybody by servers of version 2, and by others hardly ever. */
const SINGLE_OBJECTS: ServerProtocol = { version: 2, capabilities: new Set() };

/** A commit whose folders are here. */
export interface SkimmedCommit {
  /** Fetches the content of a file when it is read: of 40 files at most. */
  readonly reader: ObjectReader;
  close(): Promise<void>;
}

/**
 * Fetches the folders of a commit, but not the content of its files, into a folder of its own. Returns undefined where the server
 * cannot send that. Throws `BuildError` and what `pull` does.
 */
export async function skimCommit(commit: WantedCommit, options: FetchOptions): Promise<SkimmedCommit | undefined> {
  const { folder, protocol } = options;
  if (!protocol.capabilities.has('filter') || !protocol.capabilities.has('shallow')) return undefined;
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await prepareMirror(folder);
  await pull([commit], 'folders', options).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const reader = createObjectReader({ gitFolder: folder, commonFolder: folder });
  let count = 0;
  const fetchFile = async (oid: string): Promise<void> => {
    if (++count > MAX_FILES) {
      throw new BuildError('fetch-limit', `More than ${MAX_FILES} files would have to be read one by one`);
    }
    await pull([{ oid, want: oid }], 'object', { ...options, protocol: SINGLE_OBJECTS }).catch((cause) => {
      const isLimit = cause instanceof HttpError && cause.code === 'too-large';
      if (isLimit) throw new BuildError('fetch-limit', cause.message, { cause });
      throw new BuildError('network', 'The server does not send single files', { cause });
    });
    reader.forget();
  };
  /** One file after the other: each knows whether an earlier one was the same. */
  let last: Promise<unknown> = Promise.resolve();
  const bringHere = (oid: string): Promise<void> => {
    const turn = last.then(async () => {
      if (!reader.has(oid)) await fetchFile(oid);
    });
    last = turn.catch(() => {});
    return turn;
  };
  return {
    reader: {
      readCommit: reader.readCommit,
      readTree: reader.readTree,
      async readBlob(oid) {
        await bringHere(oid);
        return reader.readBlob(oid);
      },
    },
    async close() {
      reader.forget();
      await remove();
    },
  };
}
