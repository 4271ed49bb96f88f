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
  close(): Promise<void>;
}

/** Creates the keeper. A site that is published again meanwhile is looked at once more. */
export function keepCompressed(onError: (error: unknown) => void): CompressionKeeper {
  const due = new Set<string>();
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    for (let [folder] = due; folder !== undefined && !stop.signal.aborted; [folder] = due) {
      due.delete(folder);
      try {
        await precompressSite({ folder, store: compressedFolder(folder), signal: stop.signal });
      } catch (error) {
        if (!stop.signal.aborted) onError(error);
      }
    }
  };
  return {
    refresh(folder) {
      due.add(folder);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async close() {
      stop.abort();
      await working;
    },
  };
}
