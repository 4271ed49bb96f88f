import pMap from 'p-map';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { BuildError } from '../build-error.ts';
import { contentKey } from '../cache/content-key.ts';
import type { FragmentStore } from '../cache/fragment-store.ts';
import type { Generator } from '../model.ts';
import { splitFrontMatter } from '../source/front-matter.ts';
import { type PageMeta, readPageMeta } from '../source/page-meta.ts';
import { isPageFile } from '../source/page-path.ts';
import type { TextReader } from './read-texts.ts';
import type { VersionSource } from './read-version.ts';

/** What pages' front matter says, as this process has seen it. */
const recent = createBoundedMap<string, PageMeta>({ maxEntries: 20_000 });

/** Pages that are read at once. */
const CONCURRENT_PAGES = 200;

/** Reads what the front matter of a page says, by its blob. */
export type MetaReader = (oid: string, generator: Generator | undefined) => Promise<PageMeta>;

/**
 * Creates the reader of front matter of one build. What a blob says is kept in the store, so that a page that is in the cache is
 * not read again. A page that cannot be read says nothing here: whoever renders it reports it.
 */
export function createMetaReader(context: {
  readonly texts: TextReader;
  readonly store: FragmentStore;
  readonly engineVersion: string;
}): MetaReader {
  const { texts, store, engineVersion } = context;
  return async (oid, generator) => {
    const key = contentKey('meta', engineVersion, generator ?? '', oid);
    let meta = recent.get(key);
    if (!meta) {
      const stored = store.get(key)?.toString() ?? (await readAnew(oid, generator, key));
      if (stored === undefined) return readPageMeta({}, generator);
      // Also what was just read, so that a build from an empty cache is like any other.
      meta = JSON.parse(stored) as PageMeta;
    }
    recent.set(key, meta);
    return meta;
  };

  async function readAnew(oid: string, generator: Generator | undefined, key: string): Promise<string | undefined> {
    try {
      const { data } = await splitFrontMatter((await texts.read(oid)) ?? '');
      const stored = JSON.stringify(readPageMeta(data, generator));
      store.set(key, Buffer.from(stored));
      return stored;
    } catch (error) {
      if (error instanceof BuildError) return undefined;
      throw error;
    }
  }
}

/** Reads what the front matter of all pages of a version says, by path below its source folder. */
export async function readMetas(
  { listing, generator }: Pick<VersionSource, 'listing' | 'generator'>,
  readMeta: MetaReader,
): Promise<ReadonlyMap<string, PageMeta>> {
  const pages = listing.files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut);
  const entries = await pMap(pages, async ({ path, oid }) => [path, await readMeta(oid, generator)] as const, {
    concurrency: CONCURRENT_PAGES,
  });
  return new Map(entries);
}
