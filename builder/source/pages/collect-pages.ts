import type { Generator } from '../../model.ts';
import type { FileWarning, SourceFile } from '../files/walk-tree.ts';
import type { Language, LanguageLayout } from '../languages.ts';
import type { ContentsFile } from '../navigation/contents.ts';
import { isPageFile } from '../page-path.ts';
import { type PageMeta, readPageMeta } from './page-meta.ts';
import { type PagePlace, parseAliases, placePage } from './place-page.ts';

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

/** What determines the locations of pages besides the paths of their files. */
export interface CollectOptions {
  /** In a site with a single version, the other languages are in folders of the default one. */
  readonly single?: boolean;
  readonly generator?: Generator | undefined;
  /** The front matter of page files. */
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

/**
 * Returns the files that are not published, with the reason. The draft of a Zola section includes everything below it;
 * in Hugo, everything beside and below an `index.md` belongs to that page.
 */
function findDrafts(
  files: readonly SourceFile[],
  metaOf: (path: string) => PageMeta,
  generator: Generator | undefined,
): ReadonlyMap<string, string> {
  const drafts = new Map<string, string>();
  /** Folders from which nothing is published, with the reason. */
  const closed = new Map<string, string>();
  for (const { path } of files) {
    const { draft } = metaOf(path);
    if (draft !== undefined) drafts.set(path, draft);
    if (generator !== 'zola' && generator !== 'hugo') continue;
    const [, folder = '', name] = /^(.*\/)?(_?index)(?:\.[\w-]+)?\.[^./]*$/.exec(path) ?? [];
    if (generator === 'zola' && name === '_index' && draft === 'draft: true') closed.set(folder, draft);
    // The pages of languages are in folders, too.
    if (generator === 'hugo' && name === 'index' && folder.includes('/', folder.indexOf('/') + 1)) {
      closed.set(folder, `part of "${path}"`);
    }
  }
  for (const { path } of closed.size > 0 ? files : []) {
    for (let at = path.lastIndexOf('/'); at > 0 && !drafts.has(path); at = path.lastIndexOf('/', at - 1)) {
      const reason = closed.get(path.slice(0, at + 1));
      const isOwn = generator === 'hugo' && /^index(?:\.[\w-]+)?\.[^./]*$/.test(path.slice(at + 1));
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
