import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { type Category, isCategoryFile, readCategory } from '../../source/navigation/docusaurus.ts';
import { findNavigationFormat } from '../../source/navigation/formats.ts';
import type { GeneratorNavigation, NavigationSite, NavNote } from '../../source/navigation/navigation-items.ts';
import type { TextReader } from '../pages/page-inputs.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';

/** A version's navigation according to the generator's own files. Plain data. */
export interface OwnNavigation {
  readonly navigation: GeneratorNavigation | undefined;
  /** Settings of folders, by path below the source folder with a final `/`. */
  readonly categories: ReadonlyMap<string, Category>;
  readonly notes: readonly NavNote[];
}

/** Reads a version's navigation from the generator's own files. */
export type NavigationReader = (source: VersionSource, find: PathFinder) => Promise<OwnNavigation>;

/** Size limit of a navigation file, in characters. */
const MAX_LENGTH = 300_000;

/** Navigations by the blobs of all files that determine them; null = there is none. */
const NAVIGATION = defineCacheKind<GeneratorNavigation | null>('navigation', { maxEntries: 200 });
/** Paths that were looked up to read a navigation, by the blob of its main file. */
const NAVIGATION_FILES = defineCacheKind<readonly string[]>('navigation-files');
const CATEGORY = defineCacheKind<Awaited<ReturnType<typeof readCategory>>>('category');

/**
 * Creates the reader of one build. Results are cached by blobs, together with the paths that were looked up, so that
 * files are read again only if one of them has changed.
 */
export function createNavigationReader({
  texts,
  cache,
}: {
  readonly texts: TextReader;
  readonly cache: Cache;
}): NavigationReader {
  return async (source, find) => {
    const { categories, notes } = await readCategories(source);
    if (source.project.nav) return { navigation: undefined, categories, notes };
    const navigation = source.isReadmeOnly ? undefined : await readOwn(source, find);
    return { navigation, categories, notes: [...notes, ...(navigation?.notes ?? [])] };
  };

  async function readOwn(source: VersionSource, find: PathFinder): Promise<GeneratorNavigation | undefined> {
    const { generator, site, sourceFolder, layout } = source;
    const format = findNavigationFormat(generator);
    if (!format) return undefined;
    const coordinates: NavigationSite = {
      generator,
      home: site?.home ?? '',
      content: site?.content ?? sourceFolder,
      languageFolders: layout.folders,
    };
    const looked = new Map<string, string>();
    const look = async (path: string): Promise<string> => {
      const known = looked.get(path);
      if (known !== undefined) return known;
      const entry = await find(path);
      const oid = entry?.kind === 'file' ? entry.oid : '';
      looked.set(path, oid);
      return oid;
    };
    let main: string | undefined;
    for (const path of format.listFiles(coordinates)) if ((await look(path)) !== '') main ??= path;
    if (main === undefined) return undefined;
    const where = JSON.stringify([generator, coordinates.home, coordinates.content, [...layout.folders], main]);
    const mainParts = [where, looked.get(main)!];
    const paths = cache.recall(NAVIGATION_FILES, mainParts);
    for (const path of paths ?? []) await look(path);
    const known = paths && cache.recall(NAVIGATION, [where, ...[...looked].flat()]);
    if (known !== undefined) return known ?? undefined;
    const read = async (path: string): Promise<string | undefined> => {
      const oid = await look(path);
      const text = oid === '' ? undefined : await texts.read(oid);
      return text !== undefined && text.length <= MAX_LENGTH ? text : undefined;
    };
    const navigation = (await format.read(main, coordinates, read)) ?? null;
    cache.keep(NAVIGATION_FILES, mainParts, [...looked.keys()]);
    return cache.keep(NAVIGATION, [where, ...[...looked].flat()], navigation) ?? undefined;
  }

  async function readCategories({
    generator,
    listing,
    realPath,
  }: VersionSource): Promise<Pick<OwnNavigation, 'categories' | 'notes'>> {
    const categories = new Map<string, Category>();
    const notes: NavNote[] = [];
    for (const { path, oid } of generator === 'docusaurus' || generator === undefined ? listing.files : []) {
      if (!isCategoryFile(path)) continue;
      const category = await cache.memo(CATEGORY, [oid], async () => readCategory((await texts.read(oid)) ?? ''));
      if ('reason' in category) {
        const message = `Left out: the file is not valid: ${category.reason}`;
        notes.push({ file: realPath(path), line: category.line, message });
      } else categories.set(path.slice(0, path.lastIndexOf('/') + 1), category);
    }
    return { categories, notes };
  }
}
