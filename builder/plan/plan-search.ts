import { packageFile } from '../../lib/package-file.ts';
import { contentKey, contentKeyOf } from '../cache/content-key.ts';
import { findMessages } from '../compose/messages.ts';
import type { SiteFiles } from '../publish/site-files.ts';
import { buildSegments } from '../search/build-segments.ts';
import { buildSegment, listSegmentTexts, recallSection, type SegmentInput } from '../search/search-segment.ts';
import {
  buildSearchManifest,
  divideIntoVolumes,
  planVolume,
  presentVolume,
  type SearchContent,
  type SearchList,
  type SearchVolume,
} from '../search/search-volume.ts';
import type { Site } from './site.ts';
import { type BuildNotes, type IndexNotes, own } from './versions/build-notes.ts';

/** The files of the search index, to stand among the theme's own. */
export interface PlannedSearch {
  /** The manifest, which all pages find by its name. */
  readonly manifest: string;
  /** Content keys of the other files, by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly produce: ReadonlyMap<string, () => Promise<Uint8Array>>;
  readonly notes: BuildNotes['search'];
}

/** A version of the site with its pages that readers may find, by language code. */
export interface SearchedVersion {
  readonly name: string;
  readonly slug: string;
  readonly search: Readonly<Record<string, SearchList>>;
}

/** Fewer segments take less time than it takes to start a thread that indexes them. */
const MIN_FOR_THREAD = 8;

/**
 * Plans the search index. A language in which nothing changed is taken over. Files are named by what determines them: what is
 * published stays, the rest is made when it is written, from parts in the cache and what was kept of each page. Where there is
 * much to index, a thread begins at once.
 */
export function planSearch(
  site: Site,
  /** In readers' order, the latest first. */
  versions: readonly SearchedVersion[],
  options: {
    /** The published site and the notes of the build that published it. */
    readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
    /** Returns whether the text of a page was kept; if not, the page is not found. */
    readonly isKept: (pageKey: string) => boolean;
  },
): PlannedSearch {
  const { engineVersion, searchEntries } = site.tools;
  const { previous, isKept } = options;
  const produce = new Map<string, () => Promise<Uint8Array>>();
  /** Segments, and those that a thread indexes, by the keys of their texts. */
  const segments = new Map<string, readonly SearchContent[]>();
  const making = new Map<string, Promise<void>>();

  const indexes = site.languages.map((language) => ({ ...language, index: planIndex(language.code) }));
  const manifest = buildSearchManifest({
    single: site.settings.single,
    versions: versions.map(({ name, slug }) => ({ name, slug })),
    languages: indexes
      .filter(({ index }) => index.volumes.length > 0)
      .map(({ code, tag, index: { volumes } }) => ({ code, tag, volumes, words: findMessages(tag).search })),
  });
  beginMaking();
  return {
    manifest,
    files: new Map(indexes.flatMap(({ index }) => index.files)),
    produce,
    notes: Object.fromEntries(indexes.map(({ code, index }) => [code, index])),
  };

  function planIndex(code: string): IndexNotes {
    const having = versions.flatMap(({ slug, search }) => {
      const list = own(search, code);
      return list ? [{ slug, ...list }] : [];
    });
    const key = contentKeyOf(having.flatMap(({ slug, id }) => [slug, id]));
    const known = previous && own(previous.notes.search, code);
    if (known?.key === key) return known;
    let isWhole = true;
    // The oldest first: what is divided stays divided when a version comes.
    const found = having
      .map(({ slug, pages }) => {
        const findable = pages.filter((page) => !page.isHidden);
        const kept = findable.filter((page) => isKept(page.key));
        isWhole &&= kept.length === findable.length;
        return { slug, pages: kept };
      })
      .filter(({ pages }) => pages.length > 0)
      .reverse();
    const files: (readonly [name: string, key: string])[] = [];
    const volumes = divideIntoVolumes(code, found).map((volume) => ({
      file: placeVolume(volume, files),
      versions: volume.versions.map(({ slug }) => slug),
    }));
    return { key: isWhole ? key : '', volumes, files };
  }

  /** Adds the files of a volume; returns the name of its index. */
  function placeVolume(volume: SearchVolume, files: IndexNotes['files'][number][]): string {
    const place = (stem: string, key: string, make: () => Promise<Uint8Array>): string => {
      const name = `${stem}.${key.slice(0, 16)}.json`;
      files.push([name, key]);
      produce.set(key, make);
      return name;
    };
    const plan = planVolume(volume);
    const placed = plan.segments.map((contents) => {
      const key = contentKey('search-text', engineVersion, JSON.stringify(contents));
      segments.set(key, contents);
      return { key, textFile: place('search-text', key, async () => Buffer.from(listSegmentTexts(readInput(key)))) };
    });
    const keys = placed.map(({ key }) => key);
    const key = contentKey('search', engineVersion, JSON.stringify([plan.versions, plan.pages, keys]));
    return place(`search-${volume.language}`, key, async () => {
      const parts = await Promise.all(keys.map(readPart));
      return presentVolume(
        plan,
        placed.map(({ textFile }, at) => ({ textFile, part: parts[at]! })),
      );
    });
  }

  function beginMaking(): void {
    const published = new Set(previous?.site.get('site')?.list.files.map(([, key]) => key));
    const keys = [...segments.keys()].filter((key) => !published.has(key));
    if (keys.length < MIN_FOR_THREAD) return;
    const promises = buildSegments(keys.length, {
      workerUrl: packageFile('dist/index-worker.js'),
      read: (at) => readInput(keys[at]!),
      keep: (at, part) => searchEntries.keepPart(keys[at]!, part),
    });
    for (const [at, key] of keys.entries()) making.set(key, promises[at]!);
  }

  async function readPart(key: string): Promise<Uint8Array> {
    await making.get(key);
    const known = searchEntries.findPart(key);
    if (known !== undefined) return known;
    const part = buildSegment(readInput(key), recallSection);
    searchEntries.keepPart(key, part);
    return Buffer.from(part);
  }

  function readInput(key: string): SegmentInput {
    return segments.get(key)!.map((content) => [content, searchEntries.read(content.key)]);
  }
}
