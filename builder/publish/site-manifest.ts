import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { writeJson } from '../../lib/write-json.ts';
import type { FileList, SiteFiles } from './site-files.ts';

/** The file in an output folder that identifies its creator and its build. */
export const MARKER_NAME = '.docbuild.json';

/** Returns the folder beside an output folder that contains its manifests. */
export function stateFolder(out: string): string {
  return join(dirname(out), `.${basename(out)}.docbuild`);
}

export interface SiteManifest {
  /** `siteId` of the files. */
  readonly build: string;
  readonly site: SiteFiles;
  /** Size in bytes by content key. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Notes of the pipeline for its next run; JSON. */
  readonly notes: unknown;
  /** Modification times (ms) of folders and of one path for each content, as they were when the folder was finished. */
  readonly stamps: ReadonlyMap<string, number>;
}

interface StoredManifest {
  readonly format: 2;
  readonly build: string;
  /** Content keys and their sizes; lists refer to a key by its index here. */
  readonly keys: readonly string[];
  readonly sizes: readonly number[];
  /** By id: path, index of the key, path, index of the key, … */
  readonly lists: Readonly<Record<string, readonly (string | number)[]>>;
  readonly groups: readonly (readonly [name: string, prefix: string, list: string])[];
  readonly stamps: readonly (readonly [string, number])[];
  readonly notes: unknown;
}

/** Returns the build id that a folder's marker names, or undefined when the folder is not docbuild's or not finished. */
export function readMarker(folder: string): string | undefined {
  try {
    const marker: unknown = JSON.parse(readFileSync(join(folder, MARKER_NAME), 'utf8'));
    if (typeof marker !== 'object' || marker === null || !('build' in marker)) return undefined;
    return typeof marker.build === 'string' && /^[0-9a-f]{40}$/.test(marker.build) ? marker.build : undefined;
  } catch {
    return undefined;
  }
}

export function writeMarker(folder: string, build: string): void {
  writeFileSync(join(folder, MARKER_NAME), `${JSON.stringify({ generator: 'docbuild', build })}\n`);
}

/** Reads the manifest of a finished folder; returns undefined if there is none that can be used. */
export function readManifest(stateFolder: string, folder: string): SiteManifest | undefined {
  const build = readMarker(folder);
  if (build === undefined) return undefined;
  try {
    const path = manifestPath(stateFolder, folder, build);
    const known = remembered.get(path);
    if (known && known.version === versionOf(path)) return known.manifest;
    const stored = JSON.parse(readFileSync(path, 'utf8')) as StoredManifest;
    if (stored.format !== 2 || stored.build !== build) return undefined;
    const lists = new Map<string, FileList>();
    for (const [id, flat] of Object.entries(stored.lists)) lists.set(id, { id, files: pairs(flat, stored.keys) });
    const site = new Map(stored.groups.map(([name, prefix, list]) => [name, { prefix, list: lists.get(list)! }]));
    const sizes = new Map(stored.keys.map((key, at) => [key, stored.sizes[at]!]));
    return { build, site, sizes, stamps: new Map(stored.stamps), notes: stored.notes };
  } catch {
    return undefined;
  }
}

/** Writes the manifest of a folder in one step. */
export function writeManifest(stateFolder: string, folder: string, manifest: SiteManifest): void {
  const keys = [...manifest.sizes.keys()];
  const places = new Map(keys.map((key, at) => [key, at]));
  const lists: Record<string, readonly (string | number)[]> = {};
  for (const { list } of manifest.site.values()) {
    lists[list.id] ??= flatten(list, places);
  }
  const stored: StoredManifest = {
    format: 2,
    build: manifest.build,
    lists,
    groups: [...manifest.site].map(([name, { prefix, list }]) => [name, prefix, list.id]),
    keys,
    sizes: [...manifest.sizes.values()],
    stamps: [...manifest.stamps],
    notes: manifest.notes,
  };
  const path = manifestPath(stateFolder, folder, manifest.build);
  writeJson(`${path}.tmp`, stored);
  renameSync(`${path}.tmp`, path);
  remember(path, manifest);
}

/** Returns the paths of a list, each followed by the place of its content. */
function flatten({ files }: FileList, places: ReadonlyMap<string, number>): readonly (string | number)[] {
  const flat: (string | number)[] = [];
  for (const file of files) flat.push(file[0], places.get(file[1])!);
  return flat;
}

/** Manifests written by this process, by path, so that a server need not parse them again. */
const remembered = createBoundedMap<string, { readonly version: string; readonly manifest: SiteManifest }>({
  maxEntries: 4,
});

