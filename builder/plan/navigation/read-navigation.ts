import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { FragmentStore } from '../../cache/fragment-store.ts';
import { type Category, isCategoryFile, readCategory } from '../../source/navigation/category.ts';
import type { GeneratorNavigation, NavNote } from '../../source/navigation/navigation-items.ts';
import { listNavigationFiles, type NavigationSite, readNavigation } from '../../source/navigation/read-navigation.ts';
import type { TextReader } from '../pages/page-inputs.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';

/** What the generator's own files say of a version's navigation. Plain data. */
export interface OwnNavigation {
  readonly navigation: GeneratorNavigation | undefined;
  /** What is said of folders, by path below the source folder with a final `/`. */
  readonly categories: ReadonlyMap<string, Category>;
  readonly notes: readonly NavNote[];
}

/** Reads what the generator's own files say of a version's navigation. */
export type NavigationReader = (source: VersionSource, find: PathFinder) => Promise<OwnNavigation>;

/** Longest file that is read for a navigation, in characters. */
const MAX_LENGTH = 300_000;

/** Navigations by all that decides them, as this process has read them. */
const recent = createBoundedMap<string, GeneratorNavigation | null>({ maxEntries: 200 });

/**
 * Creates the reader of one build. What files say is kept in the store by their blobs, with the paths that were looked up on the
 * way, so that they are read again only when one of them changed.
 */
export function createNavigationReader(context: {
  readonly texts: TextReader;
  readonly store: FragmentStore;
  readonly engineVersion: string;
}): NavigationReader {
  const { texts, store, engineVersion } = context;
  return async (source, find) => {
    if (source.project.nav) return { navigation: undefined, categories: new Map(), notes: [] };
    const { categories, notes } = await readCategories(source);
    const navigation = source.isReadmeOnly ? undefined : await readOwn(source, find);
    return { navigation, categories, notes: [...notes, ...(navigation?.notes ?? [])] };
  };

  async function readOwn(source: VersionSource, find: PathFinder): Promise<GeneratorNavigation | undefined> {
    const { generator, site, sourceFolder, layout } = source;
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
    for (const path of listNavigationFiles(coordinates)) if ((await look(path)) !== '') main ??= path;
    if (main === undefined) return undefined;
    const where = JSON.stringify([generator, coordinates.home, coordinates.content, [...layout.folders], main]);
    const listKey = contentKey('navigation-files', engineVersion, where, looked.get(main)!);
    const paths = JSON.parse(store.get(listKey)?.toString() ?? '[]') as readonly string[];
    for (const path of paths) await look(path);
    const keyOf = (): string => contentKey('navigation', engineVersion, where, [...looked].flat().join('\0'));
    const known = recall(paths.length > 0 ? keyOf() : undefined);
    if (known !== undefined) return known ?? undefined;
    const read = async (path: string): Promise<string | undefined> => {
      const oid = await look(path);
      const text = oid === '' ? undefined : await texts.read(oid);
      return text !== undefined && text.length <= MAX_LENGTH ? text : undefined;
    };
    const navigation = (await readNavigation(coordinates, main, read)) ?? null;
    store.set(listKey, Buffer.from(JSON.stringify([...looked.keys()])));
    store.set(keyOf(), Buffer.from(JSON.stringify(navigation)));
    recent.set(keyOf(), navigation);
    return navigation ?? undefined;
  }

  function recall(key: string | undefined): GeneratorNavigation | null | undefined {
    if (key === undefined) return undefined;
    const known = recent.get(key);
    if (known !== undefined) return known;
    const stored = store.get(key);
    if (!stored) return undefined;
    const navigation = JSON.parse(stored.toString()) as GeneratorNavigation | null;
    recent.set(key, navigation);
    return navigation;
  }

  async function readCategories({
    generator,
    listing,
    realPath,
  }: VersionSource): Promise<Pick<OwnNavigation, 'categories' | 'notes'>> {
    const categories = new Map<string, Category>();
    const notes: NavNote[] = [];
    for (const { path, oid } of generator === 'docusaurus' ? listing.files : []) {
      if (!isCategoryFile(path)) continue;
      const key = contentKey('category', engineVersion, oid);
      const stored = store.get(key)?.toString() ?? JSON.stringify(await readCategory((await texts.read(oid)) ?? ''));
      store.set(key, Buffer.from(stored));
      const category = JSON.parse(stored) as Awaited<ReturnType<typeof readCategory>>;
      if ('reason' in category) {
        const message = `Left out: the file is not valid: ${category.reason}`;
        notes.push({ file: realPath(path), line: category.line, message });
      } else categories.set(path.slice(0, path.lastIndexOf('/') + 1), category);
    }
    return { categories, notes };
  }
}
