import type { Language } from './choose-languages.ts';
import { firstSegment, type LanguageLayout, splitSuffix } from './find-languages.ts';
import { languageKey, looksLikeLanguage } from './language-tag.ts';
import { isIndexPage, isPageFile, pageOutputPath } from './page-path.ts';
import type { FileWarning, SourceFile } from './walk-tree.ts';

/** A page of one language as readers will find it. */
export interface Page {
  /** Path of the HTML file inside the release, e.g. `guide/a.html`. */
  readonly output: string;
  /** Path of the source below the source folder, e.g. `en/guide/a.md`. */
  readonly file: string;
  readonly oid: string;
  /** The language the text is written in; differs from the release's on pages that lack a translation. */
  readonly language: Language;
  readonly isFallback: boolean;
}

/** The pages of one language in one ref, in byte order of `output`. */
export interface LanguagePages {
  readonly language: Language;
  readonly pages: readonly Page[];
  readonly fallbacks: number;
}

/** What a ref holds: pages by language, all files by path below the source folder, and which language owns a page file. */
export interface SourceTree {
  readonly languages: readonly LanguagePages[];
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly pageOfFile: ReadonlyMap<string, Page>;
  readonly warnings: readonly FileWarning[];
}

/**
 * Sorts a ref's files into pages of languages. A language without a single page of its own in this ref is absent;
 * the others get the default language's pages where they lack one. In a site with a single version the other languages
 * stand in folders of the default one, which therefore has no pages there.
 */
export function collectPages(
  files: readonly SourceFile[],
  layout: LanguageLayout,
  languages: readonly Language[],
  options: { readonly single: boolean } = { single: false },
): SourceTree {
  const byKey = new Map(languages.map((language) => [language.key, language]));
  const found = new Map<Language, PageSet>(languages.map((language) => [language, createPageSet()]));
  const foldersOfOthers = options.single ? languages.slice(1).map(({ code }) => `${code}/`) : [];
  const warnings: FileWarning[] = [];
  const pageOfFile = new Map<string, Page>();
  const pageFiles = files.filter((file) => isPageFile(file.path) && !file.isLeftOut);
  // index.md before README.md, and a language's folder before the root, so that the first one at an address wins.
  const ranked = pageFiles.map((file) => ({ file, place: placePage(file.path, layout, languages, byKey) }));
  ranked.sort((a, b) => rank(a.file.path, a.place?.fromFolder) - rank(b.file.path, b.place?.fromFolder));
  for (const { file, place } of ranked) {
    if (!place) continue;
    const page: Page = {
      output: pageOutputPath(place.path),
      file: file.path,
      oid: file.oid,
      language: place.language,
      isFallback: false,
    };
    const taken = place.language === languages[0] && foldersOfOthers.find((folder) => page.output.startsWith(folder));
    if (taken) {
      const message = `Skipped: the folder "${taken}" of the site holds another language`;
      warnings.push({ file: file.path, line: 0, code: 'duplicate-page', message });
      continue;
    }
    const other = found.get(place.language)!.add(page);
    if (other) {
      warnings.push({
        file: file.path,
        line: 0,
        code: 'duplicate-page',
        message: `Skipped: "${other.file}" already makes the page "${page.output}"`,
      });
      continue;
    }
    pageOfFile.set(file.path, page);
  }
  const originals = found.get(languages[0]!)!.list();
  const collected: LanguagePages[] = [];
  for (const [language, own] of found) {
    const pages = own.list();
    if (pages.length === 0) continue;
    let fallbacks = 0;
    for (const page of language === languages[0] ? [] : originals) {
      if (own.add(page)) continue;
      pages.push({ ...page, isFallback: true });
      fallbacks++;
    }
    pages.sort((a, b) => (a.output < b.output ? -1 : 1));
    collected.push({ language, pages, fallbacks });
  }
  return { languages: collected, files: new Map(files.map((file) => [file.path, file])), pageOfFile, warnings };
}

/** The pages of a language: no two share an address, not even where upper and lower case are one. */
interface PageSet {
  /** Adds a page, or gives the one that stands in its way. */
  add(page: Page): Page | undefined;
  list(): Page[];
}

function createPageSet(): PageSet {
  const pages = new Map<string, Page>();
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
      for (const folder of above) folders.set(folder, page);
      return undefined;
    },
    list: () => [...pages.values()],
  };
}

interface Place {
  readonly language: Language;
  /** Path as if the language had a folder to itself. */
  readonly path: string;
  readonly fromFolder: boolean;
}

/** Gives the language and path of a page file, or undefined when it belongs to a language that is not built. */
function placePage(
  path: string,
  layout: LanguageLayout,
  languages: readonly Language[],
  byKey: ReadonlyMap<string, Language>,
): Place | undefined {
  const folder = firstSegment(path);
  const folderKey = languageKey(folder);
  if (folder !== '' && layout.folders.has(folderKey)) {
    const language = byKey.get(folderKey);
    return language && { language, path: path.slice(folder.length + 1), fromFolder: true };
  }
  const [, stem, ending] = /^(.*)(\.[^.]*)$/.exec(path)!;
  const { base, suffix } = splitSuffix(stem!);
  if (
    suffix !== undefined &&
    layout.suffixes.has(languageKey(suffix)) &&
    (byKey.has(languageKey(suffix)) || looksLikeLanguage(suffix))
  ) {
    const language = byKey.get(languageKey(suffix));
    return language && { language, path: base + ending, fromFolder: false };
  }
  return { language: languages[0]!, path, fromFolder: false };
}

function rank(path: string, fromFolder: boolean | undefined): number {
  return (fromFolder ? 0 : 2) + (isIndexPage(path) && /readme/i.test(path) ? 1 : 0);
}
