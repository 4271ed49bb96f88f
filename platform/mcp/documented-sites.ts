import { DataError } from '../../data/data-error.ts';
import { createBoundedMap, createWorkMemory } from '../../lib/bounded-map.ts';
import type { Volume } from '../../lib/search/volume.ts';
import { parseSiteIndex, type SiteIndex } from '../sites/site-indexes.ts';
import type { PageEvents } from './collect-changes.ts';
import { type Documentation, openDocumentation } from './documentation.ts';

/** A published site as its files are had: from a folder, a bucket, or a server. */
export interface SiteSource {
  /** Distinguishes the site from others. */
  readonly key: string;
  /** URL of its root, with a final slash. */
  readonly url: string;
  /** Returns a file by its path from the root; undefined where there is none. Throws DataError `busy` where that cannot be said. */
  read(path: string): Promise<Uint8Array | undefined>;
}

const MAX_INDEXES = 50;
/** Histories of languages that are kept, and for how long, ms. */
const MAX_HISTORIES = 10;
const FRESH_MS = 30_000;

/**
 * Creates what opens sites for questions, each as it is at that moment. What takes long to open is kept: lists of pages, and volumes of
 * search indexes whose files have at most `maxBytes` together.
 */
export function createDocumentedSites(maxBytes: number): (source: SiteSource) => Promise<Documentation> {
  const indexes = createBoundedMap<string, { readonly text: string; readonly index: SiteIndex }>({
    maxEntries: MAX_INDEXES,
  });
  const volumes = createWorkMemory<string, { readonly volume: Volume; readonly bytes: number }>({
    maxWeight: maxBytes,
    weigh: ({ bytes }) => bytes,
  });
  const histories = createBoundedMap<string, { readonly atMs: number; readonly events: Promise<PageEvents> }>({
    maxEntries: MAX_HISTORIES,
  });
  return async ({ key, url, read }) => {
    const sizes = new Map<string, number>();
    const readText = async (path: string): Promise<string | undefined> => {
      const bytes = await read(path);
      if (bytes) sizes.set(path, bytes.length);
      return bytes && new TextDecoder().decode(bytes);
    };
    const text = await readText('versions.json');
    if (text === undefined) throw new DataError('not-found', 'Nothing of this documentation is published yet');
    const known = indexes.get(key);
    const index = known?.text === text ? known.index : parseSiteIndex(text);
    if (index !== known?.index) indexes.set(key, { text, index });
    return openDocumentation({
      url,
      index,
      readText,
      async recallVolume(file, open) {
        const kept = await volumes(`${key}\n${file}`, async () => {
          const volume = await open();
          return { volume, bytes: sizes.get(`_docbuild/${file}`) ?? 0 };
        });
        return kept.volume;
      },
      recallEvents(language, readEvents) {
        const name = `${key}\n${language}`;
        const kept = histories.get(name);
        if (kept && performance.now() - kept.atMs < FRESH_MS) return kept.events;
        const events = readEvents();
        histories.set(name, { atMs: performance.now(), events });
        events.catch(() => histories.delete(name));
        return events;
      },
    });
  };
}
