import { createHash } from 'node:crypto';

/** Files of one release: path inside the release and key of the content, in byte order of the paths. */
export interface FileList {
  /** Hash of all paths and keys. */
  readonly id: string;
  readonly files: readonly (readonly [path: string, key: string])[];
}

/** A file list and its folder in the site: '' or a path that ends with `/`. */
export interface FileGroup {
  readonly prefix: string;
  readonly list: FileList;
}

/** All files of a site by the name of their group; no two groups share a path. */
export type SiteFiles = ReadonlyMap<string, FileGroup>;

export function createFileList(files: Iterable<readonly [path: string, key: string]>): FileList {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha1');
  for (const [path, key] of sorted) hash.update(`${path}\0${key}\0`);
  return { id: hash.digest('hex'), files: sorted };
}

/** Returns a hash of the whole site: equal sites have equal ids. */
export function siteId(site: SiteFiles): string {
  const hash = createHash('sha1');
  for (const name of [...site.keys()].sort()) {
    const { prefix, list } = site.get(name)!;
    hash.update(`${name}\0${prefix}\0${list.id}\0`);
  }
  return hash.digest('hex');
}

/** Returns the site's files that are not the same in `other`, by full path. */
export function flattenChanged(site: SiteFiles, other: SiteFiles): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [name, group] of site) {
    if (isSameGroup(group, other.get(name))) continue;
    for (const [path, key] of group.list.files) files.set(group.prefix + path, key);
  }
  return files;
}

/** Returns whether two groups contain the same files in the same folder. */
export function isSameGroup(group: FileGroup, other: FileGroup | undefined): boolean {
  return other !== undefined && other.prefix === group.prefix && other.list.id === group.list.id;
}

export function countFiles(site: SiteFiles): number {
  let count = 0;
  for (const { list } of site.values()) count += list.files.length;
  return count;
}
