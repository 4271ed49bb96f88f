import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { NavigationEntry } from '../../compose/navigation.ts';
import type { Place } from '../../config/parse-script.ts';
import { pageOutputPath } from '../../page-path.ts';
import type { LanguagePages, Page } from '../../source/pages/collect-pages.ts';
import type { PlacedNavigation } from '../navigation/place-navigation.ts';

/** One entry of `nav` as a project file has it. */
export type WrittenEntry = string | { readonly [key: string]: unknown };

/**
 * Writes the placed navigations of all languages as one `nav`. Returns undefined where folders are the navigation, and the reason
 * if one tree cannot replace it.
 */
export function writeNavigation(
  placed: readonly PlacedNavigation[],
  languages: readonly LanguagePages[],
):
  | { readonly nav: readonly WrittenEntry[] }
  | { readonly reason: string; readonly place: Place | undefined }
  | undefined {
  const [first] = placed;
  if (!first?.entries) return undefined;
  const place = first.items?.[0]?.place;
  if (first.showsRest) return { reason: 'parts of the navigation are computed', place };
  const joined = joinLanguages(placed, languages);
  return joined ? { nav: writeEntries(joined) } : { reason: 'languages have navigations of their own', place };
}

interface NamedEntry {
  /** Texts by language code; one text for all is under ''. */
  readonly titles: Readonly<Record<string, string>>;
  readonly path: string | undefined;
  readonly folder: string | undefined;
  readonly isCollapsed: boolean | undefined;
  readonly children: readonly NamedEntry[];
}

/** Returns the navigation of all languages with the titles of each; undefined if they differ in more than those. */
function joinLanguages(
  placed: readonly PlacedNavigation[],
  languages: readonly LanguagePages[],
): readonly NamedEntry[] | undefined {
  // Translations have the URLs of their originals, though perhaps other file names.
  const nameOf = nameFiles(languages[0]!);
  const own = placed.map(({ entries }) => entries && nameEntries(entries, nameOf));
  const [first, ...others] = own;
  return join(first!, others);

  function join(
    entries: readonly NamedEntry[],
    same: readonly (readonly NamedEntry[] | undefined)[],
  ): readonly NamedEntry[] | undefined {
    const joined: NamedEntry[] = [];
    if (same.some((list) => list?.length !== entries.length)) return undefined;
    for (const [at, entry] of entries.entries()) {
      const equals = same.map((list) => list![at]!);
      if (equals.some(({ path, folder }) => path !== entry.path || folder !== entry.folder)) return undefined;
      const children = join(
        entry.children,
        equals.map((equal) => equal.children),
      );
      if (!children) return undefined;
      joined.push({ ...entry, children, titles: joinTitles([entry, ...equals]) });
    }
    return joined;
  }

  function joinTitles(entries: readonly NamedEntry[]): NamedEntry['titles'] {
    const titles = entries.map((entry) => entry.titles['']);
    const isOne = titles.every((title) => title === titles[0]);
    const named = titles.flatMap((title, at) => (title === undefined ? [] : [[languages[at]!.language.code, title]]));
    return isOne ? entries[0]!.titles : (Object.fromEntries(named) as NamedEntry['titles']);
  }
}

/** Returns the path by which a project file names a page, by the path of its HTML file. */
function nameFiles({ pages }: LanguagePages): (output: string) => string {
  const byOutput = new Map(pages.map((page) => [page.output, page]));
  return (output) => {
    const page = byOutput.get(output);
    return (page && findOwnName(page)) ?? output.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '');
  };
}

/** The path of a page's file below the folder of its language; undefined if its URL is another one. */
function findOwnName({ file, output }: Page): string | undefined {
  const parts = file.split('/');
  const names = [file, parts.slice(1).join('/')].map((name) =>
    name.replace(/\.[A-Za-z][\w-]*(?=\.(?:md|markdown|mdx)$)/i, ''),
  );
  return [file, parts.slice(1).join('/'), ...names].find((name) => name !== '' && pageOutputPath(name) === output);
}

function nameEntries(entries: readonly NavigationEntry[], nameOf: (output: string) => string): readonly NamedEntry[] {
  return entries.flatMap((entry): readonly NamedEntry[] => {
    const { title, output, url, anchor, folder, isCollapsed } = entry;
    const children = nameEntries(entry.children, nameOf);
    // An entry whose page is missing, or one that leads to what only the generator publishes.
    if (output === '' && children.length === 0) return [];
    if (url !== undefined && !isAbsoluteUrl(url) && children.length === 0) return [];
    const page = output === undefined || output === '' ? undefined : (nameOf(output) || './') + (anchor ?? '');
    const path = page ?? (url !== undefined && isAbsoluteUrl(url) ? url : undefined);
    if (folder !== undefined) return [{ titles: {}, path: undefined, folder, isCollapsed: undefined, children: [] }];
    if (title === undefined && path === undefined) return children;
    return [{ titles: title === undefined ? {} : { '': title }, path, folder, isCollapsed, children }];
  });
}

/** Keys of the long form, which cannot be titles in the short one. */
const OWN_KEYS = /^(?:title|path|children|folder|collapsed)$/;

/** Returns entries in the shortest form. */
function writeEntries(entries: readonly NamedEntry[]): readonly WrittenEntry[] {
  return entries.map(({ titles, path, folder, isCollapsed, children }) => {
    if (folder !== undefined) return { folder: folder.replace(/\/$/, '') || '.' };
    const title = titles[''] ?? (Object.keys(titles).length > 0 ? titles : undefined);
    const below = writeEntries(children);
    const isPlain = below.length === 0 || path === undefined;
    if (title === undefined && below.length === 0) return path!;
    if (typeof title === 'string' && !OWN_KEYS.test(title) && isPlain && !isCollapsed) {
      if (path !== undefined || below.length > 0) return { [title]: path ?? below };
    }
    return {
      ...(title === undefined ? {} : { title }),
      ...(path === undefined ? {} : { path }),
      ...(isCollapsed ? { collapsed: true } : {}),
      ...(below.length > 0 ? { children: below } : {}),
    };
  });
}
