import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { type Data, map, ownOf, text } from '../text/data-values.ts';
import { parseYaml } from '../text/parse-yaml.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  type NavItem,
  type NavigationFormat,
  plainText,
} from './navigation-items.ts';

const MAX_LENGTH = 1_000_000;
/** Names of the data file, the most usual first; a site's own layout may have any. */
const NAMES = [
  ...['navigation', 'nav', 'toc', 'sidebar', 'docs', 'menu'],
  ...['docs_nav', 'docs-nav', 'docs_navigation', 'docs-navigation', 'docs_menu', 'docs_sidebar', 'docs-sidebar'],
  ...['docs_toc', 'docs-toc', 'nav_docs', 'sidebar_docs', 'doc_nav', 'sidebars'],
];
/** Themes differ in their keys for the title, the URL and the children of an entry. */
const TITLES = ['title', 'text', 'name', 'label', 'page'];
const ADDRESSES = ['url', 'link', 'href', 'path', 'permalink', 'page'];
const BELOW = [
  'children',
  'items',
  'subitems',
  'sublinks',
  'links',
  'pages',
  'docs',
  'subfolders',
  'subfolderitems',
  'folderitems',
  'folders',
  'entries',
];

/** Jekyll: navigation in the data of themes. */
export const jekyll: NavigationFormat = {
  listFiles: ({ home }) => NAMES.flatMap((name) => ['yml', 'yaml'].map((ending) => `${home}_data/${name}.${ending}`)),
  read: async (file, _site, read) => readJekyllData((await read(file)) ?? '', file),
};

/**
 * Reads a navigation from the data of Jekyll themes: nested lists of titles and URLs; of several, `docs` or the longest
 * counts. Returns undefined if the file contains none.
 */
async function readJekyllData(yaml: string, file: string): Promise<GeneratorNavigation | undefined> {
  const builder = createNavBuilder();
  const parsed = await parseYaml(yaml, MAX_LENGTH);
  if ('reason' in parsed) return undefined;
  const { data, lineOf } = parsed;
  const found = findList(data);
  if (!found) return undefined;
  const items = readItems(found.list, found.path, 0);
  return items.length === 0
    ? undefined
    : { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function readItems(list: readonly unknown[], path: readonly PropertyKey[], depth: number): readonly NavItem[] {
    return list.flatMap((entry, index) => {
      const place = { file, line: lineOf([...path, index]) };
      const item = map(entry);
      if (!item) return [];
      const title = plainText(ownOf(item, TITLES));
      const address = text(
        ownOf(
          item,
          ADDRESSES.filter((key) => typeof item[key] === 'string'),
        ),
      );
      const below = BELOW.find((key) => Array.isArray(item[key]));
      const children =
        below === undefined ? [] : readItems(item[below] as readonly unknown[], [...path, index, below], depth + 1);
      // Without a title, an entry has that of its page.
      if (address === undefined && (title === undefined || children.length === 0)) return [];
      const target =
        address === undefined || address === '#' ? undefined : ({ kind: 'address', path: withSlash(address) } as const);
      return builder.add({ title, target, children, place }, depth);
    });
  }
}

/** Finds the list that is the navigation: the file itself, its key `docs`, or its longest list. */
function findList(
  data: unknown,
): { readonly list: readonly unknown[]; readonly path: readonly PropertyKey[] } | undefined {
  if (Array.isArray(data)) return { list: data, path: [] };
  const lists = Object.entries((map(data) ?? {}) as Data).flatMap(([key, value]) =>
    Array.isArray(value) ? [{ list: value as readonly unknown[], path: [key] }] : [],
  );
  return (
    lists.find(({ path }) => /^(?:docs|toc|sidebar|navigation)$/.test(path[0]!)) ??
    lists.sort((a, b) => b.list.length - a.list.length)[0]
  );
}

/** URLs are relative to the root, and may contain the variable for it. */
function withSlash(address: string): string {
  const bare = address.replace(/^\{\{[^{}]*\}\}/, '');
  return isAbsoluteUrl(bare) || bare.startsWith('/') ? bare : `/${bare}`;
}
