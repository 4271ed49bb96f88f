import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FileLock, tryLock } from '../../lib/file-lock.ts';
import { BuildError } from '../build-error.ts';
import { checkOwner, refuseToSwallow, resolveOutput } from './check-output.ts';
import { describeDiskError } from './describe-disk-error.ts';
import { createExchange, type ExchangeFolders } from './exchange-folders.ts';
import { pruneManifests } from './prune-manifests.ts';
import { type PublishOptions, type PublishResult, publishSite } from './publish-site.ts';
import type { SiteFiles } from './site-files.ts';
import { readUntouched, type SiteManifest, stateFolder } from './site-manifest.ts';
import { removeFolder } from './stage-site.ts';

/** An output folder in the hands of this process. */
export interface Output {
  /** What is published there now, when it is docbuild's own and nobody touched it since. */
  readonly published: SiteManifest | undefined;
  /** Replaces what is published by `site` in one step; on failure everything stays as it was. */
  publish(site: SiteFiles, options: PublishOptions): Promise<PublishResult>;
  /** Removes what is published, in one step. */
  takeDown(): void;
  close(): void;
}

/**
 * Takes an output folder for one build. Beside it stands `.<name>.docbuild/`: manifests, a lock, and the folder that was
 * published before. That one is brought up to date and then exchanged with the published one, so a publish costs what
 * changed and is one atomic step. Throws `foreign-output`, `output-busy`, `unwritable`.
 */
export function openOutput(
  folder: string,
  options: { readonly force: boolean; readonly protect: readonly string[]; readonly exchange?: ExchangeFolders },
): Output {
  const out = resolveOutput(folder);
  refuseToSwallow(out, options.protect);
  const state = stateFolder(out);
  const { lock, made } = takeState(state, out);
  if (!lock) throw new BuildError('output-busy', `Another build is publishing to "${folder}"; wait for it to end`);
  try {
    const back = join(state, 'back');
    const previous = join(state, 'previous');
    if (existsSync(previous)) {
      // A crash between the two renames of a system without exchange.
      if (existsSync(out)) removeFolder(previous);
      else renameSync(previous, out);
    }
    const exchange: ExchangeFolders = options.exchange ?? ((a, b) => createExchange()(a, b));
    const isForeign = checkOwner(folder, out, options.force);
    const published = isForeign ? undefined : readUntouched(state, out);
    return {
      published,
      async publish(site, publishOptions) {
        try {
          return await publishSite({ out, state, back, published, exchange }, site, publishOptions);
        } catch (error) {
          throw describeDiskError(error, out);
        }
      },
      takeDown() {
        try {
          removeFolder(back);
          if (existsSync(out)) renameSync(out, back);
          removeFolder(back);
          pruneManifests(state, []);
        } catch (error) {
          throw describeDiskError(error, out);
        }
      },
      close() {
        lock.release();
        forgetIfEmpty(state, made);
      },
    };
  } catch (error) {
    lock.release();
    forgetIfEmpty(state, made);
    throw error;
  }
}

/** Returns the lock, if nobody else has it, and the outermost folder that had to be made. */
function takeState(
  state: string,
  out: string,
): { readonly lock: FileLock | undefined; readonly made: string | undefined } {
  try {
    const made = mkdirSync(state, { recursive: true });
    return { lock: tryLock(join(state, 'lock')), made };
  } catch (error) {
    throw describeDiskError(error, out);
  }
}

/** A build that published nothing leaves nothing behind, not even the folders above. */
function forgetIfEmpty(state: string, made: string | undefined): void {
  try {
    rmdirSync(state);
    if (made === undefined) return;
    for (let path = state; path !== made; rmdirSync(path)) path = dirname(path);
  } catch {
    // It holds what the next build needs.
  }
}
