import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { ForeignLink, ForeignRedirect } from '../../generators/shared/foreign-settings.ts';
import type { GeneratorNavigation, NavItem, NavNote, NavTarget } from '../../generators/shared/navigation-items.ts';
import type { LocalText } from '../../language-tag.ts';
import type { LanguagePages, Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { parseAddress } from '../../source/pages/page-address.ts';
import type { HostUrlPatterns } from '../links/host-urls.ts';
import type { TargetFinder } from '../navigation/place-navigation.ts';
import type { ThemeLink } from '../project-file-schema.ts';
import type { VersionSource } from '../versions/version-source.ts';

/** Names what a generator links to as a project file does. */
export interface TargetNames {
  /** Returns the path of a page below its language's folder, or an absolute URL; undefined if nothing is there. */
  urlOf(target: NavTarget): string | undefined;
  /** Returns a page's URL from the root of the site, or an absolute one. */
  siteUrlOf(target: NavTarget): string | undefined;
  /** Returns the links of the header, or the columns of the footer; those that lead nowhere are noted. */
  placeLinks(links: readonly ForeignLink[], notes: NavNote[], part?: 'header' | 'footer'): readonly ThemeLink[];
  /** Returns redirects by old path; those that lead nowhere are noted. */
  placeRedirects(redirects: readonly ForeignRedirect[], notes: NavNote[]): Readonly<Record<string, string>>;
}

const MAX_REDIRECTS = 5_000;

/** Creates the names of one site, by the pages of its default language. */
export async function createTargetNames({
  source,
  tree,
  language,
  finder,
  sidebars,
  codeHosts,
}: {
  readonly source: VersionSource;
  readonly tree: SourceTree;
  readonly language: LanguagePages;
  readonly finder: TargetFinder;
  /** The navigation to which names of sidebars belong. */
  readonly sidebars: GeneratorNavigation | undefined;
  /** Code hosts with an icon each. */
  readonly codeHosts: readonly HostUrlPatterns[];
}): Promise<TargetNames> {
  // Loaded late: it brings the schema library, which the start of every command would pay for.
  const { MAX_COLUMNS, MAX_LINKS, MAX_MENU_LINKS } = await import('../project-file-schema.ts');
  const outputs = new Set(language.pages.map(({ output }) => output));
  const bases = source.site?.bases ?? ['/'];
  return {
    urlOf,
    siteUrlOf(target) {
      const found = locate(target);
      if (!found?.page) return found?.url;
      return `${language.language.code}/latest/${pageAddress(found.page.output)}${found.anchor}`;
    },
    placeLinks(links, notes, part = 'header') {
      // Icons come last, as generators show them.
      const sorted = [...links.filter(({ icon }) => !icon), ...links.filter(({ icon }) => icon)];
      const placed = sorted.flatMap((link) => placeLink(link, notes, part));
      return limit(dropRepeated(placed), part === 'header' ? MAX_LINKS : MAX_COLUMNS, links[0], notes);
    },
    placeRedirects(redirects, notes) {
      const placed = new Map<string, string>();
      for (const redirect of redirects.flatMap(expand)) {
        const { from, to, place } = redirect;
        const url = urlOf(to);
        const old = outputOf(from);
        const tell = (what: string): unknown => notes.push({ ...place, message: `Redirect from "${from}" ${what}` });
        if (url === undefined) tell(`leads to no page: "${to.path}"`);
        else if (old === undefined) tell('is not taken over: it is a pattern, or no page can have that URL');
        // A page at its old URL needs no redirect.
        else if (!isPage(old)) placed.set(old.replace(/(^|\/)index\.html$/, '$1'), url);
        if (placed.size <= MAX_REDIRECTS) continue;
        placed.delete([...placed.keys()].at(-1)!);
        notes.push({ ...place, message: `Only the first ${MAX_REDIRECTS} redirects are taken over` });
        break;
      }
      return Object.fromEntries(placed);
    },
  };

  /** Returns the page that a target leads to, and its anchor; or the URL of another site. */
  function locate(
    target: NavTarget,
  ): { readonly page?: Page; readonly url?: string; readonly anchor: string } | undefined {
    if (isAbsoluteUrl(target.path))
      return /^(?:https?|mailto):/i.test(target.path) ? { url: target.path, anchor: '' } : undefined;
    const [, path = '', , anchor = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(target.path) ?? [];
    const page = target.kind === 'sidebar' ? findFirst(target.path) : finder.find({ ...target, path: path || '/' });
    return page && { page, anchor };
  }

  function urlOf(target: NavTarget): string | undefined {
    const found = locate(target);
    return found && (found.page ? nameFile(found.page) + found.anchor : found.url);
  }

  function nameFile({ file }: Page): string {
    const folder = source.layout.folders.get(language.language.key);
    return folder !== undefined && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
  }

  function isPage(output: string): boolean {
    return outputs.has(output) || outputs.has(output.replace(/\/index\.html$/, '.html'));
  }

  /** Returns the first page of an instance's sidebar: of several of the main one, that of the group with its title. */
  function findFirst(instance: string, title = ''): Page | undefined {
    const mount = source.site?.mounts.find(({ id }) => id === instance);
    if (mount) return findInside(mount.shown);
    const items = sidebars?.languages[''] ?? [];
    const group = items.find((item) => item.title?.toLowerCase() === title.toLowerCase());
    return findListed(group ? [group] : items);
  }

  function findListed(items: readonly NavItem[]): Page | undefined {
    for (const { target, folder, children } of items) {
      const own = target && locate(target)?.page;
      const found = own ?? (folder === undefined ? undefined : findInside(folder)) ?? findListed(children);
      if (found) return found;
    }
    return undefined;
  }

  function findInside(folder: string): Page | undefined {
    const inside = language.pages.filter(({ place }) => place.startsWith(folder));
    return inside.find(({ place }) => place === `${folder}index.html`) ?? inside[0];
  }

  function placeLink(link: ForeignLink, notes: NavNote[], part: 'header' | 'footer'): readonly ThemeLink[] {
    const { title, target, icon, place } = link;
    const look = { title: nameTitle(link), ...(codeHosts.some(({ id }) => id === icon) ? { icon } : {}) };
    if (link.links) {
      const links = link.links.flatMap((inner) => placeLink(inner, notes, part));
      return links.length === 0 ? [] : [{ ...look, links: limit(links, MAX_MENU_LINKS, link, notes) }];
    }
    const first = target?.kind === 'sidebar' ? findFirst(target.path, title) : undefined;
    const url = first ? nameFile(first) : target && urlOf(target);
    if (url !== undefined) return [{ ...look, url }];
    notes.push({ ...place, message: `Link "${title}" of the ${part} leads to no page: "${target?.path ?? ''}"` });
    return [];
  }

  function nameTitle({ title, titles = {} }: ForeignLink): LocalText {
    const others = Object.entries(titles).filter(([, other]) => other !== title);
    return others.length === 0 ? title : { [language.language.code]: title, ...Object.fromEntries(others) };
  }

  /** Patterns of VitePress' rewrites stand for all pages that fit: `packages/:name/docs/:rest*`. */
  function expand(redirect: ForeignRedirect): readonly ForeignRedirect[] {
    const { from, to } = redirect;
    if (to.kind !== 'file' || !to.path.includes(':')) return [redirect];
    const pattern = parsePattern(to.path);
    if (!pattern) return [redirect];
    return [...tree.pageOfFile.values()].flatMap((page: Page) => {
      const groups = page.language === language.language ? pattern.exec(source.realPath(page.file))?.groups : undefined;
      if (!groups) return [];
      const shown = from.replace(/:(\w+)(?:\([^()]*\))?[*+?]?/g, (_, name: string) => groups[name] ?? '');
      return [{ ...redirect, from: shown, to: { kind: 'file', path: source.realPath(page.file) } }];
    });
  }

  /** Returns the path of the HTML file at an old URL. */
  function outputOf(from: string): string | undefined {
    if (/[*:[\]]/.test(from.replace(/^https?:\/\/[^/]+/, ''))) return undefined;
    const path = URL.canParse(from) ? new URL(from).pathname : from;
    const folder = source.layout.folders.get(language.language.key);
    const inside = [...bases, ...(folder === undefined ? [] : [`/${folder}/`])].find(
      (base) => base !== '/' && `/${path.replace(/^\/+/, '')}`.startsWith(base),
    );
    const rest = inside === undefined ? path : `/${path.replace(/^\/+/, '')}`.slice(inside.length);
    const isFile = /\.(?:md|markdown|mdx)$/i.test(rest);
    const address =
      isFile && source.site?.hasPageFolders ? `${rest.replace(/(?:(^|\/)(?:index|readme))?\.[^.]*$/i, '$1')}/` : rest;
    return parseAddress(address.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '/'), '');
  }
}

function limit<T>(list: readonly T[], most: number, where: ForeignLink | undefined, notes: NavNote[]): readonly T[] {
  if (list.length > most && where)
    notes.push({ ...where.place, message: `Only the first ${most} links are taken over` });
  return list.slice(0, most);
}

function dropRepeated(links: readonly ThemeLink[]): readonly ThemeLink[] {
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
}

/** Returns the regular expression of a pattern of paths; undefined if it has more than `:name`, `:name*` and `:name(.*)`. */
function parsePattern(path: string): RegExp | undefined {
  // One name in each folder, and two that may stand for several: the time to match then grows little with the length.
  const isSimple = path.split('/').every((part) => /^[^:]*(?::\w+\b(?:\(\.\*\))?[*+?]?[^:]*)?$/.test(part));
  if (path.length > 500 || !isSimple || (path.match(/[*+)](?=\/|$|[^*+?])/g) ?? []).length > 2) return undefined;
  const parts = path.split(/(:\w+(?:\(\.\*\))?[*+?]?)/).map((part) => {
    const name = /^:(\w+)/.exec(part)?.[1];
    if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return /[*+]$|\)$/.test(part) ? `(?<${name}>.*)` : `(?<${name}>[^/]+?)`;
  });
  try {
    return new RegExp(`^${parts.join('')}$`);
  } catch {
    return undefined;
  }
}
