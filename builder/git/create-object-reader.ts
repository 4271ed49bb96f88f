import git from 'isomorphic-git';
import { FileSystem } from 'isomorphic-git/models';
import { BuildError } from '../build-error.ts';
import type { ObjectReader } from '../model.ts';
import { createObjectFiles, type GitFiles } from './create-object-files.ts';
import { inflateNatively } from './inflate-natively.ts';
import { parseTree } from './parse-tree.ts';

inflateNatively();

/** An object as it lies in the repository. */
export interface RawObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** An `ObjectReader` over a git folder that also gives any object, and the file system it reads through. */
export interface GitObjectReader extends ObjectReader {
  readObject(oid: string): Promise<RawObject>;
  readonly fs: GitFiles;
  forget(): void;
}

/** What an error message says about where an object is missing. */
export interface ObjectReaderOptions {
  readonly commonFolder: string;
  /** Added to the message about a missing object, e.g. that the repository is a partial clone. */
  readonly hint?: string;
}

/** isomorphic-git keeps most of what it read from packs for ever; after so many bytes its memory is given up. */
const maxKeptBytes = 256 * 1024 * 1024;

/** Reads objects by isomorphic-git. Missing and damaged ones give `BuildError` `damaged-repository` naming them. */
export function createObjectReader({ commonFolder, hint = '' }: ObjectReaderOptions): GitObjectReader {
  const files = createObjectFiles(commonFolder);
  const fs = new FileSystem(files.fs);
  let cache = {};
  let keptBytes = 0;

  const forget = () => {
    files.forget();
    cache = {};
    keptBytes = 0;
  };
  const readOnce = async (oid: string): Promise<RawObject> => {
    const found = await git.readObject({ fs: fs as never, gitdir: commonFolder, cache, oid, format: 'content' });
    const bytes = found.object as Buffer;
    keptBytes += bytes.length;
    if (keptBytes > maxKeptBytes) forget();
    return { type: found.type, bytes };
  };
  const readObject = async (oid: string): Promise<RawObject> => {
    try {
      return await readOnce(oid).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
        forget(); // another process may have packed the object since the folders were listed
        return readOnce(oid);
      });
    } catch (cause) {
      throw new BuildError('damaged-repository', describeFailure(oid, cause, hint), { cause });
    }
  };
  const readTyped = async (oid: string, type: string): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type === type) return object.bytes;
    throw new BuildError('damaged-repository', `Object ${oid} should be a ${type} but is a ${object.type}`);
  };
  return {
    fs: files.fs,
    forget,
    readObject,
    async readCommit(oid) {
      const object = await readObject(oid);
      if (object.type !== 'commit') {
        throw new BuildError('no-such-ref', `Object ${oid} is a ${object.type}, not a commit`);
      }
      return parseCommit(oid, object.bytes.toString('latin1'));
    },
    readTree: async (oid) => parseTree(oid, await readTyped(oid, 'tree')),
    readBlob: (oid) => readTyped(oid, 'blob'),
  };
}

function describeFailure(oid: string, cause: unknown, hint: string): string {
  if (isMissing(cause)) return `Object ${oid} is missing${hint}`;
  if ((cause as { code?: unknown }).code === 'ERR_FS_FILE_TOO_LARGE') {
    return `Object ${oid} is in a pack of more than 2 GiB, which cannot be read; git repack --max-pack-size=1g -ad helps`;
  }
  return `Object ${oid} is damaged or unreadable`;
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'NotFoundError' || code === 'ENOENT';
}

function parseCommit(oid: string, text: string): { readonly tree: string; readonly time: number } {
  const head = text.split('\n\n', 1)[0] ?? '';
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  if (tree === undefined) throw new BuildError('damaged-repository', `Commit ${oid} is damaged: it names no tree`);
  // Some old commits have a committer line git itself reads as time 0.
  return { tree, time: Number(/^committer .* (\d+) [+-]\d+$/m.exec(head)?.[1] ?? 0) };
}
