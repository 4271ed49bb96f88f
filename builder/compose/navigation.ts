import { encodePath, isAbsoluteUrl } from '../../lib/url-text.ts';
import type { NavigationNode } from './render-sidebar.ts';

export interface NavigationPage {
  /** Path of the HTML file inside the release. */
  readonly output: string;
  /** Path of the HTML file that the place of its source implies: the folders that the navigation follows. */
  readonly place: string;
  readonly title: string;
  /** Whether the page has a title; otherwise its file's name is used. */
  readonly hasTitle?: boolean;
  /** Its title in the navigation, if it differs. */
  readonly label: string | undefined;
  readonly order: number | undefined;
  readonly date: number | undefined;
  /** The title of its front matter. */
  readonly ownTitle: string | undefined;
  /** Title of the page above it, where pages say so, with the titles of pages above that one. */
  readonly parent:
    | { readonly title: string; readonly above: string | undefined; readonly ancestor: string | undefined }
    | undefined;
  /** A landing page at the root is not listed. */
  readonly isHome: boolean;
  /** Its author does not want it listed. */
  readonly isHidden: boolean;
}

export interface FolderNavigation {
  all(): readonly NavigationNode[];
  /** Returns the content of one folder, by its path with a final `/`; '' = the whole. */
  below(path: string): readonly NavigationNode[];
}

/** An entry of an authored navigation; `output` is a page of the release, `url` any other URL. */
export interface NavigationEntry {
  readonly title: string | undefined;
  readonly output: string | undefined;
  readonly url: string | undefined;
  readonly children: readonly NavigationEntry[];
  /** Place in the page, with `#`. */
  readonly anchor?: string | undefined;
  /** The content of this folder is shown here; see `FolderNavigation`. */
  readonly folder?: string | undefined;
  readonly isCollapsed?: boolean | undefined;
}

/**
 * Returns the navigation as the author wrote it; a title that is missing is the page's. Entries whose page this release
 * does not have are left out, and groups of which nothing else remains.
 */
export function placeNavigation(
  entries: readonly NavigationEntry[],
  pages: ReadonlyMap<string, NavigationPage>,
  folders?: Pick<FolderNavigation, 'below'>,
): readonly NavigationNode[] {
  return entries.flatMap((entry): readonly NavigationNode[] => {
    if (entry.folder !== undefined) return folders?.below(entry.folder) ?? [];
    const page = entry.output === undefined ? undefined : pages.get(entry.output);
    const children = placeNavigation(entry.children, pages, folders);
    const isEmpty = children.length === 0 && (entry.output !== undefined || entry.children.length > 0);
    if (page === undefined && entry.url === undefined && isEmpty) return [];
    const path = page ? pageAddress(page.output) + (entry.anchor ?? '') : entry.url;
    const title = entry.title ?? page?.label ?? page?.title ?? entry.url ?? humanize(entry.output ?? '');
    return [{ title, path, children, isCollapsed: entry.isCollapsed }];
  });
}

/** Returns the pages of a release that a navigation does not show and that may be shown. */
export function listUnnamed(
  nodes: readonly NavigationNode[],
  pages: readonly NavigationPage[],
): readonly NavigationPage[] {
  const named = new Set(listReadingOrder(nodes).map(({ path }) => path));
  return pages.filter((page) => !page.isHidden && !named.has(pageAddress(page.output)));
}

/** Returns the pages of a navigation in reading order, each once. */
export function listReadingOrder(nodes: readonly NavigationNode[]): readonly NavigationNode[] {
  const seen = new Set<string>();
  const order: NavigationNode[] = [];
  const visit = (node: NavigationNode): void => {
    const { path } = node;
    if (path !== undefined && !isAbsoluteUrl(path) && !path.includes('#') && !seen.has(path)) {
      seen.add(path);
      order.push(node);
    }
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return order;
}

/** Maps each page's URL to the entries above it, outermost first. */
export function listTrails(nodes: readonly NavigationNode[]): ReadonlyMap<string, readonly NavigationNode[]> {
  const trails = new Map<string, readonly NavigationNode[]>();
  const visit = (node: NavigationNode, above: readonly NavigationNode[]): void => {
    if (node.path !== undefined && !trails.has(node.path)) trails.set(node.path, above);
    const inside = node.children.length > 0 ? [...above, node] : above;
    for (const child of node.children) visit(child, inside);
  };
  for (const node of nodes) visit(node, []);
  return trails;
}

/** Returns the URL of an HTML file from the release's root, percent-encoded: `a b/index.html` → `a%20b/`. */
export function pageAddress(output: string): string {
  return encodePath(output.replace(/(^|\/)index\.html$/, '$1'));
}

/** Returns a title for a file or folder name: `01-getting_started` → `Getting started`. */
export function humanize(name: string): string {
  const words =
    name
      .replace(/^\d+[-_. ]+(?=\p{L})/u, '')
      .replace(/[-_]+/g, ' ')
      .trim() || name;
  // Versions keep their lower-case letter.
  return /^v\d/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}
