import { BuildError } from '../build-error.ts';
import { contentKey } from '../cache/content-key.ts';
import { findMessages } from '../compose/messages.ts';
import type { FileList } from '../publish/site-files.ts';
import { buildSearchManifest } from '../search/search-manifest.ts';
import {
  assembleVolume,
  divideIntoVolumes,
  type SearchNotes,
  type SearchPage,
  type SearchVolume,
} from '../search/search-volume.ts';
import type { Site } from './site.ts';

/** The files of the search index, to stand among the theme's own. */
export interface PlannedSearch {
  readonly notes: SearchNotes;
  /** The manifest, which all pages find by its name. */
  readonly manifest: string;
  /** Makes a file that is not published yet. */
  readonly produce: ReadonlyMap<string, () => Uint8Array>;
}

/** A version of the site with its pages that readers may find, by language code. */
export interface SearchedVersion {
  readonly name: string;
  readonly slug: string;
  readonly search: Readonly<Record<string, readonly SearchPage[]>>;
}

/**
 * Plans the search index. Volumes whose pages are the same as in the last build stay as they are published; all others are
 * assembled from what is kept of each page.
 */
export function planSearch(
  site: Site,
  /** In readers' order, the latest first. */
  versions: readonly SearchedVersion[],
  previous: { readonly notes: SearchNotes; readonly list: FileList | undefined } | undefined,
): PlannedSearch {
  const { engineVersion, searchEntries } = site.tools;
  const published = new Set(previous?.list?.files.map(([, key]) => key));
  const produce = new Map<string, () => Uint8Array>();
  const made = new Map<string, Uint8Array>();
  const notes: Record<string, readonly (readonly [string, string])[]> = {};
  const languages = site.languages.flatMap(({ code, tag }) => {
    // The oldest first: what is divided stays divided when a version comes.
    const having = versions.filter(({ search }) => search[code] && search[code].length > 0).reverse();
    const volumes = divideIntoVolumes(
      code,
      having.map(({ slug, search }) => ({ slug, pages: search[code]! })),
    ).map((volume) => ({ file: placeVolume(volume), versions: volume.versions.map(({ slug }) => slug) }));
    return volumes.length > 0 ? [{ code, tag, volumes, words: findMessages(tag).search }] : [];
  });
  const manifest = buildSearchManifest({
    single: site.settings.single,
    versions: versions.map(({ name, slug }) => ({ name, slug })),
    languages,
  });
  return { notes, manifest, produce };

  /** Returns the name of the volume's index. */
  function placeVolume(volume: SearchVolume): string {
    const key = contentKey('search', engineVersion, JSON.stringify(volume));
    const known = previous && Object.hasOwn(previous.notes, key) ? previous.notes[key]! : [];
    const isPublished = known.length > 0 && known.every(([, content]) => published.has(content));
    notes[key] = isPublished ? known : assemble(volume);
    for (const [, content] of notes[key]) {
      produce.set(content, () => {
        // What is published is made again where somebody has changed it.
        if (!made.has(content)) assemble(volume);
        const bytes = made.get(content);
        if (bytes) return bytes;
        throw new BuildError('worker', 'What search knows of a page disappeared from the cache; build again');
      });
    }
    return notes[key][0]![0];
  }

  function assemble(volume: SearchVolume): readonly (readonly [string, string])[] {
    return assembleVolume(volume, searchEntries).map(({ name, bytes }) => {
      const content = contentKey('file', bytes);
      made.set(content, bytes);
      return [name, content] as const;
    });
  }
}
