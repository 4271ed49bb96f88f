import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import { createFolderNavigation } from '../../compose/folder-navigation.ts';
import {
  humanize,
  listReadingOrder,
  listTrails,
  listUnnamed,
  type NavigationEntry,
  type NavigationPage,
  pageAddress,
  placeNavigation,
} from '../../compose/navigation.ts';
import type { HeaderEntry, PageModel } from '../../compose/page-model.ts';
import {
  createSidebar,
  type NavigationNode,
  renderListing,
  type Sidebar,
  type SidebarChoice,
} from '../../compose/render-sidebar.ts';
import type { TextLink } from '../../compose/theme.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import { findNumber } from '../../generators/shared/numbered-names.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { selectFolders, type TopFolder } from './place-header.ts';
import type { PlacedNavigation } from './place-navigation.ts';

export interface ReleaseNavigation {
  /** Hash of everything in it: navigations with equal ids render alike. */
  readonly id: string;
  readonly titleOf: (output: string) => string;
  readonly around: (output: string, root: string) => Pick<PageModel, 'breadcrumbs' | 'previous' | 'next'>;
  /** Returns the top folders for the header, empty where they do not fit there. */
  readonly listFolders: (output: string, root: string) => readonly HeaderEntry[];
  /** Returns the URL of the first page other than the home page. */
  readonly findStart: (root: string) => string | undefined;
  readonly renderSidebar: (output: string, root: string) => string;
  /** Returns the pages of each entry at its top in reading order, by their URLs from the release's root; '' = no group. */
  readonly listGroups: () => readonly { readonly title: string; readonly addresses: readonly string[] }[];
  /** Returns the list of all pages for a release without a home page of its own. */
  readonly renderListing: () => string;
}

interface Prepared {
  readonly sidebar: Sidebar;
  readonly folders: readonly TopFolder[];
  readonly order: readonly NavigationNode[];
  readonly positions: ReadonlyMap<string, number>;
  readonly trails: ReadonlyMap<string, readonly NavigationNode[]>;
}

export type NavigationBuilder = (
  pages: readonly Page[],
  rendered: ReadonlyMap<string, RenderedPage>,
  options: {
    readonly generator: Generator | undefined;
    /** The author's own, for docbuild; it takes precedence. */
    readonly authored: readonly NavigationEntry[] | undefined;
    readonly placed: Pick<PlacedNavigation, 'entries' | 'showsRest' | 'hidden' | 'leavesOutHome' | 'style'>;
  },
) => ReleaseNavigation;

/** Creates the builder of one site's navigations; equal releases share one. `sidebar` is what the site's author wants to see beside pages. */
export function createNavigationBuilder(sidebar: SidebarChoice | undefined): NavigationBuilder {
  const known = new Map<string, ReleaseNavigation>();
  return (pages, rendered, { authored, generator, placed }) => {
    const list = pages.map((page) => describePage(page, rendered.get(page.file)!, generator));
    const byOutput = new Map(list.map((page) => [page.output, page]));
    const nodes = listNodes(list, byOutput, { authored, placed });
    const id = contentKey(
      JSON.stringify([nodes, sidebar]),
      list.map((page) => `${page.output}\t${page.title}\t${page.isHidden}`).join('\n'),
    );
    let navigation = known.get(id);
    if (!navigation) {
      navigation = createNavigation({ id, nodes, sidebar }, byOutput);
      known.set(id, navigation);
    }
    return navigation;
  };
}

/** Lists the author's own navigation, or the generator's, or that of the folders. */
function listNodes(
  list: readonly NavigationPage[],
  byOutput: ReadonlyMap<string, NavigationPage>,
  { authored, placed }: Pick<Parameters<NavigationBuilder>[2], 'authored' | 'placed'>,
): readonly NavigationNode[] {
  const folders = createFolderNavigation(list, placed.style);
  const entries = authored ?? placed.entries;
  if (!entries) return folders.all();
  const named = placeNavigation(entries, byOutput, folders);
  const isShown = ({ output }: NavigationPage): boolean =>
    !placed.hidden.has(output) && (output !== 'index.html' || !placed.leavesOutHome);
  const rest = !authored && placed.showsRest ? listUnnamed(named, list).filter(isShown) : [];
  return rest.length > 0 ? [...named, ...createFolderNavigation(rest, placed.style).all()] : named;
}

