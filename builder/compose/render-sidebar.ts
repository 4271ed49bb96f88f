import { escapeHtml } from '../../lib/html-text.ts';
import { isSameFromAnyPage, safeUrl } from './safe-url.ts';

/** An entry of the sidebar: a page, a group of entries, or both. */
export interface NavigationNode {
  /** Plain text. */
  readonly title: string;
  /** URL from the release's root (`guide/a.html`, `guide/`, '' = the root), or absolute; undefined = no page. */
  readonly path: string | undefined;
  readonly children: readonly NavigationNode[];
  /** Whether the group is collapsed unless it contains the current page; undefined = depends on its size. */
  readonly isCollapsed?: boolean | undefined;
}

export interface SidebarPlace {
  /** Prefix that leads from the page to the release's root, as in `PageModel.root`. */
  readonly prefix: string;
  /** The page's own URL from the release's root; undefined = not in the sidebar. */
  readonly current: string | undefined;
}

/**
 * Part of a navigation that a sidebar shows: everything, or the section at hand, with a link to the first page of each other one.
 * A section is a group of the outermost level that has more than one.
 */
export const SIDEBAR_CHOICES = ['all', 'section'] as const;
export type SidebarChoice = (typeof SIDEBAR_CHOICES)[number];

/** A navigation tree, ready to be rendered for any of its pages. */
export interface Sidebar {
  /** Returns the HTML list. The work and the result are bounded: above 200 entries only the neighbourhood is shown. */
  render(place: SidebarPlace): string;
}

interface Entry {
  readonly parent: Entry | undefined;
  readonly index: number;
  readonly titleHtml: string;
  /** The page's URL in HTML; undefined = no page. */
  readonly urlHtml: string | undefined;
  /** Whether the URL leads away from the release and takes no prefix. */
  readonly absolute: boolean;
  children: readonly Entry[];
  readonly isCollapsed: boolean | undefined;
  /** The first entry with a page: this one or one inside it. */
  first: Entry | undefined;
  /** How many entries it is, with all inside it. */
  size: number;
}

/** One rendering: `trail` leads from the outermost entry down to the current one. */
interface View {
  readonly prefix: string;
  readonly here: Entry | undefined;
  readonly trail: readonly Entry[];
  /** Groups that are no sections, but hold all of them. */
  readonly frames: readonly Entry[];
}

const WHOLE_TREE_LIMIT = 200;
/** Above so many entries, only the section at hand is shown unless the site's author wants all of them. */
const SECTIONS_FROM = 60;
/** A section with more entries is shown around the current one. */
const WHOLE_SECTION_LIMIT = 100;
const OPEN_GROUP_LIMIT = 20;
const WINDOW_SIZE = 101;

/** Prepares a navigation tree: linear in its size, once for all pages. Without `choice` its size decides. */
export function createSidebar(nodes: readonly NavigationNode[], choice?: SidebarChoice): Sidebar {
  const byPath = new Map<string, Entry>();
  let count = 0;
  const prepare = (list: readonly NavigationNode[], parent: Entry | undefined): readonly Entry[] =>
    list.map((node, index) => {
      const entry = createEntry(node, parent, index);
      count++;
      if (node.path !== undefined && !byPath.has(node.path)) byPath.set(node.path, entry);
      entry.children = prepare(node.children, entry);
      entry.first ??= entry.children.find((child) => child.first !== undefined)?.first;
      entry.size += entry.children.reduce((sum, { size }) => sum + size, 0);
      return entry;
    });
  const roots = prepare(nodes, undefined);
  const frames = findFrames(roots);
  const isBySection = frames !== undefined && (choice ? choice === 'section' : count > SECTIONS_FROM);
  return {
    render({ prefix, current }) {
      const here = current === undefined ? undefined : byPath.get(current);
      const view: View = { prefix: escapeHtml(prefix), here, trail: collectTrail(here), frames: frames ?? [] };
      const isNear = isBySection || count > WHOLE_TREE_LIMIT;
      return isNear ? renderNear(roots, view, 0) : renderAll(roots, view, { depth: 0, openDepth: 0 });
    },
  };
}

/** Returns the groups around the level at which a navigation has sections, outermost first; undefined = there is no such level. */
function findFrames(roots: readonly Entry[]): readonly Entry[] | undefined {
  const frames: Entry[] = [];
  for (let level = roots; ; level = frames.at(-1)!.children) {
    const [group, other] = level.filter(({ children }) => children.length > 0);
    if (other) return frames;
    if (!group) return undefined;
    frames.push(group);
  }
}

function createEntry({ title, path, isCollapsed }: NavigationNode, parent: Entry | undefined, index: number): Entry {
  const entry: Entry = {
    parent,
    index,
    titleHtml: escapeHtml(title),
    urlHtml: path === undefined ? undefined : escapeHtml(safeUrl(path)),
    absolute: path !== undefined && isSameFromAnyPage(path),
    children: [],
    isCollapsed,
    first: undefined,
    size: 1,
  };
  if (path !== undefined) entry.first = entry;
  return entry;
}

