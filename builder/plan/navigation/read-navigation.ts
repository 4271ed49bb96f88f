import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { rulesOf } from '../../generators/generators.ts';
import { type Category, readCategory } from '../../generators/shared/categories.ts';
import type { GeneratorNavigation, NavNote } from '../../generators/shared/navigation-items.ts';
import { readContents } from '../../source/navigation/contents.ts';
import type { SourceTree } from '../../source/pages/collect-pages.ts';
import { splitFrontMatter } from '../../source/text/front-matter.ts';
import { createGeneratorReader } from '../generator-files.ts';
import type { TextReader } from '../pages/page-inputs.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';

/** A version's navigation according to the generator's own files. Plain data. */
export interface OwnNavigation {
  readonly navigation: GeneratorNavigation | undefined;
  /** Settings of folders, by path below the source folder with a final `/`. */
  readonly categories: ReadonlyMap<string, Category>;
  readonly notes: readonly NavNote[];
}

export type NavigationReader = (
  source: VersionSource,
  find: PathFinder,
  contents?: SourceTree['contents'],
) => Promise<OwnNavigation>;

/** null = there is none. */
const NAVIGATION = defineCacheKind<GeneratorNavigation | null>('navigation', { maxEntries: 200 });
const CATEGORY = defineCacheKind<Awaited<ReturnType<typeof readCategory>>>('category');

/** Creates the reader of one build. Results are cached by blobs. */
export function createNavigationReader({
  texts,
  cache,
}: {
  readonly texts: TextReader;
  readonly cache: Cache;
}): NavigationReader {
  const readGenerator = createGeneratorReader(NAVIGATION, { texts, cache });
  return async (source, find, contents) => {
    const { categories, notes } = await readCategories(source);
    if (source.project.nav) return { navigation: undefined, categories, notes };
    const navigation = contents
      ? await readTables(source, contents)
      : source.isReadmeOnly
        ? undefined
        : await readOwn(source, find);
    return { navigation, categories, notes: [...notes, ...(navigation?.notes ?? [])] };
  };

  async function readOwn(source: VersionSource, find: PathFinder): Promise<GeneratorNavigation | undefined> {
    const format = rulesOf(source.generator).navigation;
    return format && readGenerator(source, format, find);
  }

  async function readTables(
    { sourceFolder, realPath }: VersionSource,
    tables: NonNullable<SourceTree['contents']>,
  ): Promise<GeneratorNavigation> {
    const read = [...tables].map(async ([key, { path, oid, targets }]) => {
      const { body, firstLine } = await splitFrontMatter((await texts.read(oid)) ?? '');
      const text = '\n'.repeat(firstLine - 1) + body;
      return [key, readContents(text, realPath(path), { sourceFolder, targets })] as const;
    });
    const found = await Promise.all(read);
    return {
      languages: Object.fromEntries(found.map(([key, { languages }]) => [key, languages['']!])),
      // A page that is not listed is shown at the end, but is no part of a book.
      isComplete: [...tables.values()].every(({ isBook }) => isBook),
      leavesOutHome: true,
      notes: found.flatMap(([, { notes }]) => notes),
    };
  }

  async function readCategories({
    generator,
    listing,
    realPath,
  }: VersionSource): Promise<Pick<OwnNavigation, 'categories' | 'notes'>> {
    const categories = new Map<string, Category>();
    const notes: NavNote[] = [];
    const { settingsFile } = rulesOf(generator).folders ?? {};
    for (const { path, oid } of settingsFile ? listing.files : []) {
      if (!settingsFile!.test(path.slice(path.lastIndexOf('/') + 1))) continue;
      const category = await cache.memo(CATEGORY, [oid], async () => readCategory((await texts.read(oid)) ?? ''));
      if ('reason' in category) {
        const message = `Left out: the file is not valid: ${category.reason}`;
        notes.push({ file: realPath(path), line: category.line, message });
      } else categories.set(path.slice(0, path.lastIndexOf('/') + 1), category);
    }
    return { categories, notes };
  }
}
