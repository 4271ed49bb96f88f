import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeNames } from '../../lib/exchange-names.ts';
import { findMisfits, type Misfits, type RoomRules } from './find-misfits.ts';
import { keepFormer } from './former-files.ts';
import { type SiteFiles, siteId } from './site-files.ts';
import {
  forgetManifest,
  MARKER_NAME,
  manifestPath,
  pruneManifests,
  readManifest,
  readMarker,
  readStamps,
  type SiteManifest,
  writeManifest,
  writeMarker,
} from './site-manifest.ts';
import { removeFolder, stageSite } from './stage-site.ts';

/** How to produce new content, and the notes for the next run. */
export interface PublishOptions {
  /** Returns the bytes of a content that is not published yet; `path` is one of its paths. */
  readonly produce: (key: string, path: string) => Uint8Array | Promise<Uint8Array>;
  /** Returns whether `produce` can make a content; what it cannot make is published already. Default: it makes all. */
  readonly canProduce?: (key: string) => boolean;
  /** Returns the notes for the next run, stored as JSON with the manifest, from the size of the site. */
  readonly notes: (bytes: number) => unknown;
  /** Limit for the size of the site. */
  readonly maxBytes: number;
  /** Names of groups that are published together or not at all, those that matter most first; each group is in one of them. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** How the parts compete for room, where the site is too large. */
  readonly rules?: RoomRules;
  /** Called right before the site takes the place of the published one, which happens only then. */
  readonly beforeExchange?: (() => Promise<void>) | undefined;
  /** Called as files get into place. */
  readonly onFile?: ((count: number) => void) | undefined;
}

export interface PublishResult {
  readonly written: number;
  readonly linked: number;
  /** Size of the site, each content counted once. */
  readonly bytes: number;
}

export interface Overflow {
  readonly misfits: Misfits;
  /** The part of it that is staged. */
  readonly partial: PartialSite | undefined;
}

/** A site in the staging folder that was not finished; it is known to this process alone. */
export type PartialSite = Pick<SiteManifest, 'site' | 'sizes' | 'stamps'>;

/** Where a site is published and what is there; see `openOutput`. */
export interface Place {
  readonly out: string;
  readonly state: string;
  readonly back: string;
  readonly published: SiteManifest | undefined;
  /** Left in `back` by the last attempt, if that was for a site that is too large. */
  readonly partial: PartialSite | undefined;
  readonly exchange: ExchangeNames;
}

/**
 * Stages a site, with the theme's files that it keeps of the published one (see `keepFormer`), and exchanges both. On failure
 * everything stays as it was, also if the site is too large; in that case the next call, without the parts that do not fit, finds
 * most of the site already staged.
 */
