import type { WrittenUrl } from '../../config/data-values.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import { languageKey, looksLikeLanguage } from '../../language-tag.ts';
import { folderOf, isIndexPage, isPageFile, pageOutputPath } from '../../page-path.ts';
import type { FileWarning, SourceFile } from '../files/walk-tree.ts';
import { findStatedLanguage, type Language, type LanguageLayout } from '../languages.ts';
import type { ContentsFile } from '../navigation/contents.ts';
import { defaultOutput, parseAddress, wantedOutput } from './page-address.ts';
import { type PageMeta, readPageMeta } from './page-meta.ts';

/** A page of one language as readers will find it. */
export interface Page {
  /** Path of the HTML file inside the release, e.g. `guide/a.html`. */
  readonly output: string;
  /**
   * Path of the HTML file according to the location of its source, whatever its URL: translations of a page have the
   * same, and the navigation follows it. It is unique within a language.
   */
  readonly place: string;
  /** Path of the source below the source folder, e.g. `en/guide/a.md`. */
  readonly file: string;
  readonly oid: string;
  /** The language of the text; differs from the release's on untranslated pages. */
  readonly language: Language;
  readonly isFallback: boolean;
  readonly meta: PageMeta;
  /** Other HTML files that lead to the page. */
  readonly aliases: readonly PageAlias[];
}

/** An HTML file that leads to a page. */
export interface PageAlias {
  readonly output: string;
  /** In the page's front matter; 0 = it is the URL of the original that the page translates. */
  readonly line: number;
}

/** The pages of one language in one ref, in byte order of `output`. */
export interface LanguagePages {
  readonly language: Language;
  readonly pages: readonly Page[];
  readonly fallbacks: number;
}

/**
 * The content of a ref: pages by language, all files by path below the source folder, and the language of each page
 * file.
 */
export interface SourceTree {
  readonly languages: readonly LanguagePages[];
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly pageOfFile: ReadonlyMap<string, Page>;
  /** Files of pages that are not published, with the reason: `draft: true`. */
  readonly drafts: ReadonlyMap<string, string>;
  readonly warnings: readonly FileWarning[];
  /** Files that are its navigation and no pages, by language key; '' = of all without their own. */
  readonly contents?: ReadonlyMap<string, ContentsFile> | undefined;
}

/** Facts that determine the locations of pages besides the paths of their files. */
export interface CollectOptions {
  /** In a site with a single version, the other languages are in folders of the default one. */
  readonly single?: boolean;
  readonly generator?: Generator | undefined;
  readonly metas?: ReadonlyMap<SourceFile['path'], PageMeta>;
}

const NO_META = readPageMeta({});

/**
 * Sorts a ref's files into pages of languages. A language without any page of its own in this ref is absent; the others
 * use the default language's pages for those they lack. In a site with a single version the other languages are in
 * folders of the default one, which therefore has no pages there.
 */
