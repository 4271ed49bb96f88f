import type { NavigationNode } from './render-sidebar.ts';

/** What the navigation needs to know of a page. */
export interface NavigationPage {
  /** Path of the HTML file inside the release. */
  readonly output: string;
  readonly title: string;
  readonly order: number | undefined;
  /** A landing page at the root is not listed. */
  readonly isHome: boolean;
}

/** An entry of an author's own navigation; `output` is a page of the release, `url` another address. */
export interface NavigationEntry {
  readonly title: string | undefined;
  readonly output: string | undefined;
  readonly url: string | undefined;
  readonly children: readonly NavigationEntry[];
}

interface Folder {
  readonly name: string;
  index: NavigationPage | undefined;
  readonly pages: NavigationPage[];
  readonly folders: Map<string, Folder>;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Gives the navigation that a release's folders imply: in each folder by `order`, then pages before folders, then by
 * file name with numbers as numbers. A folder is titled by its index page, else by its name.
 */
export function buildNavigation(pages: readonly NavigationPage[]): readonly NavigationNode[] {
  const root: Folder = { name: '', index: undefined, pages: [], folders: new Map() };
  for (const page of pages) {
    const parts = page.output.split('/');
    const file = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      let below = folder.folders.get(part);
      if (!below) {
        below = { name: part, index: undefined, pages: [], folders: new Map() };
        folder.folders.set(part, below);
      }
      folder = below;
    }
    if (file === 'index.html') folder.index = page;
    else folder.pages.push(page);
  }
  const home = root.index && !root.index.isHome ? [pageNode(root.index)] : [];
  return [...home, ...listFolder(root)];
}

/**
 * Gives the navigation as the author wrote it; a title that is missing is the page's. Entries whose page this release
 * does not have are left out, and groups of which nothing else remains.
 */
export function placeNavigation(
  entries: readonly NavigationEntry[],
  pages: ReadonlyMap<string, NavigationPage>,
): readonly NavigationNode[] {
  return entries.flatMap((entry) => {
    const page = entry.output === undefined ? undefined : pages.get(entry.output);
    const children = placeNavigation(entry.children, pages);
    const isEmpty = children.length === 0 && (entry.output !== undefined || entry.children.length > 0);
    if (page === undefined && entry.url === undefined && isEmpty) return [];
    const path = page ? pageAddress(page.output) : entry.url;
    return [{ title: entry.title ?? page?.title ?? entry.url ?? humanize(entry.output ?? ''), path, children }];
  });
}

/** Gives the pages of a navigation in reading order, each once. */
export function listReadingOrder(nodes: readonly NavigationNode[]): readonly NavigationNode[] {
  const seen = new Set<string>();
  const order: NavigationNode[] = [];
  const visit = (node: NavigationNode): void => {
    if (node.path !== undefined && !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(node.path) && !seen.has(node.path)) {
      seen.add(node.path);
      order.push(node);
    }
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return order;
}

/** Gives for each page address the entries above it, outermost first. */
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

/** Gives the address of an HTML file from the release's root, percent-encoded: `a b/index.html` → `a%20b/`. */
export function pageAddress(output: string): string {
  return output
    .replace(/(^|\/)index\.html$/, '$1')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

function listFolder(folder: Folder): readonly NavigationNode[] {
  const rows = [
    ...folder.pages.map((page) => ({ order: page.order, kind: 0, name: page.output, node: pageNode(page) })),
    ...[...folder.folders.values()].map((below) => ({
      order: below.index?.order,
      kind: 1,
      name: below.name,
      node: folderNode(below),
    })),
  ];
  rows.sort(
    (a, b) =>
      compareOrders(a.order, b.order) ||
      a.kind - b.kind ||
      collator.compare(a.name, b.name) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  return rows.map((row) => row.node);
}

function compareOrders(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined ? -1 : a - b;
}

function pageNode(page: NavigationPage): NavigationNode {
  return { title: page.title, path: pageAddress(page.output), children: [] };
}

function folderNode(folder: Folder): NavigationNode {
  return {
    title: folder.index?.title ?? humanize(folder.name),
    path: folder.index && pageAddress(folder.index.output),
    children: listFolder(folder),
  };
}

/** Gives a title for a file or folder name: `01-getting_started` → `Getting started`. */
export function humanize(name: string): string {
  const words =
    name
      .replace(/^\d+[-_. ]+(?=\p{L})/u, '')
      .replace(/[-_]+/g, ' ')
      .trim() || name;
  // Versions keep their small letter.
  return /^v\d/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}