export async function publishSite(
  place: Place,
  planned: SiteFiles,
  options: PublishOptions,
): Promise<PublishResult | Overflow> {
  const { out, state, back, published } = place;
  const { site, parts } = keepFormer({ site: planned, parts: options.parts }, published?.site);
  const build = siteId(site);
  // Without a trustworthy published folder the spare one, which shares its files, cannot be trusted either. Only this
  // code changes the spare folder, so its times need not be compared.
  const staged = place.partial ?? (published && readManifest(state, back));
  const known = selectSizes(site, [published?.sizes, staged?.sizes]);
  const room = options.maxBytes - totalBytes(known);
  if (room < 0)
    return { misfits: await findMisfits(site, { ...options, parts, sizes: known, measure }), partial: place.partial };
  if (published?.build === build) {
    if (place.partial) removeFolder(back);
    writeManifest(state, out, { ...published, notes: options.notes(totalBytes(known)) });
    return { written: 0, linked: 0, bytes: totalBytes(known) };
  }
  try {
    if (staged) removeFolder(join(back, MARKER_NAME));
    else removeFolder(back);
    mkdirSync(back, { recursive: true });
    const result = await stageSite({
      staging: back,
      staged: staged?.site,
      source: published && { folder: out, site: published.site },
      site,
      produce: options.produce,
      known,
      room,
      onFile: options.onFile,
    });
    const sizes = new Map([...known, ...result.sizes]);
    if (!result.isWhole) {
      const misfits = await findMisfits(site, { ...options, parts, sizes, measure });
      const held = result.listStaged();
      return { misfits, partial: { site: held, sizes: selectSizes(held, [sizes]), stamps: new Map() } };
    }
    writeMarker(back, build);
    const notes = options.notes(totalBytes(sizes));
    writeManifest(state, back, {
      build,
      site,
      sizes,
      notes,
      stamps: readStamps(back, site, staged?.stamps, result.touched),
    });
    await options.beforeExchange?.();
    // A folder that cannot be trusted is no ground to stage the next site on, not even if the process dies here.
    if (!published) forgetManifest(state, out);
    activateFolder({ staged: back, published: out, previous: join(state, 'previous') }, place.exchange);
    if (!published) removeFolder(back);
    const former = readMarker(back);
    pruneManifests(state, [manifestPath(state, out, build), former && manifestPath(state, back, former)]);
    return { written: result.written, linked: result.linked, bytes: totalBytes(sizes) };
  } catch (error) {
    if (readMarker(out) !== build) {
      removeFolder(back);
      pruneManifests(state, [published && manifestPath(state, out, published.build)]);
    }
    throw error;
  }

  async function measure(key: string, path: string): Promise<number> {
    options.onFile?.(0);
    return (await options.produce(key, path)).length;
  }
}

/**
 * Makes the folder that the next build will stage in, when there is none, which then costs what has changed. The site is published
 * by now, so that where the disk has no room for it, it is left.
 */
export async function prepareNext(
  { out, state, back }: Pick<Place, 'out' | 'state' | 'back'>,
  manifest: SiteManifest,
): Promise<void> {
  if (existsSync(back)) return;
  const { build, site, sizes } = manifest;
  const produce = (): never => {
    throw new Error(`A file disappeared from "${out}" while it was linked`);
  };
  try {
    mkdirSync(back);
    await stageSite({
      staging: back,
      staged: undefined,
      source: { folder: out, site },
      site,
      produce,
      known: sizes,
      room: 0,
    });
    writeMarker(back, build);
    writeManifest(state, back, { ...manifest, stamps: readStamps(back, site) });
  } catch {
    removeFolder(back);
  }
}

/** Returns the sizes of a site's contents, as far as they are known. */
function selectSizes(
  site: SiteFiles,
  known: readonly (ReadonlyMap<string, number> | undefined)[],
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const maps = known.filter((map) => map !== undefined);
  for (const { files } of new Map([...site.values()].map(({ list }) => [list.id, list])).values()) {
    // Thousands of files: taking each pair apart would allocate more than the result.
    for (const file of files) {
      const key = file[1];
      if (sizes.has(key)) continue;
      for (const map of maps) {
        const size = map.get(key);
        if (size === undefined) continue;
        sizes.set(key, size);
        break;
      }
    }
  }
  return sizes;
}

function totalBytes(sizes: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const size of sizes.values()) total += size;
  return total;
}

/**
 * Replaces the published folder with the staged one in one step; the old one takes the place of the staged one. Where
 * the system cannot exchange folders there are two renames with an instant between them; `previous` then holds the old
 * folder, and the next run puts it back if the process died there.
 */
function activateFolder(
  paths: { readonly staged: string; readonly published: string; readonly previous: string },
  exchange: ExchangeNames,
): void {
  const { staged, published, previous } = paths;
  if (!existsSync(published)) {
    renameSync(staged, published);
    return;
  }
  if (exchange(staged, published)) return;
  renameSync(published, previous);
  try {
    renameSync(staged, published);
  } catch (error) {
    renameSync(previous, published);
    throw error;
  }
  renameSync(previous, staged);
}