export function collectPages(
  files: readonly SourceFile[],
  layout: LanguageLayout,
  languages: readonly Language[],
  { single = false, generator, metas }: CollectOptions = {},
): SourceTree {
  const sets = new Map<Language, PageSet>(languages.map((language) => [language, createPageSet()]));
  const originals = sets.get(languages[0]!)!;
  const foldersOfOthers = single ? languages.slice(1).map(({ code }) => `${code}/`) : [];
  const warnings: FileWarning[] = [];
  const pageOfFile = new Map<string, Page>();
  const pageFiles = files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut);
  const metaOf = (path: string): PageMeta => metas?.get(path) ?? NO_META;
  const drafts = findDrafts(pageFiles, metaOf, generator);
  const placed = pageFiles.flatMap((file) => {
    const place = drafts.has(file.path)
      ? undefined
      : placePage(file.path, metaOf(file.path), { layout, languages, generator });
    return place ? [{ file, place }] : [];
  });
  // Translations lead from the URLs of their originals, which therefore come first.
  const isTranslation = ({ language }: PagePlace): number => (language === languages[0] ? 0 : 1);
  const isLast = ({ isStandIn = false }: SourceFile): number => Number(isStandIn);
  placed.sort(
    (a, b) =>
      isTranslation(a.place) - isTranslation(b.place) || isLast(a.file) - isLast(b.file) || a.place.rank - b.place.rank,
  );
  for (const { file, place } of placed) addPage(file, place);
  for (const file of drafts.keys()) {
    for (const { message, line } of metaOf(file).problems) warnings.push({ file, line, code: 'front-matter', message });
  }

  const collected: LanguagePages[] = [];
  for (const [language, own] of sets) {
    const pages = own.list();
    if (pages.length === 0) continue;
    const missing = own === originals ? [] : originals.list().filter((page) => !own.findPlace(page.place));
    const fallbacks = missing.filter((page) => !own.add(page)).map((page) => ({ ...page, isFallback: true }));
    const all = [...pages, ...fallbacks].sort((a, b) => (a.output < b.output ? -1 : 1));
    collected.push({ language, pages: all, fallbacks: fallbacks.length });
  }
  return { languages: collected, files: new Map(files.map((file) => [file.path, file])), pageOfFile, drafts, warnings };

  /** Adds a page at the first free one of its URLs, and reports why the earlier ones are not used. */
  function addPage(
    { path: file, oid, isStandIn }: SourceFile,
    { language, place, outputs, badAddresses }: PagePlace,
  ): void {
    const own = sets.get(language)!;
    const meta = metaOf(file);
    const warn = (code: FileWarning['code'], message: string, line = 0): void => {
      warnings.push({ file, line, code, message });
    };
    for (const { url, line } of badAddresses) warn('bad-address', `URL "${url}" ignored: no page can have it`, line);
    for (const { message, line } of meta.problems) warn('front-matter', message, line);
    for (const [at, output] of outputs.entries()) {
      const original = own === originals ? undefined : originals.findPlace(place);
      const aliases = new Map<string, PageAlias>();
      for (const [{ url, line }, alias] of parseAliases(meta.aliases, output, generator)) {
        if (alias === undefined) {
          warn('bad-address', `Redirect from "${url}" ignored: no page can have that URL`, line);
        } else if (alias !== output && !aliases.has(alias)) aliases.set(alias, { output: alias, line });
      }
      const translated = original?.output ?? output;
      if (translated !== output && !aliases.has(translated)) aliases.set(translated, { output: translated, line: 0 });
      const page: Page = {
        output,
        place: own.findPlace(place) ? output : place,
        file,
        oid,
        language,
        isFallback: false,
        meta,
        aliases: [...aliases.values()],
      };
      const obstacle = findObstacle(page, own);
      if (obstacle === undefined) {
        pageOfFile.set(file, page);
        return;
      }
      if (isStandIn) return;
      const next = outputs[at + 1];
      warn('duplicate-page', next === undefined ? `Skipped: ${obstacle}` : `Published as "${next}": ${obstacle}`);
    }
  }

  /** Adds a page to its language, or returns the obstacle. */
  function findObstacle(page: Page, own: PageSet): string | undefined {
    const taken = own === originals && foldersOfOthers.find((folder) => page.output.startsWith(folder));
    if (taken) return `the folder "${taken}" of the site contains another language`;
    const other = own.add(page);
    return other && `"${other.file}" already produces the page "${page.output}"`;
  }
}

/** Returns the files that are not published, with the reason. */
function findDrafts(
  files: readonly SourceFile[],
  metaOf: (path: string) => PageMeta,
  generator: Generator | undefined,
): ReadonlyMap<string, string> {
  const { hasSectionDrafts, ownsFolder } = rulesOf(generator).addresses ?? {};
  const drafts = new Map<string, string>();
  /** Folders from which nothing is published, with the reason. */
  const closed = new Map<string, string>();
  for (const { path } of files) {
    const { draft } = metaOf(path);
    if (draft !== undefined) drafts.set(path, draft);
    if (!hasSectionDrafts && !ownsFolder) continue;
    const [, folder = '', name] = /^(.*\/)?(_?index)(?:\.[\w-]+)?\.[^./]*$/.exec(path) ?? [];
    if (hasSectionDrafts && name === '_index' && draft === 'draft: true') closed.set(folder, draft);
    // The pages of languages are in folders, too.
    if (ownsFolder && name === 'index' && folder.includes('/', folder.indexOf('/') + 1)) {
      closed.set(folder, `part of "${path}"`);
    }
  }
  for (const { path } of closed.size > 0 ? files : []) {
    for (let at = path.lastIndexOf('/'); at > 0 && !drafts.has(path); at = path.lastIndexOf('/', at - 1)) {
      const reason = closed.get(path.slice(0, at + 1));
      const isOwn = ownsFolder && /^index(?:\.[\w-]+)?\.[^./]*$/.test(path.slice(at + 1));
      if (reason !== undefined && !isOwn) drafts.set(path, reason);
    }
  }
  return drafts;
}

/** The pages of a language: their URLs are unique, even if case is ignored. */
interface PageSet {
  /** Adds a page, or returns the conflicting one. */
  add(page: Page): Page | undefined;
  findPlace(place: string): Page | undefined;
  list(): readonly Page[];
}