function collectTrail(here: Entry | undefined): readonly Entry[] {
  const trail: Entry[] = [];
  for (let entry = here; entry !== undefined; entry = entry.parent) trail.push(entry);
  return trail.reverse();
}

/** Shows a whole tree. Groups are open down to `openDepth` unless they are long or their author wants them closed. */
function renderAll(
  entries: readonly Entry[],
  view: View,
  { depth, openDepth }: { readonly depth: number; readonly openDepth: number },
): string {
  let html = '<ul>\n';
  for (const entry of entries) {
    if (entry.children.length === 0) {
      html += `<li>${renderLabel(entry, entry, view)}</li>\n`;
    } else {
      const isSmall = depth <= openDepth && entry.children.length <= OPEN_GROUP_LIMIT;
      const open = view.trail[depth] === entry || !(entry.isCollapsed ?? !isSmall);
      html += renderGroup(entry, view, open, renderAll(entry.children, view, { depth: depth + 1, openDepth }));
    }
  }
  return `${html}</ul>\n`;
}

/**
 * Shows the trail, the siblings of each of its entries within reach, and what is in the current one; all of its section, where
 * that is not too much.
 */
function renderNear(entries: readonly Entry[], view: View, depth: number): string {
  const inside = view.trail[depth];
  const middle = (inside?.index ?? 0) - (WINDOW_SIZE - 1) / 2;
  const from = Math.max(0, Math.min(middle, entries.length - WINDOW_SIZE));
  const to = Math.min(entries.length, from + WINDOW_SIZE);
  let html = '<ul>\n';
  if (from > 0) html += renderMore(entries[from - 1]!, view);
  for (const entry of entries.slice(from, to)) {
    const { children, size, first } = entry;
    const isFrame = view.frames[depth] === entry;
    if (children.length === 0) html += `<li>${renderLabel(entry, first, view)}</li>\n`;
    else if (entry !== inside && !isFrame) html += `<li class="section">${renderLabel(entry, first, view)}</li>\n`;
    else {
      const isWhole = !isFrame && size <= WHOLE_SECTION_LIMIT;
      const list = isWhole
        ? renderAll(children, view, { depth: depth + 1, openDepth: Number.POSITIVE_INFINITY })
        : renderNear(children, view, depth + 1);
      html += renderGroup(entry, view, true, list);
    }
  }
  if (to < entries.length) html += renderMore(entries[to]!, view);
  return `${html}</ul>\n`;
}

/** A group with its own page is a link followed by a button: nested ones could not be distinguished. */
function renderGroup(entry: Entry, view: View, open: boolean, list: string): string {
  const state = open ? ' open' : '';
  return entry.urlHtml === undefined
    ? `<li><details${state}><summary>${entry.titleHtml}</summary>\n${list}</details></li>\n`
    : `<li class="linked">${renderLabel(entry, entry, view)}<details${state}><summary aria-label="${entry.titleHtml}">` +
        `</summary>\n${list}</details></li>\n`;
}

/** The neighbour just out of reach; from its page the list continues. */
function renderMore(entry: Entry, view: View): string {
  return `<li class="more">${renderLabel(entry, entry.first, view)}</li>\n`;
}

/** A collapsed group links to its first page. */
function renderLabel(entry: Entry, target: Entry | undefined, view: View): string {
  if (target?.urlHtml === undefined) return `<span>${entry.titleHtml}</span>`;
  const mark = entry === view.here ? ' aria-current="page"' : '';
  return `<a href="${target.absolute ? '' : view.prefix}${target.urlHtml}"${mark}>${entry.titleHtml}</a>`;
}

/**
 * Returns the HTML content of a release's home page that has none: a list of all pages, where `nodes` are the navigation. Outer
 * groups have a heading.
 */
export function renderListing(nodes: readonly NavigationNode[]): string {
  let html = '';
  let loose: NavigationNode[] = [];
  const closeList = (): void => {
    // Pages behind a group do not belong to it.
    if (loose.length > 0) html += `${html === '' ? '' : '<hr>\n'}${renderPages(loose, ' class="listing"')}`;
    loose = [];
  };
  for (const node of nodes) {
    if (node.children.length === 0) loose.push(node);
    else {
      closeList();
      html += `<h2>${renderTitle(node)}</h2>\n${renderPages(node.children, ' class="listing"')}`;
    }
  }
  closeList();
  return html;
}

function renderPages(nodes: readonly NavigationNode[], attributes: string): string {
  const items = nodes.map((node) => {
    const inner = node.children.length === 0 ? '' : `\n${renderPages(node.children, '')}`;
    return `<li>${renderTitle(node)}${inner}</li>\n`;
  });
  return `<ul${attributes}>\n${items.join('')}</ul>\n`;
}

function renderTitle({ title, path }: NavigationNode): string {
  const text = escapeHtml(title);
  if (path === undefined) return text;
  return `<a href="${isSameFromAnyPage(path) ? '' : './'}${escapeHtml(safeUrl(path))}">${text}</a>`;
}
