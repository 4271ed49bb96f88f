import { createBoundedMap, createWorkMemory } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import type { Generator } from '../../generators/generators.ts';
import type { IncludeReference } from '../../markdown/include/directive.ts';
import { findIncludes, INCLUDE_LIMITS, listIncludePaths } from '../../markdown/include/include-references.ts';
import { parseSnippetBlockLine } from '../../markdown/include/python-includes.ts';
import { dependsOnGenerator } from '../../markdown/page/dialect.ts';
import type { ObjectReader, Warning } from '../../model.ts';
import { isPageFile } from '../../page-path.ts';
import { readContentsLinks } from '../../source/navigation/contents.ts';
import { type PageMeta, readPageMeta } from '../../source/pages/page-meta.ts';
import type { GeneratorSite } from '../../source/sites/describe-site.ts';
import { decodeText, describeEncoding, type UnreadableText } from '../../source/text/decode-text.ts';
import { locateFrontMatter, splitFrontMatter } from '../../source/text/front-matter.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';

export interface TextFacts {
  /** Why it cannot be shown. */
  readonly problem?: UnreadableText;
  /** Name of the encoding it was read in; absent = UTF-8. */
  readonly encoding?: string;
  readonly includes: readonly IncludeReference[];
  /** See `dependsOnGenerator`. */
  readonly isForeign: boolean;
  /** Names of tags that may be components, each once; absent = none. */
  readonly tags?: readonly string[];
}

/** Reads blobs as text. Problems and includes of a blob are cached by its id. */
export interface TextReader {
  inspect(oid: string): TextFacts | Promise<TextFacts>;
  /** Returns the text; undefined when it cannot be shown. */
  read(oid: string): Promise<string | undefined>;
  /** Holds no texts any more. */
  forget(): void;
}

/** Characters of text that are kept between inspection and rendering. */
const KEPT_CHARACTERS = 8_000_000;

/** Number of blobs whose facts are kept in memory: every version asks for a blob, and each cache key is a hash. */
const KNOWN_BLOBS = 20_000;

const TEXT_FACTS = defineCacheKind<TextFacts>('text', { maxEntries: 20_000 });

export function createTextReader(options: {
  readonly reader: ObjectReader;
  readonly cache: Cache;
  readonly maxPageBytes: number;
}): TextReader {
  const { reader, cache, maxPageBytes } = options;
  const kept = createBoundedMap<string, string>({ maxWeight: KEPT_CHARACTERS, weigh: ({ length }) => length });
  const recall = createWorkMemory<string, TextFacts>({ maxEntries: KNOWN_BLOBS });
  return {
    inspect: (oid) => recall(oid, () => cache.memo(TEXT_FACTS, [String(maxPageBytes), oid], () => inspect(oid))),
    forget() {
      for (const [oid] of [...kept.entries()]) kept.delete(oid);
    },
    async read(oid) {
      if ((await this.inspect(oid)).problem) return undefined;
      const text = kept.get(oid);
      if (text !== undefined) return text;
      const decoded = decodeText(await reader.readBlob(oid), maxPageBytes);
      return 'text' in decoded ? decoded.text : undefined;
    },
  };

  async function readText(oid: string): Promise<ReturnType<typeof decodeText>> {
    try {
      return decodeText(await reader.readBlob(oid), maxPageBytes);
    } catch (error) {
      // The source of one page that an extension could not change.
      if (!(error instanceof BuildError) || error.code !== 'extension') throw error;
      return { code: 'extension', line: 0, message: error.message };
    }
  }

  async function inspect(oid: string): Promise<TextFacts> {
    const decoded = await readText(oid);
    if (!('text' in decoded)) return { problem: decoded, includes: [], isForeign: false };
    const { text, encoding } = decoded;
    kept.set(oid, text);
    const includes = findIncludes(text);
    const tags = listTags(text);
    const isForeign = dependsOnGenerator(text);
    return { ...(encoding !== undefined && { encoding }), includes, isForeign, ...(tags.length > 0 && { tags }) };
  }
}

/** More names than any page has components. */
const MAX_TAGS = 500;

function listTags(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name] of text.matchAll(/<([A-Z][A-Za-z0-9]{0,49})(?![\w.:-])/g)) {
    names.add(name!);
    if (names.size >= MAX_TAGS) break;
  }
  return [...names];
}

