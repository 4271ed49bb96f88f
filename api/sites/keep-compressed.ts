import { dirname, join } from 'node:path';
import { precompressSite } from './precompress-site.ts';

/** Folder of a site's compressed bodies, beside the site. */
export function compressedFolder(siteFolder: string): string {
  return join(dirname(siteFolder), 'compressed');
}

/** Sees to it that sites have their bodies compressed, one site at a time. */
export interface CompressionKeeper {
  /** Told that a site was published; works in the background. */
  refresh(siteFolder: string): void;
  /** Leaves a site alone that is going away; nothing is written beside it any more. */
  forget(siteFolder: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates the keeper. A site that is published again meanwhile is looked at once more. */
export function keepCompressed(onError: (error: unknown) => void): CompressionKeeper {
  const due = new Set<string>();
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let current:
    | { readonly folder: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
    | undefined;
  const work = async (): Promise<void> => {
    for (let [folder] = due; folder !== undefined && !stop.signal.aborted; [folder] = due) {
      due.delete(folder);
      const own = new AbortController();
      const signal = AbortSignal.any([stop.signal, own.signal]);
      const compressing = precompressSite({ folder, store: compressedFolder(folder), signal });
      const ended = compressing.catch((error) => signal.aborted || onError(error));
      current = { folder, stop: own, ended };
      await ended;
      current = undefined;
    }
  };
  return {
    refresh(folder) {
      due.add(folder);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async forget(folder) {
      due.delete(folder);
      if (current?.folder !== folder) return;
      current.stop.abort();
      await current.ended;
    },
    async close() {
      stop.abort();
      await working;
    },
  };
}
