import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { BuildError } from '../build-error.ts';
import { activateFolder } from './activate-folder.ts';
import { pruneManifests } from './prune-manifests.ts';
import { type SiteFiles, siteId } from './site-files.ts';
import {
  isUntouched,
  readManifest,
  readMarker,
  readStamps,
  type SiteManifest,
  writeManifest,
  writeMarker,
} from './site-manifest.ts';
import { removeFolder, stageSite } from './stage-site.ts';
import { takeLock } from './take-lock.ts';

/** An output folder in the hands of this process. */
export interface Output {
  /** What is published there now, when it is docbuild's own and nobody touched it since. */
  readonly published: SiteManifest | undefined;
  /** Replaces what is published by `site` in one step; on failure everything stays as it was. */
  publish(site: SiteFiles, options: PublishOptions): PublishResult;
  close(): void;
}

export interface PublishOptions {
  /** Gives the bytes of a content that is not published yet; `path` is one of its places. */
  readonly produce: (key: string, path: string) => Uint8Array;
  /** Kept with the manifest for the next run; JSON. */
  readonly notes: unknown;
  /** Limit for what is written anew. */
  readonly maxBytes: number;
}

export interface PublishResult {
  readonly written: number;
  readonly linked: number;
  /** Size of the site, each content counted once. */
  readonly bytes: number;
}

/**
 * Takes an output folder for one build. Beside it stands `.<name>.docbuild/`: manifests, a lock, and the folder that was
 * published before. That one is brought up to date and then exchanged with the published one, so a publish costs what
 * changed and is one atomic step. Throws `foreign-output`, `output-busy`, `unwritable`.
 */
export function openOutput(
  folder: string,
  options: { readonly force: boolean; readonly protect: readonly string[] },
): Output {
  const out = resolveOutput(folder);
  refuseToSwallow(out, options.protect);
  const state = join(dirname(out), `.${basename(out)}.docbuild`);
  guard(out, () => mkdirSync(state, { recursive: true }));
  const lock = guard(out, () => takeLock(join(state, 'lock')));
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
    const published = isForeign ? undefined : readUntouched(state, out);
    return {
      published,
      publish: (site, publishOptions) =>
        guard(out, () => publish({ out, state, back, published, isForeign }, site, publishOptions)),
      close: lock.release,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Place {
  readonly out: string;
  readonly state: string;
  readonly back: string;
  readonly published: SiteManifest | undefined;
  readonly isForeign: boolean;
}

function publish(place: Place, site: SiteFiles, options: PublishOptions): PublishResult {
  const { out, state, back, published } = place;
  const build = siteId(site);
  if (published?.build === build) {
    writeManifest(state, { ...published, notes: options.notes });
    return { written: 0, linked: 0, bytes: totalBytes(published.sizes) };
  }
  // Without a trustworthy published folder the back one, which shares its files, is not to be trusted either.
  const staged = published && readUntouched(state, back);
  try {
    if (staged) removeFolder(join(back, '.docbuild.json'));
    else removeFolder(back);
    mkdirSync(back, { recursive: true });
    const result = stageSite({
      staging: back,
      staged: staged?.site,
      source: published && { folder: out, site: published.site },
      site,
      produce: options.produce,
      maxBytes: options.maxBytes,
      onOverflow: () =>
        new BuildError(
          'output-limit',
          `The site would grow by more than ${options.maxBytes / 1e6} MB, the limit for one build`,
        ),
    });
    const sizes = selectSizes(site, [published?.sizes, staged?.sizes, result.sizes]);
    writeMarker(back, build);
    writeManifest(state, { build, site, sizes, notes: options.notes, stamps: readStamps(back, site) });
    activateFolder({ staged: back, published: out, previous: join(state, 'previous') });
    if (place.isForeign) removeFolder(back);
    prepareNext(place, site);
    return { written: result.written, linked: result.linked, bytes: totalBytes(sizes) };
  } catch (error) {
    if (readMarker(out) !== build) removeFolder(back);
    throw error;
  }
}

/** Makes the folder that the next build will stage in, when there is none, and forgets manifests of other builds. */
function prepareNext({ out, state, back }: Place, site: SiteFiles): void {
  const build = siteId(site);
  if (!existsSync(back)) {
    const produce = (): never => {
      throw new Error(`File vanished from "${out}" while it was linked`);
    };
    mkdirSync(back);
    stageSite({
      staging: back,
      staged: undefined,
      source: { folder: out, site },
      site,
      produce,
      maxBytes: 0,
      onOverflow: produce,
    });
    writeMarker(back, build);
  }
  pruneManifests(state, [build, readMarker(back)]);
}

function readUntouched(state: string, folder: string): SiteManifest | undefined {
  const build = readMarker(folder);
  const manifest = build === undefined ? undefined : readManifest(state, build);
  return manifest && isUntouched(folder, manifest) ? manifest : undefined;
}

function resolveOutput(folder: string): string {
  const absolute = resolve(folder);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

/** Replacing a folder that holds the sources, the cache or the current folder would take them away. */
function refuseToSwallow(out: string, protect: readonly string[]): void {
  for (const path of protect) {
    const inside = relative(out, resolveOutput(path));
    if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`))) {
      throw new BuildError(
        'foreign-output',
        `Output folder "${out}" holds "${path}", which would be replaced; choose another`,
      );
    }
  }
}

/** Gives whether something stands there that is not docbuild's. Throws when it may not be replaced. */
function checkOwner(folder: string, out: string, force: boolean): boolean {
  if (!existsSync(out)) return false;
  if (!statSync(out).isDirectory())
    throw new BuildError('foreign-output', `Output "${folder}" is a file, not a folder`);
  const isForeign = readMarker(out) === undefined && readdirSync(out).length > 0;
  if (isForeign && !force) {
    throw new BuildError(
      'foreign-output',
      `Output folder "${folder}" is not empty and not made by docbuild; choose another, or replace it with --force`,
    );
  }
  return isForeign;
}

function selectSizes(
  site: SiteFiles,
  known: readonly (ReadonlyMap<string, number> | undefined)[],
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { list } of site.values()) {
    for (const [, key] of list.files) {
      if (sizes.has(key)) continue;
      const size = known.map((map) => map?.get(key)).find((bytes) => bytes !== undefined);
      sizes.set(key, size ?? 0);
    }
  }
  return sizes;
}

function totalBytes(sizes: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const size of sizes.values()) total += size;
  return total;
}

/** Runs a step and turns the system's complaints about the disk into the user's terms. */
function guard<T>(out: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new BuildError('disk-full', `No space left to write the site to "${out}"; the old one is still in place`, {
        cause: error,
      });
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR') {
      throw new BuildError('unwritable', `Cannot write to "${out}" or beside it (${code}); check the permissions`, {
        cause: error,
      });
    }
    throw error;
  }
}
