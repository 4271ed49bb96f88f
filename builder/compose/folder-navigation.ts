import { once } from '../../lib/once.ts';
import type { FolderStyle } from '../generators/generator.ts';
import { type FolderNavigation, humanize, type NavigationPage, pageAddress } from './navigation.ts';
import type { NavigationNode } from './render-sidebar.ts';

const collator = once(() => new Intl.Collator('en', { numeric: true, sensitivity: 'base' }));

/** The settings of a folder in a generator's own files; they take precedence over the folder's page. */
export interface FolderNote {
  readonly title: string | undefined;
  readonly order: number | undefined;
  readonly isCollapsed?: boolean | undefined;
  /** It is not shown, and neither is what is in it. */
  readonly isHidden?: boolean | undefined;
  /** Path of the HTML file that the folder leads to; null = it leads nowhere; undefined = its index. */
  readonly output?: string | null | undefined;
}

/** How a generator shows the folders of a release. */
export interface NavigationStyle extends FolderStyle {
  /** Pages name the one above them by its title; the folders do not count. */
  readonly isByParents?: boolean;
  /** Returns the settings of a folder, by its path with a final `/`. */
  readonly noteOf?: (path: string) => FolderNote | undefined;
}

interface Folder {
  readonly name: string;
  /** From the release's root, with a final `/`, or ''. */
  readonly path: string;
  index: NavigationPage | undefined;
  readonly pages: NavigationPage[];
  readonly folders: Map<string, Folder>;
}

interface Row {
  readonly order: number | undefined;
  readonly date: number | undefined;
  readonly isFolder: boolean;
  readonly name: string;
  readonly node: NavigationNode;
}

/**
 * Creates the navigation that folders imply: in each folder by `order`, then as the style says, names with numbers as numbers.
 * A folder is titled by its index page, else by its name.
 */
export function createFolderNavigation(
  pages: readonly NavigationPage[],
  style: NavigationStyle = {},
): FolderNavigation {
  const root: Folder = { name: '', path: '', index: undefined, pages: [], folders: new Map() };
  for (const page of pages) {
    const parts = page.place.split('/');
    const file = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      let inner = folder.folders.get(part);
      if (!inner) {
        inner = { name: part, path: `${folder.path}${part}/`, index: undefined, pages: [], folders: new Map() };
        folder.folders.set(part, inner);
      }
      folder = inner;
    }
    if (file === 'index.html') folder.index = page;
    else folder.pages.push(page);
  }
  const byOutput = new Map(pages.map((page) => [page.output, page]));
  return { all, below };

  function all(): readonly NavigationNode[] {
    if (style.isByParents) return listByParents(pages);
    const home = root.index && !root.index.isHome && !root.index.isHidden ? [pageNode(root.index)] : [];
    return [...home, ...listRows(rowsOf(root, []))];
  }

  function below(path: string): readonly NavigationNode[] {
    if (path === '') return all();
    let folder: Folder | undefined = root;
    for (const part of path.split('/').filter((name) => name !== '')) folder = folder?.folders.get(part);
    return folder ? listRows(rowsOf(folder, folder.index ? [folder.index] : [])) : [];
  }

  /** The content of a folder, with `more` pages and without the one that the folder links to. */
  function rowsOf(folder: Folder, more: readonly NavigationPage[], own?: string): readonly Row[] {
    const listed = [...more, ...folder.pages].filter((page) => !page.isHidden && page.output !== own);
    return [
      ...listed.map((page) => ({
        order: page.order,
        date: page.date,
        isFolder: false,
        name: page.place,
        node: pageNode(page),
      })),
      ...[...folder.folders.values()].flatMap((inner) => {
        const node = folderNode(inner);
        return node
          ? [
              {
                order: orderOf(inner, style),
                date: dateOf(inner),
                isFolder: true,
                name: folder.path + inner.name,
                node,
              },
            ]
          : [];
      }),
    ];
  }

  function listRows(rows: readonly Row[]): readonly NavigationNode[] {
    const sorted = [...rows].sort(
      (a, b) =>
        compareOrders(a.order, b.order) ||
        compareDates(a.date, b.date) ||
        (style.isMixed ? 0 : Number(a.isFolder) - Number(b.isFolder)) ||
        (style.isByTitle ? collator().compare(a.node.title, b.node.title) : 0) ||
        collator().compare(a.name, b.name) ||
        (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
    );
    return sorted.map((row) => row.node);
  }

  function folderNode(folder: Folder): NavigationNode | undefined {
    const { index } = folder;
    const note = style.noteOf?.(folder.path);
    if (note?.isHidden || (index?.isHidden && style.hidesBelow)) return undefined;
    const own = note?.output === undefined ? index : note.output === null ? undefined : byOutput.get(note.output);
    const path = own && !own.isHidden ? pageAddress(own.output) : undefined;
    const children = listRows(rowsOf(folder, index && index !== own ? [index] : [], own?.output));
    if (children.length === 0 && path === undefined) return undefined;
    const title = note?.title ?? own?.label ?? own?.title ?? humanize(folder.name);
    return { title, path, children, isCollapsed: note?.isCollapsed };
  }
}