export interface IncludedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly oid: string;
}

/** Everything that determines a page besides its own file. */
export interface PageInputs {
  /** Existing files that the page includes, directly or indirectly, in the order they are found. */
  readonly includes: readonly IncludedFile[];
  /** The first paths of files that are left out because the page includes too many. */
  readonly omitted: readonly string[];
  /** Names of tags in the page and in these files that may be components. */
  readonly tags: ReadonlySet<string>;
  /** Whether the page or one of these files contains syntax that generators read differently. */
  readonly dependsOnGenerator: boolean;
}

/** Returns what determines a page besides its own file; known pages are not read again. */
export async function collectPageInputs(
  page: {
    readonly oid: string;
    readonly path: string;
    readonly sourceFolder: string;
    readonly find: PathFinder;
    readonly reading: PageReading;
  },
  texts: TextReader,
): Promise<PageInputs> {
  let isForeign = false;
  const found = new Map<string, IncludedFile>();
  const omitted = new Set<string>();
  const tags = new Set<string>();
  const { includeFolders, aliases, appended } = page.reading;
  await visit(page.path, page.oid, 0);
  await collect(
    page.path,
    appended.flatMap((path) => parseSnippetBlockLine(path) ?? []),
    0,
  );
  return { includes: [...found.values()], omitted: [...omitted], tags, dependsOnGenerator: isForeign };

  async function visit(path: string, oid: string, depth: number): Promise<void> {
    if (depth > INCLUDE_LIMITS.depth) return;
    const facts = await texts.inspect(oid);
    isForeign ||= facts.isForeign;
    for (const tag of facts.tags ?? []) tags.add(tag);
    await collect(path, facts.includes, depth);
  }

  async function collect(path: string, references: readonly IncludeReference[], depth: number): Promise<void> {
    for (const reference of references) {
      const paths = recallPaths(reference, `${path}\n${page.sourceFolder}\n${page.reading.key}`, () =>
        listIncludePaths(reference, { pagePath: path, sourceDir: page.sourceFolder, includeFolders, aliases }),
      );
      if (found.size >= INCLUDE_LIMITS.files) {
        const [target] = paths;
        const isNew = target !== undefined && !paths.some((known) => found.has(known));
        if (isNew && omitted.size < INCLUDE_LIMITS.includes) omitted.add(target);
        continue;
      }
      for (const target of paths) {
        if (found.has(target)) break;
        const entry = await page.find(target);
        if (entry?.kind !== 'file') continue;
        found.set(target, { path: target, oid: entry.oid });
        if (reference.kind !== 'code') await visit(target, entry.oid, depth + 1);
        break;
      }
    }
  }
}

/** Includes, as they were resolved in the file that had them last: versions share files, and a build takes most from the one before. */
const knownPaths = new WeakMap<IncludeReference, { readonly place: string; readonly paths: readonly string[] }>();

function recallPaths(reference: IncludeReference, place: string, list: () => readonly string[]): readonly string[] {
  const known = knownPaths.get(reference);
  if (known?.place === place) return known.paths;
  const paths = list();
  knownPaths.set(reference, { place, paths });
  return paths;
}

/** The texts of a page's included files by path, the reasons why others have none, and encodings other than UTF-8. */
export interface IncludedTexts {
  readonly texts: ReadonlyMap<string, string>;
  readonly unreadable: ReadonlyMap<string, string>;
  readonly encodings: ReadonlyMap<string, string>;
}

export async function readIncludedTexts(
  { includes, omitted }: Pick<PageInputs, 'includes' | 'omitted'>,
  reader: TextReader,
): Promise<IncludedTexts> {
  const texts = new Map<string, string>();
  const unreadable = new Map(
    omitted.map((path) => [path, `the page includes more than ${INCLUDE_LIMITS.files} files`]),
  );
  const encodings = new Map<string, string>();
  for (const { path, oid } of includes) {
    const { problem, encoding } = await reader.inspect(oid);
    const text = problem ? undefined : await reader.read(oid);
    if (text === undefined || text.includes('\0')) unreadable.set(path, problem?.message ?? 'The file is not text');
    else texts.set(path, text);
    if (encoding !== undefined) encodings.set(path, encoding);
  }
  return { texts, unreadable, encodings };
}

