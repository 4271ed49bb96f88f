import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ExchangeNames, exchangeNames } from '../../lib/exchange-names.ts';
import { type FileLock, tryLock } from '../../lib/file-lock.ts';
import { BuildError } from '../build-error.ts';
import {
  type Overflow,
  type PartialSite,
  type PublishOptions,
  type PublishResult,
  prepareNext,
  publishSite,
} from './publish-site.ts';
import { createFileList, type SiteFiles } from './site-files.ts';
import {
  pruneManifests,
  readManifest,
  readMarker,
  readUntouched,
  type SiteManifest,
  stateFolder,
} from './site-manifest.ts';
import { removeFolder } from './stage-site.ts';

/** An output folder that is locked by this process. */
export interface Output {
  /** The site published there, if docbuild created it and it was unchanged when the output was opened. */
  readonly published: SiteManifest | undefined;
  /** Replaces what is published by `site` in one step; on failure, or if it is too large, everything stays as it was. */
  publish(site: SiteFiles, options: PublishOptions): Promise<PublishResult | Pick<Overflow, 'misfits'>>;
  /** Prepares the next change of what is published, so that it costs what changes; else the next one does it first. */
  prepareNext(): Promise<void>;
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
  options: { readonly force: boolean; readonly protect: readonly string[]; readonly exchange?: ExchangeNames },
): Output {
  const out = resolveOutput(folder);
  assertSeparateOutput(out, options.protect);
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
    const isForeign = checkOwner(folder, out, options.force);
    let published = isForeign ? undefined : readUntouched(state, out);
    let partial: PartialSite | undefined;
    return {
      get published() {
        return published;
      },
      async publish(site, publishOptions) {
        const place = { out, state, back, published, partial, exchange: options.exchange ?? exchangeNames };
        partial = undefined;
        try {
          const result = await publishSite(place, site, publishOptions);
          if ('misfits' in result) partial = result.partial;
          else published = readManifest(state, out);
          return result;
        } catch (error) {
          if (place.partial) removeFolder(back);
          throw describeDiskError(error, out);
        }
      },
      async prepareNext() {
        if (published) await prepareNext({ out, state, back }, published);
      },
      takeDown() {
        try {
          removeFolder(back);
          if (existsSync(out)) renameSync(out, back);
          removeFolder(back);
          pruneManifests(state, []);
          published = undefined;
        } catch (error) {
          throw describeDiskError(error, out);
        }
      },
      close() {
        if (partial) removeFolder(back);
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

/** Returns the lock, if it is free, and the outermost folder that had to be made. */
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

/** A build that published nothing leaves nothing behind, not even parent folders. */
function forgetIfEmpty(state: string, made: string | undefined): void {
  try {
    rmdirSync(state);
    if (made === undefined) return;
    for (let path = state; path !== made; rmdirSync(path)) path = dirname(path);
  } catch {
    // It holds what the next build needs.
  }
}

/** Pause between two tries. */
const PAUSE_MS = 50;

/** Takes an output folder, see `openOutput`; where another build publishes to it, waits for its end, `waitMs` at most. */
export async function waitForOutput(
  folder: string,
  { waitMs, ...options }: Parameters<typeof openOutput>[1] & { readonly waitMs: number },
): Promise<Output> {
  const end = performance.now() + waitMs;
  for (;;) {
    try {
      return openOutput(folder, options);
    } catch (error) {
      if (!(error instanceof BuildError && error.code === 'output-busy') || performance.now() >= end) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Returns the folder's real path; links are followed, so that their target is replaced and not the link. */
function resolveOutput(folder: string): string {
  const absolute = resolve(folder);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

/**
 * Throws `foreign-output` for a folder that holds the sources, the cache or the current folder: replacing it would
 * delete them.
 */
function assertSeparateOutput(out: string, protect: readonly string[]): void {
  for (const path of protect) {
    const inside = relative(out, resolveOutput(path));
    if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`))) {
      throw new BuildError(
        'foreign-output',
        `Output folder "${out}" contains "${path}", which would be replaced; choose another`,
      );
    }
  }
}

/** Returns whether the folder contains anything that is not docbuild's. Throws if it must not be replaced. */
function checkOwner(folder: string, out: string, force: boolean): boolean {
  if (!existsSync(out)) return false;
  if (!statSync(out).isDirectory())
    throw new BuildError('foreign-output', `Output "${folder}" is a file, not a folder`);
  const isForeign = readMarker(out) === undefined && readdirSync(out).length > 0;
  if (isForeign && !force) {
    throw new BuildError(
      'foreign-output',
      `Output folder "${folder}" is not empty and was not created by docbuild; choose another, or replace it with --force`,
    );
  }
  return isForeign;
}

const UNWRITABLE = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EBUSY',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'EIO',
  'EMFILE',
  'EMLINK',
  'ENOTEMPTY',
]);

/** Returns the system's error about the disk in the user's terms; any other error unchanged. */
function describeDiskError(error: unknown, out: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `No space left to write the site to "${out}"; the old one is still in place`;
    return new BuildError('disk-full', message, { cause: error });
  }
  if (code !== undefined && UNWRITABLE.has(code)) {
    const message = `Cannot write to "${out}" or beside it (${code}); check the permissions, and that it is not a mount point`;
    return new BuildError('unwritable', message, { cause: error });
  }
  return error;
}

/** A site that was built elsewhere. */
export interface CopiedSite {
  /** Its folders: a name, '' or a path that ends with `/`, and the files there, each with a key: equal keys mean equal bytes. */
  readonly groups: Iterable<
    readonly [name: string, prefix: string, files: Iterable<readonly [path: string, key: string]>]
  >;
  readonly produce: PublishOptions['produce'];
  /** Left by the build that made it, for the next one; undefined = nothing. */
  readonly notes: unknown;
}

/** Publishes a site to a folder as the build that made it did. Throws like `openOutput`. */
export async function publishCopy(folder: string, { groups, produce, notes }: CopiedSite): Promise<void> {
  const site: SiteFiles = new Map(
    Array.from(groups, ([name, prefix, files]) => [name, { prefix, list: createFileList(files) }]),
  );
  const output = openOutput(folder, { force: false, protect: [] });
  try {
    await output.publish(site, {
      produce,
      notes: () => notes ?? {},
      maxBytes: Number.MAX_SAFE_INTEGER,
      parts: new Map([['', [...site.keys()]]]),
    });
  } finally {
    output.close();
  }
}
