import { packageFile } from '../../lib/package-file.ts';
import { contentKey } from '../cache/content-key.ts';
import { findMessages } from '../compose/messages.ts';
import { buildSegments } from '../search/build-segments.ts';
import { buildSearchManifest } from '../search/search-manifest.ts';
import { buildSegment, type SearchSegment, type SegmentInput } from '../search/search-segment.ts';
import {
  divideIntoVolumes,
  planVolume,
  presentVolume,
  type SearchContent,
  type SearchPage,
  type SearchVolume,
} from '../search/search-volume.ts';
import type { Site } from './site.ts';

/** The files of the search index, to stand among the theme's own. */
export interface PlannedSearch {
  /** The manifest, which all pages find by its name. */
  readonly manifest: string;
  /** Content keys of the other files, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Makes the content of a key. */
  readonly produce: ReadonlyMap<string, () => Promise<Uint8Array>>;
}

/** A version of the site with its pages that readers may find, by language code. */
export interface SearchedVersion {
  readonly name: string;
  readonly slug: string;
  readonly search: Readonly<Record<string, readonly SearchPage[]>>;
}

/** Fewer segments take less time than it takes to start a thread that indexes them. */
const MIN_FOR_THREAD = 8;

/**
 * Plans the search index. Its files are named by what determines them: what is published stays, the rest is made when it is
 * written, from parts in the cache and what was kept of each page. Where there is much to index, a thread begins at once.
 */
export function planSearch(
  site: Site,
  /** In readers' order, the latest first. */
  versions: readonly SearchedVersion[],
  options: {
    /** Content keys of the site's own files that are published. */
    readonly published: ReadonlySet<string>;
    /** Returns whether the text of a page was kept; if not, the page is not found. */
    readonly isKept: (pageKey: string) => boolean;
  },
): PlannedSearch {
  const { engineVersion, searchEntries } = site.tools;
  const files = new Map<string, string>();
  const produce = new Map<string, () => Promise<Uint8Array>>();
  /** Segments and what they were made into, by the keys of their texts. */
  const segments = new Map<string, readonly SearchContent[]>();
  const made = new Map<string, SearchSegment | Promise<SearchSegment>>();

  const languages = site.languages.flatMap(({ code, tag }) => {
    // The oldest first: what is divided stays divided when a version comes.
    const having = versions
      .map(({ slug, search }) => ({ slug, pages: (search[code] ?? []).filter(({ key }) => options.isKept(key)) }))
      .filter(({ pages }) => pages.length > 0)
      .reverse();
    const volumes = divideIntoVolumes(code, having).map((volume) => ({
      file: placeVolume(volume),
      versions: volume.versions.map(({ slug }) => slug),
    }));
    return volumes.length > 0 ? [{ code, tag, volumes, words: findMessages(tag).search }] : [];
  });
  const manifest = buildSearchManifest({
    single: site.settings.single,
    versions: versions.map(({ name, slug }) => ({ name, slug })),
    languages,
  });
  beginMaking([...segments.keys()].filter((key) => !options.published.has(key)));
  return { manifest, files, produce };

  /** Returns the name of the volume's index. */
  function placeVolume(volume: SearchVolume): string {
    const plan = planVolume(volume);
    const placed = plan.segments.map((contents) => {
      const key = contentKey('search-text', engineVersion, JSON.stringify(contents));
      segments.set(key, contents);
      return { key, textFile: place('search-text', key, async () => (await makeSegment(key)).texts) };
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

  /** Adds a file that is determined by `key`; returns its name. */
  function place(stem: string, key: string, make: () => Promise<string>): string {
    const name = `${stem}.${key.slice(0, 16)}.json`;
    files.set(name, key);
    produce.set(key, async () => Buffer.from(await make()));
    return name;
  }

  function beginMaking(keys: readonly string[]): void {
    if (keys.length < MIN_FOR_THREAD) return;
    const promises = buildSegments(keys.map(readInput), packageFile('dist/index-worker.js'));
    for (const [at, key] of keys.entries()) made.set(key, promises[at]!);
  }

  function makeSegment(key: string): SearchSegment | Promise<SearchSegment> {
    const segment = made.get(key) ?? buildSegment(readInput(key));
    made.set(key, segment);
    return segment;
  }

  async function readPart(key: string): Promise<string> {
    const known = searchEntries.findPart(key);
    if (known !== undefined) return known;
    const { part } = await makeSegment(key);
    searchEntries.keepPart(key, part);
    return part;
  }

  function readInput(key: string): SegmentInput {
    return segments.get(key)!.map((content) => [content, searchEntries.read(content.key)]);
  }
}