function createPageSet(): PageSet {
  const pages = new Map<string, Page>();
  const places = new Map<string, Page>();
  /** Folders named like pages: `guide.html/`. */
  const folders = new Map<string, Page>();
  return {
    add(page) {
      const key = page.output.normalize('NFC').toLowerCase();
      const above: string[] = [];
      for (let at = key.indexOf('.html/'); at >= 0; at = key.indexOf('.html/', at + 1))
        above.push(key.slice(0, at + 5));
      const other = pages.get(key) ?? folders.get(key) ?? above.map((folder) => pages.get(folder)).find(Boolean);
      if (other) return other;
      pages.set(key, page);
      places.set(page.place, page);
      for (const folder of above) folders.set(folder, page);
      return undefined;
    },
    findPlace: (place) => places.get(place),
    list: () => [...pages.values()],
  };
}

/** The language of a page file, and its possible paths. */
interface PagePlace {
  readonly language: Language;
  /** Path of the HTML file according to the file's location, as if the language had its own folder. */
  readonly place: string;
  /** Possible paths of its HTML file: the URL in its front matter, then the default one. */
  readonly outputs: readonly string[];
  /** Of several pages with one URL, the one with the lowest rank wins. */
  readonly rank: number;
  /** URLs in front matter that no page can have. */
  readonly badAddresses: readonly WrittenUrl[];
}

/** Returns the place of a page file, or undefined if it belongs to a language that is not built. */
function placePage(
  file: string,
  meta: PageMeta,
  context: {
    readonly layout: LanguageLayout;
    readonly languages: readonly Language[];
    readonly generator: Generator | undefined;
  },
): PagePlace | undefined {
  const { layout, languages, generator } = context;
  const found = findLanguage(file, layout, languages);
  if (!found) return undefined;
  const { language, fromFolder } = found;
  const path = asIndex(found.path, language);
  const isFolderPage = rulesOf(generator).addresses?.isFolderPage?.(path) === true;
  const place = isFolderPage ? `${folderOf(path)}index.html` : pageOutputPath(path);
  const usual = defaultOutput(place, generator);
  const languageFolder = layout.folders.get(language.key);
  const wanted = meta.address && wantedOutput(meta.address, { path, usual, generator, languageFolder });
  const outputs = [wanted, usual, isFolderPage ? defaultOutput(pageOutputPath(path), generator) : undefined];
  return {
    language,
    place,
    outputs: [...new Set(outputs.filter((output) => output !== undefined))],
    rank: (wanted === undefined || wanted === usual ? 0 : 16) + (fromFolder ? 0 : 4) + rankIndex(path, isFolderPage),
    badAddresses: meta.address && wanted === undefined ? [{ url: meta.address.path, line: meta.address.line }] : [],
  };
}

/** Returns the old URLs of a page, each with the path of its HTML file if a page can have it. */
function parseAliases(
  aliases: readonly WrittenUrl[],
  output: string,
  generator: Generator | undefined,
): readonly (readonly [written: WrittenUrl, output: string | undefined])[] {
  if (aliases.length === 0) return [];
  const own = output.endsWith('/index.html') ? output.slice(0, -'/index.html'.length) : output;
  const folder = rulesOf(generator).addresses?.aliasesBeside && output !== 'index.html' ? folderOf(own) : '';
  return aliases.map((alias) => [alias, parseAddress(alias.url, folder)] as const);
}

/** Returns the path as that of an index where the README of a language's folder repeats the language: `fr/README-fr.md`. */
function asIndex(path: string, { key }: Language): string {
  const [, suffix, ending] = /^readme[._-]([a-z]{2,3}(?:[-_][a-z]{2,4})?)(\.\w+)$/i.exec(path) ?? [];
  return suffix !== undefined && languageKey(suffix) === key ? `README${ending}` : path;
}

/** index.md, a section's `_index.md`, README.md, a page named like its folder; the first one wins. */
function rankIndex(path: string, isFolderPage: boolean): number {
  if (isFolderPage) return 3;
  if (!isIndexPage(path)) return 0;
  return /(?:^|\/)readme[^/]*$/i.test(path) ? 2 : /(?:^|\/)_/.test(path) ? 1 : 0;
}

function findLanguage(
  path: string,
  layout: LanguageLayout,
  languages: readonly Language[],
): { readonly language: Language; readonly path: string; readonly fromFolder: boolean } | undefined {
  const stated = findStatedLanguage(path, layout);
  const language = languages.find(({ key }) => key === stated?.key);
  if (stated && language) return { language, path: stated.path, fromFolder: stated.fromFolder };
  if (stated && (stated.fromFolder || looksLikeLanguage(stated.code))) return undefined;
  return { language: languages[0]!, path, fromFolder: false };
}