function remember(path: string, manifest: SiteManifest): void {
  remembered.set(path, { version: versionOf(path), manifest });
}

/** Tells one writing of a file from any other. */
function versionOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino}/${size}/${mtimeNs}`;
}

/** Deletes the manifest of a folder, so that its content is not trusted. */
export function forgetManifest(stateFolder: string, folder: string): void {
  const build = readMarker(folder);
  if (build !== undefined) rmSync(manifestPath(stateFolder, folder, build), { force: true });
}

/**
 * Returns the path of a folder's manifest file. The folder's inode is in its name: two folders may contain the same
 * build, and the inode stays with the folder when it is renamed or exchanged.
 */
export function manifestPath(stateFolder: string, folder: string, build: string): string {
  return join(stateFolder, `${build}.${statSync(folder).ino}.json`);
}

/**
 * Reads the modification times by which a later run knows that the folder is untouched: of every folder, and of one
 * file for each content. Those of `known` are taken over except for `touched` paths.
 */
export function readStamps(
  root: string,
  site: SiteFiles,
  known: ReadonlyMap<string, number> = new Map(),
  touched: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, number> {
  const read = (path: string): number =>
    (touched.has(path) ? undefined : known.get(path)) ?? statSync(`${root}/${path}`).mtimeMs;
  const stamps = new Map<string, number>([['', statSync(root).mtimeMs]]);
  const seen = new Set<string>();
  let folder = '';
  for (const { prefix, list } of site.values()) {
    for (const file of list.files) {
      const key = file[1];
      const full = prefix + file[0];
      const end = full.lastIndexOf('/');
      // Most files stand beside the one before.
      if (end !== folder.length || !full.startsWith(folder)) {
        folder = full.slice(0, Math.max(0, end));
        for (let slash = end; slash > 0; slash = full.lastIndexOf('/', slash - 1)) {
          const above = full.slice(0, slash);
          if (stamps.has(above)) break;
          stamps.set(above, read(above));
        }
      }
      if (seen.has(key)) continue;
      seen.add(key);
      stamps.set(full, read(full));
    }
  }
  return stamps;
}

/**
 * Returns whether a folder still matches its manifest. Equal files are one inode, so an in-place change is visible in
 * any of its paths; added, removed or replaced files change their folder's time.
 */
function isUntouched(folder: string, manifest: SiteManifest): boolean {
  try {
    for (const [path, mtimeMs] of manifest.stamps) {
      if (statSync(`${folder}/${path}`).mtimeMs !== mtimeMs) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function pairs(flat: readonly (string | number)[], keys: readonly string[]): (readonly [string, string])[] {
  const files: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) files.push([flat[at] as string, keys[flat[at + 1] as number]!]);
  return files;
}

export function readUntouched(stateFolder: string, folder: string): SiteManifest | undefined {
  const manifest = readManifest(stateFolder, folder);
  return manifest && isUntouched(folder, manifest) ? manifest : undefined;
}

/** Deletes all manifests but those at these paths. */
export function pruneManifests(stateFolder: string, keep: readonly (string | undefined)[]): void {
  for (const name of readdirSync(stateFolder)) {
    const path = join(stateFolder, name);
    if (/^[0-9a-f]{40}\.\d+\.json(?:\.tmp)?$/.test(name) && !keep.includes(path)) rmSync(path, { force: true });
  }
}

/**
 * Returns whether a folder is a site as a build left it, from two small files: false for one that is missing, and for a
 * copy, which may have been made while a build changed it. Throws what the file system throws.
 */
export function isWholeSite(folder: string): boolean {
  const build = readMarker(folder);
  return build !== undefined && existsSync(manifestPath(stateFolder(folder), folder, build));
}

/** Returns a text that is the same for two sites in a folder if all of their files are; '' where there is no finished site. */
export function identifySite(folder: string): string {
  return readMarker(folder) ?? '';
}

/** Returns whether builds have published to a folder, whatever is there now. */
export function hasPublished(folder: string): boolean {
  return existsSync(stateFolder(folder));
}

/** Returns what is known of the site in a folder; undefined where it is no site as a build left it. */
export function readSite(folder: string): SiteManifest | undefined {
  return readManifest(stateFolder(folder), folder);
}

/** Returns whether a folder still has the site of a manifest, and had no other one since it was read. */
export function isSameSite(folder: string, manifest: SiteManifest): boolean {
  return readMarker(folder) === manifest.build && isUntouched(folder, manifest);
}
