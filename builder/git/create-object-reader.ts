import { BuildError } from '../build-error.ts';
import type { ObjectReader } from '../model.ts';
import { FormatError } from './delta.ts';
import type { RawObject } from './object-folders.ts';
import { openObjectStore } from './object-store.ts';
import { parseTree } from './parse-tree.ts';

/** An `ObjectReader` over a git folder that also gives any object. */
export interface GitObjectReader extends ObjectReader {
  readObject(oid: string): Promise<RawObject>;
  /** Returns undefined for an object that is missing. */
  findObject(oid: string): Promise<RawObject | undefined>;
  /** Forgets which objects and packs exist, after somebody else may have packed or added some. */
  forget(): void;
}

/** What an error message says about where an object is missing. */
export interface ObjectReaderOptions {
  readonly commonFolder: string;
  /** Added to the message about a missing object, e.g. that the repository is a partial clone. */
  readonly hint?: string;
}

/** Creates a reader of a git folder. Missing and damaged objects give `BuildError` `damaged-repository` naming them. */
export function createObjectReader({ commonFolder, hint = '' }: ObjectReaderOptions): GitObjectReader {
  const store = openObjectStore(commonFolder);
  const findObject = (oid: string): Promise<RawObject | undefined> =>
    store.read(oid).catch((cause: unknown) => {
      const why =
        cause instanceof FormatError ? `damaged: ${cause.message}` : `unreadable: ${(cause as Error).message}`;
      throw new BuildError('damaged-repository', `Object ${oid} is ${why}`, { cause });
    });
  const readObject = async (oid: string): Promise<RawObject> => {
    const object = await findObject(oid);
    if (!object) throw new BuildError('damaged-repository', `Object ${oid} is missing${hint}`);
    return object;
  };
  const readTyped = async (oid: string, type: string): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type === type) return object.bytes;
    throw new BuildError('damaged-repository', `Object ${oid} should be a ${type} but is a ${object.type}`);
  };
  return {
    forget: store.forget,
    readObject,
    findObject,
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

function parseCommit(oid: string, text: string): { readonly tree: string; readonly time: number } {
  const head = text.split('\n\n', 1)[0] ?? '';
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  if (tree === undefined) throw new BuildError('damaged-repository', `Commit ${oid} is damaged: it names no tree`);
  // Some old commits have a committer line git itself reads as time 0.
  return { tree, time: Number(/^committer .* (\d+) [+-]\d+$/m.exec(head)?.[1] ?? 0) };
}
