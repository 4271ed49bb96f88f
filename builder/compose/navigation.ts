import type { NavigationNode } from './render-sidebar.ts';

/** What the navigation needs to know of a page. */
export interface NavigationPage {
  /** Path of the HTML file inside the release. */
  readonly output: string;
  /** Path of the HTML file that the place of its source implies: the folders that the navigation follows. */
  readonly place: string;
  readonly title: string;
  /** What the navigation calls it, where that is not its title. */
  readonly label: string | undefined;
  readonly order: number | undefined;
  /** A landing page at the root is not listed. */
  readonly isHome: boolean;
  /** Its author does not want it listed. */
  readonly isHidden: boolean;
}

/** What is known of a folder besides its pages; it then counts for more than the folder's own page. */
export interface FolderNote {
  readonly title: string | undefined;
  readonly order: number | undefined;
}

/** How a generator shows folders, where no file of its own says. */
export interface NavigationStyle {
  /** Folders stand among the pages rather than behind them. */
  readonly isMixed?: boolean;
  /** Without an order, titles count before names. */
  readonly isByTitle?: boolean;
  /** A folder has the lowest order of what lies in it. */
  readonly takesLowest?: boolean;
  /** What lies in a folder whose page is hidden is hidden, too. */
  readonly hidesBelow?: boolean;
  /** Tells what is known of a folder, by its path with a final `/`. */
  readonly noteOf?: (path: string) => FolderNote | undefined;
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
  /** From the release's root, with a final `/`, or ''. */
  readonly path: string;
  index: NavigationPage | undefined;
  readonly pages: NavigationPage[];
  readonly folders: Map<string, Folder>;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Gives the navigation that a release's folders imply: in each folder by `order`, then as its style says, names with numbers
 * as numbers. A folder is titled by its index page, else by its name.
 */
export function buildNavigation(
  pages: readonly NavigationPage[],
  style: NavigationStyle = {},
): readonly NavigationNode[] {
  const root: Folder = { name: '', path: '', index: undefined, pages: [], folders: new Map() };
  for (const page of pages) {
    const parts = page.place.split('/');
    const file = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      let below = folder.folders.get(part);
      if (!below) {
        below = { name: part, path: `${folder.path}${part}/`, index: undefined, pages: [], folders: new Map() };
        folder.folders.set(part, below);
      }
      folder = below;
    }
    if (file === 'index.html') folder.index = page;
    else folder.pages.push(page);
  }
  const home = root.index && !root.index.isHome && !root.index.isHidden ? [pageNode(root.index)] : [];
  return [...home, ...listFolder(root, style)];
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
    return [
      { title: entry.title ?? page?.label ?? page?.title ?? entry.url ?? humanize(entry.output ?? ''), path, children },
    ];
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

function listFolder(folder: Folder, style: NavigationStyle): readonly NavigationNode[] {
  const pages = folder.pages.filter(({ isHidden }) => !isHidden);
  const rows = [
    ...pages.map((page) => ({ order: page.order, kind: 0, name: page.place, node: pageNode(page) })),
    ...[...folder.folders.values()].flatMap((below) => {
      const node = folderNode(below, style);
      return node ? [{ order: orderOf(below, style), kind: 1, name: folder.path + below.name, node }] : [];
    }),
  ];
  rows.sort(
    (a, b) =>
      compareOrders(a.order, b.order) ||
      (style.isMixed ? 0 : a.kind - b.kind) ||
      (style.isByTitle ? collator.compare(a.node.title, b.node.title) : 0) ||
      collator.compare(a.name, b.name) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  return rows.map((row) => row.node);
}

function orderOf(folder: Folder, style: NavigationStyle): number | undefined {
  const note = style.noteOf?.(folder.path);
  if (note) return note.order;
  if (!style.takesLowest) return folder.index?.order;
  let lowest = folder.index?.order;
  const pages = folder.pages.map((page) => page.order);
  for (const order of [...pages, ...[...folder.folders.values()].map((below) => orderOf(below, style))]) {
    if (compareOrders(order, lowest) < 0) lowest = order;
  }
  return lowest;
}

function compareOrders(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined ? -1 : a - b;
}

function pageNode(page: NavigationPage): NavigationNode {
  return { title: page.label ?? page.title, path: pageAddress(page.output), children: [] };
}

/** Gives a folder with what it shows; nothing where it shows nothing. */
function folderNode(folder: Folder, style: NavigationStyle): NavigationNode | undefined {
  const { index } = folder;
  if (index?.isHidden && style.hidesBelow) return undefined;
  const children = listFolder(folder, style);
  const path = index && !index.isHidden ? pageAddress(index.output) : undefined;
  if (children.length === 0 && path === undefined) return undefined;
  const title = style.noteOf?.(folder.path)?.title ?? index?.label ?? index?.title ?? humanize(folder.name);
  return { title, path, children };
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
