import type { Generator } from '../../model.ts';
import { languageKey, looksLikeLanguage } from '../language-tag.ts';
import { findStatedLanguage, type Language, type LanguageLayout } from '../languages.ts';
import { folderOf, isIndexPage, pageOutputPath } from '../page-path.ts';
import type { WrittenUrl } from '../text/data-values.ts';
import { parseAddress, usualOutput, wantedOutput } from './page-address.ts';
import type { PageMeta } from './page-meta.ts';

/** The language of a page file, and its possible paths. */
export interface PagePlace {
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
export function placePage(
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
  const isFolderPage = generator === 'docusaurus' && isNamedAsFolder(path);
  const place = isFolderPage ? `${folderOf(path)}index.html` : pageOutputPath(path);
  const usual = usualOutput(place, generator);
  const languageFolder = layout.folders.get(language.key);
  const wanted = meta.address && wantedOutput(meta.address, { path, usual, generator, languageFolder });
  const outputs = [wanted, usual, isFolderPage ? usualOutput(pageOutputPath(path), generator) : undefined];
  return {
    language,
    place,
    outputs: [...new Set(outputs.filter((output) => output !== undefined))],
    rank: (wanted === undefined || wanted === usual ? 0 : 16) + (fromFolder ? 0 : 4) + rankIndex(path, isFolderPage),
    badAddresses: meta.address && wanted === undefined ? [{ url: meta.address.path, line: meta.address.line }] : [],
  };
}

/** Returns the old URLs of a page, each with the path of its HTML file if a page can have it. */
export function parseAliases(
  aliases: readonly WrittenUrl[],
  output: string,
  generator: Generator | undefined,
): readonly (readonly [written: WrittenUrl, output: string | undefined])[] {
  if (aliases.length === 0) return [];
  // In Hugo, they are relative to the folder of the page's URL.
  const own = output.endsWith('/index.html') ? output.slice(0, -'/index.html'.length) : output;
  const folder = generator === 'hugo' && output !== 'index.html' ? folderOf(own) : '';
  return aliases.map((alias) => [alias, parseAddress(alias.url, folder)] as const);
}

/** In Docusaurus, `guide/guide.md` is the page of its folder. */
function isNamedAsFolder(path: string): boolean {
  const [folder, name] = path.split('/').slice(-2);
  return name !== undefined && name.replace(/\.[^.]*$/, '').toLowerCase() === folder!.toLowerCase();
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
