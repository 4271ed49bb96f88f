import { joinPath, splitUrl } from '../links/resolve-url.ts';
import type { SourceTree } from '../source/collect-pages.ts';
import { folderOf } from '../source/page-path.ts';
import type { PathFinder, VersionSource } from './read-version.ts';
import type { RenderedPage } from './render-pages.ts';

/**
 * Looks up what links lead to that is none of the listed files, since resolving them must not wait: files with their blobs,
 * and folders, all from the repository's root. Only links that leave the source folder can lead there, unless not all of
 * that folder is listed.
 */
export async function findOutsideTargets(
  tree: SourceTree,
  rendered: ReadonlyMap<string, RenderedPage>,
  { sourceFolder, isReadmeOnly }: Pick<VersionSource, 'sourceFolder' | 'isReadmeOnly'>,
  find: PathFinder,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly folders: ReadonlySet<string> }> {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  if (sourceFolder === '' && !isReadmeOnly) return { files, folders };
  const asked = new Set<string>();
  for (const file of tree.pageOfFile.keys()) {
    for (const { url } of rendered.get(file)?.slots ?? []) {
      if (!isReadmeOnly && !url.includes('..') && !url.startsWith('/')) continue;
      const { path } = splitUrl(url);
      const folder = path.startsWith('/') ? '' : folderOf(sourceFolder + file);
      const target = joinPath(folder, path.replace(/^\/+/, ''))?.replace(/\/$/, '');
      if (target === undefined || target === '' || asked.has(target)) continue;
      if (isReadmeOnly ? tree.files.has(target) : target.startsWith(sourceFolder)) continue;
      asked.add(target);
      const entry = await find(target);
      if (entry?.kind === 'file') files.set(target, entry.oid);
      else if (entry) folders.add(target);
    }
  }
  return { files, folders };
}

/** Gives all folders that hold one of these files of the source folder, from the repository's root. */
export function collectFolders(files: Iterable<string>, sourceFolder: string): ReadonlySet<string> {
  const folders = new Set<string>([sourceFolder.replace(/\/$/, '')]);
  for (const file of files) {
    const full = sourceFolder + file;
    for (let slash = full.lastIndexOf('/'); slash > 0; slash = full.lastIndexOf('/', slash - 1)) {
      const folder = full.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
