import * as z from 'zod';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { findBase, type PageVersions, renamePaths } from '../../lib/follow-page.ts';
import { closeFile, isSameStamp, readSiteFile } from './site-files.ts';
import type { FileStamp, OpenFile, SitePath, SiteStorage } from './site-storage.ts';

/** A branch or tag, and where it stands among the versions of its family, if it is named after one; see `VersionRank`. */
export const refSchema = z.object({
  kind: z.enum(['branch', 'tag', 'worktree']),
  slug: z.string(),
  ref: z.string().optional(),
  family: z.string().optional(),
  rank: z.int().optional(),
  isAhead: z.boolean().optional(),
  base: z.string().optional(),
});

const pairs = z.array(z.tuple([z.int(), z.int()]));
/** See `VersionMoves`, with places of paths. */
const movesSchema = z.object({
  moved: pairs.optional(),
  merged: z.array(z.tuple([z.int(), z.int(), z.string()])).optional(),
  split: z.array(z.tuple([z.int(), z.string(), z.int()])).optional(),
  sections: z.array(z.tuple([z.int(), z.string(), z.int(), z.string()])).optional(),
  led: z.array(z.int()).optional(),
});

const schema = z.object({
  format: z.literal(1),
  latest: z.string(),
  single: z.boolean(),
  languages: z.array(z.string()),
  refs: z.record(z.string(), refSchema),
  versions: z.record(z.string(), z.array(z.string())),
  // Sites that were built before have none.
  title: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  paths: z.array(z.string()),
  lists: z.array(z.array(z.int())),
  moved: z.record(z.string(), z.array(z.int())).optional(),
  pages: z.record(z.string(), z.record(z.string(), z.int())),
  moves: z.record(z.string(), z.record(z.string(), movesSchema)).optional(),
  translated: z.record(z.string(), z.record(z.string(), z.int())).optional(),
  history: z.record(z.string(), z.int()).optional(),
});

/** Languages, versions and pages of a published site. Maps, because the names come from repositories. */
export interface SiteIndex {
  /** Undefined for a site that was built before titles were kept. */
  readonly title?: string | undefined;
  /** Name of the version that `latest` stands for, and of its ref. */
  readonly latest: string;
  readonly latestRef: string;
  readonly single: boolean;
  readonly languages: readonly string[];
  /** Homes of the languages that the latest version has, from the site's root; none in a site with one version. */
  readonly homes: readonly { readonly path: string; readonly tag: string }[];
  readonly refs: ReadonlyMap<string, z.infer<typeof refSchema>>;
  /** BCP 47 tags by language. */
  readonly tags: ReadonlyMap<string, string>;
  /** How much of the original readers find in a translation, in percent; undefined where there is no such translation. */
  readonly translatedOf: (language: string, version: string) => number | undefined;
  /** Names by language: `latest` first, then branches, then tags, the newest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Returns the HTML files of a release by their paths in it; undefined when it does not exist. `latest` is a version. */
  readonly pagesOf: (language: string, version: string) => ReadonlySet<string> | undefined;
  /** Returns the path of the page that a translation with a path of its own stands for; that of any other page itself. */
  readonly originalOf: (language: string, version: string, page: string) => string;
  /** Returns the path that an original's translation has in a release; its own if that has no other. */
  readonly translationOf: (language: string, version: string, original: string) => string;
  /** Returns what is known of where the pages of a language went. */
  readonly movesIn: (language: string) => Pick<PageVersions, 'baseOf' | 'movesOf'>;
  /** Returns how many files have the history of a language's pages; 0 = there is none. */
  readonly historyFiles: (language: string) => number;
}

/** Reads what published sites hold. */
export interface SiteIndexes {
  /** Returns the index of a project's site; undefined while nothing is published. */
  read(project: string): Promise<SiteIndex | undefined>;
  /** Returns what was read last, without looking at the disk; undefined when nothing was. */
  peek(project: string): SiteIndex | undefined;
  /** Forgets what was read of a project that is gone, or that others may have published; undefined = of all. */
  forget(project?: string): void;
}

/** The file of a site that says what the site holds. */
const INDEX: SitePath = { path: '/versions.json', isFolder: false };

