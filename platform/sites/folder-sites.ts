import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { identifySite, isWholeSite } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { readCompressed } from './compressed-folder.ts';
import { findSiteFile } from './find-site-file.ts';
import { compressedFolder, createPrecompressor } from './precompressor.ts';
import { openSiteFile } from './site-files.ts';
import { type PublishedSite, type SiteStorage, siteFolder } from './site-storage.ts';

/** Sites that readers have asked for last. */
const MAX_KNOWN = 10_000;

/** Creates the storage in which readers get the very folders that builds publish to; their bodies are compressed in the background. */
export function createFolderSites({
  folder: sitesFolder,
  onError,
}: {
  readonly folder: string;
  readonly onError: (error: unknown) => void;
}): SiteStorage {
  const precompressor = createPrecompressor(onError);
  const known = createBoundedMap<string, PublishedSite>({ maxEntries: MAX_KNOWN });
  const folderOf = (project: string): string => siteFolder(sitesFolder, project);
  return {
    folder: sitesFolder,
    isShared: false,
    async publish({ project }) {
      precompressor.refresh(folderOf(project));
      return undefined;
    },
    find(project) {
      let site = known.get(project);
      if (!site) {
        site = openFolderSite(folderOf(project), compressedFolder(folderOf(project)));
        known.set(project, site);
      }
      return site;
    },
    isWhole: async (project) => isWholeSite(folderOf(project)),
    identify: async (project) => identifySite(folderOf(project)),
    async remove(project) {
      const folder = folderOf(project);
      await precompressor.forget(folder);
      await rm(dirname(folder), { recursive: true, force: true });
    },
    close: () => precompressor.close(),
  };
}

/** Returns the site in a folder, which may be exchanged at any moment and need not exist yet. */
export function openFolderSite(folder: string, compressed?: string): PublishedSite {
  return {
    id: folder,
    find: (asked) => findSiteFile(folder, asked),
    open: (path) => openSiteFile(folder, path),
    readCompressed: async (_path, { content, compression, maxBytes }) =>
      compressed === undefined ? undefined : readCompressed(compressed, content, compression, maxBytes),
  };
}

/** Returns the absolute path of a folder with a site in it. Throws DataError `not-found` where docbuild has published none. */
export function locateSite(place: string): string {
  const folder = resolve(place);
  if (existsSync(`${folder}/versions.json`)) return folder;
  const reason = existsSync(folder) ? 'has no "versions.json"' : 'does not exist';
  throw new DataError(
    'not-found',
    `Folder "${place}" ${reason}; name the root of a site that docbuild has written, such as the folder of "docbuild site --out"`,
  );
}