const META = defineCacheKind<PageMeta>('meta', { maxEntries: 20_000 });

/** Number of pages that are read concurrently. */
const CONCURRENT_PAGES = 200;

/** Reads what the front matter of a page says, by its blob. */
export type MetaReader = (oid: string, generator: Generator | undefined) => PageMeta | Promise<PageMeta>;

/**
 * Creates the reader of front matter of one build. Results are cached by blob, so that a rendered page is not read
 * again. An unreadable page has no front matter here; rendering reports it.
 */
export function createMetaReader({ texts, cache }: { readonly texts: TextReader; readonly cache: Cache }): MetaReader {
  const recall = createWorkMemory<string, PageMeta>({ maxEntries: KNOWN_BLOBS });
  const read = async (oid: string, generator: Generator | undefined): Promise<PageMeta> => {
    try {
      return await cache.memo(META, [generator ?? '', oid], async () => {
        const text = (await texts.read(oid)) ?? '';
        const { data, body } = await splitFrontMatter(text);
        let needsLines = false;
        const noteLine = () => {
          needsLines = true;
          return 1;
        };
        const isToml = /^\s*\+\+\+/.test(text);
        const meta = readPageMeta(data, generator, noteLine, { isToml });
        const contents = generator === undefined ? readContentsLinks(body) : undefined;
        const whole = needsLines ? readPageMeta(data, generator, await locateFrontMatter(text), { isToml }) : meta;
        return contents ? { ...whole, contents } : whole;
      });
    } catch (error) {
      if (error instanceof BuildError) return readPageMeta({}, generator);
      throw error;
    }
  };
  return (oid, generator) => recall(`${generator ?? ''} ${oid}`, () => read(oid, generator));
}

/** Reads what the front matter of all pages of a version says, by path below its source folder. */
export async function readMetas(
  { listing, generator }: Pick<VersionSource, 'listing' | 'generator'>,
  readMeta: MetaReader,
): Promise<ReadonlyMap<string, PageMeta>> {
  const metas = new Map<string, PageMeta>();
  const unknown: (readonly [path: string, meta: Promise<PageMeta>])[] = [];
  for (const { path, oid, isLeftOut } of listing.files) {
    if (isLeftOut || !isPageFile(path)) continue;
    const meta = readMeta(oid, generator);
    if (!(meta instanceof Promise)) metas.set(path, meta);
    else if (unknown.push([path, meta]) >= CONCURRENT_PAGES) await settle();
  }
  await settle();
  return metas;

  async function settle(): Promise<void> {
    const settled = await Promise.all(unknown.map(([, meta]) => meta));
    for (const [at, meta] of settled.entries()) metas.set(unknown[at]![0], meta);
    unknown.length = 0;
  }
}

/** Returns a warning for each file of a page that is in no Unicode encoding. */
export function listEncodings(
  { encoding }: TextFacts,
  included: ReadonlyMap<string, string>,
): readonly Pick<Warning, 'line' | 'code' | 'message'>[] {
  const messages = [...included].map(([path, name]) => `Included file "${path}": ${describeEncoding(name)}`);
  if (encoding !== undefined) messages.unshift(describeEncoding(encoding));
  return messages.map((message) => ({ line: 0, code: 'encoding', message }));
}

/** The part of a generator's configuration that decides about the text of its pages. */
export interface PageReading extends Readonly<GeneratorSite['reading']> {
  readonly aliases: GeneratorSite['aliases'];
  /** Equal for equal readings; '' where nothing is configured. */
  readonly key: string;
}

const NOTHING: PageReading = { includeFolders: [], appended: [], hasReferences: false, aliases: [], key: '' };
const known = new WeakMap<GeneratorSite, PageReading>();

export function readingOf(site: GeneratorSite | undefined): PageReading {
  if (site === undefined) return NOTHING;
  const found = known.get(site);
  if (found) return found;
  const { reading, aliases } = site;
  const isPlain = reading.includeFolders.length + reading.appended.length + aliases.length === 0;
  const key = isPlain && !reading.hasReferences ? '' : JSON.stringify([reading, aliases]);
  const made = { ...reading, aliases, key };
  known.set(site, made);
  return made;
}