function orderOf(folder: Folder, style: NavigationStyle): number | undefined {
  const note = style.noteOf?.(folder.path);
  if (note) return note.order;
  if (!style.takesLowest) return folder.index?.order;
  let lowest = folder.index?.order;
  const pages = folder.pages.map((page) => page.order);
  for (const order of [...pages, ...[...folder.folders.values()].map((inner) => orderOf(inner, style))]) {
    if (compareOrders(order, lowest) < 0) lowest = order;
  }
  return lowest;
}

/** A folder without a date has that of the newest page in it. */
function dateOf(folder: Folder): number | undefined {
  if (folder.index?.date !== undefined) return folder.index.date;
  let newest: number | undefined;
  for (const date of [...folder.pages.map((page) => page.date), ...[...folder.folders.values()].map(dateOf)]) {
    if (compareDates(date, newest) < 0) newest = date;
  }
  return newest;
}

/** As Just the Docs has it: pages with a title, below those that they name, by order and title. */
function listByParents(pages: readonly NavigationPage[]): readonly NavigationNode[] {
  const titled = pages.filter(({ ownTitle }) => ownTitle !== undefined);
  const byTitle = new Map<string, NavigationPage[]>();
  for (const page of titled) addTo(byTitle, page.ownTitle!, page);
  const known = new Map<NavigationPage, NavigationPage | undefined>();
  const childrenOf = new Map<NavigationPage | undefined, NavigationPage[]>();
  for (const page of titled) addTo(childrenOf, findAbove(page), page);
  return list(undefined, 0);

  /** Of several pages with the title that is named, the one that is below the others that are named. */
  function findAbove(page: NavigationPage): NavigationPage | undefined {
    if (known.has(page)) return known.get(page);
    // While it is looked for, so that pages that name one another end.
    known.set(page, undefined);
    const { parent } = page;
    const named = parent ? (byTitle.get(parent.title) ?? []).filter((other) => other !== page) : [];
    const fits = (other: NavigationPage): boolean =>
      (parent!.above === undefined || other.parent?.title === parent!.above) &&
      (parent!.ancestor === undefined || isBelow(other, parent!.ancestor));
    const above = named.length > 1 ? (named.slice(0, MAX_SAME).find(fits) ?? named[0]) : named[0];
    known.set(page, above);
    return above;
  }

  function isBelow(page: NavigationPage, title: string): boolean {
    let at: NavigationPage | undefined = page;
    for (let level = 0; at && level < MAX_LEVELS; level++) {
      if (at.ownTitle === title) return true;
      at = findAbove(at);
    }
    return false;
  }

  /** Pages that name one another in a circle are below none and are left out, as there. */
  function list(above: NavigationPage | undefined, depth: number): readonly NavigationNode[] {
    const listed = depth > MAX_LEVELS ? [] : (childrenOf.get(above) ?? []).filter(({ isHidden }) => !isHidden);
    listed.sort(
      (a, b) => compareOrders(a.order, b.order) || collator().compare(a.title, b.title) || (a.place < b.place ? -1 : 1),
    );
    return listed.map((page) => ({ ...pageNode(page), children: list(page, depth + 1) }));
  }
}

function addTo<K>(lists: Map<K, NavigationPage[]>, key: K, page: NavigationPage): void {
  const list = lists.get(key);
  if (list) list.push(page);
  else lists.set(key, [page]);
}

/** Deepest level of pages that name those above them. */
const MAX_LEVELS = 20;
/** Pages of one title among which the one that is meant is looked for. */
const MAX_SAME = 50;

function compareOrders(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return a === undefined ? 1 : b === undefined ? -1 : a - b;
}

function compareDates(a: number | undefined, b: number | undefined): number {
  return compareOrders(a === undefined ? undefined : -a, b === undefined ? undefined : -b);
}

function pageNode(page: NavigationPage): NavigationNode {
  return { title: page.label ?? page.title, path: pageAddress(page.output), children: [] };
}
