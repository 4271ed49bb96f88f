import { type Cache, type CacheKind, defineCacheKind } from '../cache/cache.ts';
import type { ReadFile } from '../config/parse-script.ts';
import { profileOf } from '../generators/generators.ts';
import type { NavigationSite } from '../generators/shared/navigation-items.ts';
import type { TextReader } from './pages/page-inputs.ts';
import type { PathFinder, VersionSource } from './versions/version-source.ts';

/** How something is read from a generator's own files. */
export interface GeneratorFormat<T> {
  /** Returns the files that it may stand in; the first that exists counts. */
  listFiles(site: NavigationSite): readonly string[];
  read(main: string, site: NavigationSite, read: ReadFile): Promise<T | undefined>;
}

/** Size limit of a generator's file, in characters. */
const MAX_LENGTH = 300_000;

/** Paths that were looked up to read something, by its kind and the blob of its main file. */
const PATHS = defineCacheKind<readonly string[]>('generator-files');

/**
 * Creates a reader of something in the generators' own files; undefined where it does not stand. Results are cached by blobs,
 * together with the paths that were looked up, so that files are read again only if one of them has changed.
 */
export function createGeneratorReader<T>(
  kind: CacheKind<T | null>,
  { texts, cache }: { readonly texts: TextReader; readonly cache: Cache },
): (source: VersionSource, format: GeneratorFormat<T>, find: PathFinder) => Promise<T | undefined> {
  return async ({ generator, site, sourceFolder, layout }, format, find) => {
    const coordinates: NavigationSite = {
      home: site?.home ?? '',
      content: site?.content ?? sourceFolder,
      languageFolders: layout.folders,
      languageSuffixes: layout.suffixes,
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
    const { home, content } = coordinates;
    const where = JSON.stringify([
      kind.name,
      generator,
      home,
      content,
      [...layout.folders],
      [...layout.suffixes],
      main,
    ]);
    const mainParts = [where, looked.get(main)!];
    const paths = cache.recall(PATHS, mainParts);
    for (const path of paths ?? []) await look(path);
    const known = paths && cache.recall(kind, [where, ...[...looked].flat()]);
    if (known !== undefined) return known ?? undefined;
    const read = async (path: string): Promise<string | undefined> => {
      const oid = await look(path);
      const text = oid === '' ? undefined : await texts.read(oid);
      return text !== undefined && text.length <= MAX_LENGTH ? text : undefined;
    };
    const found = (await format.read(main, coordinates, read)) ?? null;
    cache.keep(PATHS, mainParts, [...looked.keys()]);
    return cache.keep(kind, [where, ...[...looked].flat()], found) ?? undefined;
  };
}

/** null = there is none. */
const TITLE = defineCacheKind<string | null>('title', { maxEntries: 200 });

/** Reads the title of a version's site in the generator's own settings. */
export type TitleReader = (source: VersionSource, find: PathFinder) => Promise<string | undefined>;

export function createTitleReader(tools: Parameters<typeof createGeneratorReader>[1]): TitleReader {
  const readGenerator = createGeneratorReader(TITLE, tools);
  return async (source, find) => {
    if (source.generator === undefined) return undefined;
    const { listFiles, read } = profileOf(source.generator).settings;
    return readGenerator(source, { listFiles, read: async (...from) => (await read(...from)).title }, find);
  };
}