function createNavigation(
  {
    id,
    nodes,
    sidebar,
  }: { readonly id: string; readonly nodes: readonly NavigationNode[]; readonly sidebar: SidebarChoice | undefined },
  pages: ReadonlyMap<string, NavigationPage>,
): ReleaseNavigation {
  let prepared: Prepared | undefined;
  const prepare = (): Prepared => {
    prepared ??= prepareNodes(nodes, sidebar);
    return prepared;
  };
  return {
    id,
    titleOf: (output) => {
      const page = pages.get(output);
      // A title used elsewhere says more than a file name.
      const named =
        page?.hasTitle === false ? prepare().order[prepare().positions.get(pageAddress(output)) ?? -1] : page;
      return (named ?? page)?.title ?? '';
    },
    around(output, root) {
      const { order, positions, trails } = prepare();
      const address = pageAddress(output);
      const position = positions.get(address);
      return {
        breadcrumbs: (trails.get(address) ?? []).map(({ title, path }) => ({
          title,
          url: path === undefined ? undefined : placeUrl(path, root),
        })),
        previous: position === undefined ? undefined : toLink(order[position - 1], root),
        next: position === undefined ? undefined : toLink(order[position + 1], root),
      };
    },
    listFolders(output, root) {
      const { folders, trails } = prepare();
      const address = pageAddress(output);
      const [top] = trails.get(address) ?? [];
      return folders.map(({ node, path }) => ({
        title: node.title,
        url: root + path,
        icon: undefined,
        isOutside: false,
        links: [],
        isCurrent: path === address || top === node,
      }));
    },
    findStart: (root) =>
      toLink(
        prepare().order.find(({ path }) => path !== ''),
        root,
      )?.url,
    renderSidebar: (output, root) => prepare().sidebar.render({ prefix: root, current: pageAddress(output) }),
    listGroups: () =>
      nodes.map((node) => ({
        title: node.children.length > 0 ? node.title : '',
        addresses: listReadingOrder([node]).map(({ path }) => path!),
      })),
    renderListing() {
      const rest = listUnnamed(nodes, [...pages.values()]);
      return renderListing([
        ...nodes,
        ...rest.map(({ output, title }) => ({ title, path: pageAddress(output), children: [] })),
      ]);
    },
  };
}

function describePage(page: Page, rendered: RenderedPage, generator: Generator | undefined): NavigationPage {
  const { meta } = page;
  const written = findTitle(page, rendered);
  return {
    output: page.output,
    place: page.place,
    title: titlePage(page, rendered),
    hasTitle: written !== undefined,
    label: meta.label,
    ownTitle: meta.title,
    parent: meta.parent,
    // A number at the start of a name is also a position.
    order:
      meta.order ?? (rulesOf(generator).folders?.isNumbered ? findNumber(page.place.split('/').at(-1)!) : undefined),
    date: meta.date,
    isHome: meta.layout === 'home',
    isHidden: meta.visibility !== 'listed' || meta.redirectTo !== undefined,
  };
}

/** Returns what a page is called: its title, else its file's name. */
export function titlePage(page: Page, rendered: RenderedPage): string {
  return findTitle(page, rendered) ?? humanize(fileTitle(page.place));
}

/** Returns the title that a page's author gave it, if any. */
export function findTitle({ meta }: Page, { title }: RenderedPage): string | undefined {
  return meta.title ?? title ?? meta.hero?.name;
}

/** Returns the words of a path that name the page: its file, or its folder when it is an index. */
function fileTitle(output: string): string {
  const parts = output.replace(/\.html$/, '').split('/');
  const last = parts.pop()!;
  return last === 'index' ? (parts.pop() ?? 'home') : last;
}

function prepareNodes(nodes: readonly NavigationNode[], sidebar: SidebarChoice | undefined): Prepared {
  const order = listReadingOrder(nodes);
  return {
    sidebar: createSidebar(nodes, sidebar),
    folders: selectFolders(nodes),
    order,
    positions: new Map(order.map(({ path }, index) => [path!, index])),
    trails: listTrails(nodes),
  };
}

function toLink(node: NavigationNode | undefined, root: string): TextLink | undefined {
  return node?.path === undefined ? undefined : { title: node.title, url: root + node.path };
}

function placeUrl(path: string, root: string): string {
  return isAbsoluteUrl(path) ? path : root + path;
}