/** Reads the indexes of sites; each is kept until its file changes. */
export function createSiteIndexes(storage: Pick<SiteStorage, 'find'>, maxKept = 500): SiteIndexes {
  const createKept = () =>
    createBoundedMap<string, { readonly stamp: FileStamp; readonly index: SiteIndex; readonly place: number }>({
      maxEntries: maxKept,
    });
  let kept = createKept();
  /** How many have found the site that they read, and how many had when something was forgotten: those may read an older one. */
  let found = 0;
  let foundBefore = 0;
  return {
    peek: (project) => kept.get(project)?.index,
    forget(project) {
      foundBefore = found;
      if (project === undefined) kept = createKept();
      else kept.delete(project);
    },
    async read(project) {
      try {
        const site = await storage.find(project);
        const place = ++found;
        const file = await site.find(INDEX);
        const known = kept.get(project);
        if (known && file.kind === 'file' && isSameStamp(known.stamp, file.stamp)) return known.index;
        const opened = file.kind === 'file' ? await site.open(INDEX.path) : undefined;
        if (!opened) {
          kept.delete(project);
          return undefined;
        }
        const { stamp } = opened;
        const index = parseSiteIndex(await readWhole(opened));
        const isNewest = place > foundBefore && place > (kept.get(project)?.place ?? 0);
        if (isNewest) kept.set(project, { stamp, index, place });
        return index;
      } catch (error) {
        kept.delete(project);
        throw error;
      }
    },
  };
}

async function readWhole(file: OpenFile): Promise<string> {
  try {
    const content = await readSiteFile(file, Number.POSITIVE_INFINITY);
    if (!content?.body) throw new Error(`"${INDEX.path}" of a site changed while it was read`);
    return content.body.toString();
  } finally {
    closeFile(file);
  }
}

/** Parses `versions.json` of a site. Throws an error for any other text. */
export function parseSiteIndex(text: string): SiteIndex {
  const stored = schema.parse(JSON.parse(text));
  const sets = stored.lists.map((list) => new Set(list.map((place) => stored.paths[place] ?? '')));
  const pages = new Map(
    Object.entries(stored.pages).map(([language, lists]) => [language, new Map(Object.entries(lists))]),
  );
  const translated = new Map(
    Object.entries(stored.translated ?? {}).map(([language, shares]) => [language, new Map(Object.entries(shares))]),
  );
  const tags = new Map(stored.languages.map((code) => [code, stored.tags?.[code] ?? code.replaceAll('_', '-')]));
  const versions = new Map(Object.entries(stored.versions));
  const refs = new Map(Object.entries(stored.refs));
  const histories = new Map(Object.entries(stored.history ?? {}));
  const movesOf = new Map(
    Object.entries(stored.moves ?? {}).map(([language, all]) => {
      const read = Object.entries(all).map(
        ([name, moves]) => [name, renamePaths(moves, (place) => stored.paths[place] ?? '')] as const,
      );
      return [language, new Map(read)] as const;
    }),
  );
  const originals = new Map<number, ReadonlyMap<string, string>>();
  const translations = new Map<number, ReadonlyMap<string, string>>();
  for (const [list, places] of Object.entries(stored.moved ?? {})) {
    const names = places.map((place) => stored.paths[place] ?? '');
    const pairs = names.flatMap((name, at) => (at % 2 === 0 ? [[name, names[at + 1] ?? ''] as const] : []));
    originals.set(Number(list), new Map(pairs));
    translations.set(Number(list), new Map(pairs.map(([own, original]) => [original, own])));
  }
  const listOf = (language: string, version: string): number =>
    pages.get(language)?.get(version === 'latest' && !stored.single ? stored.latest : version) ?? -1;
  return {
    title: stored.title,
    latest: stored.latest,
    latestRef: stored.refs[stored.latest]?.ref ?? stored.latest,
    single: stored.single,
    languages: stored.languages,
    refs,
    versions,
    tags,
    homes: stored.languages
      .filter((code) => !stored.single && versions.get(code)?.[0] === 'latest')
      .map((code) => ({ path: `${code}/latest/`, tag: tags.get(code)! })),
    translatedOf: (language, version) => translated.get(language)?.get(version === 'latest' ? stored.latest : version),
    pagesOf: (language, version) => sets[listOf(language, version)],
    originalOf: (language, version, page) => originals.get(listOf(language, version))?.get(page) ?? page,
    translationOf: (language, version, page) => translations.get(listOf(language, version))?.get(page) ?? page,
    historyFiles: (language) => histories.get(language) ?? 0,
    movesIn(language) {
      const moves = movesOf.get(language);
      const has = (version: string): boolean => listOf(language, version) >= 0;
      return {
        baseOf: (version) => findBase((name) => refs.get(name)?.base, has, version),
        movesOf: (version) => moves?.get(version),
      };
    },
  };
}
