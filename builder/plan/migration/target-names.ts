import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { ForeignLink, ForeignRedirect } from '../../source/foreign-settings/foreign-settings.ts';
import type { GeneratorNavigation, NavItem, NavNote, NavTarget } from '../../source/navigation/navigation-items.ts';
import type { LanguagePages, Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { parseAddress } from '../../source/pages/page-address.ts';
import type { ThemeLink } from '../../source/project-file-schema.ts';
import type { PageFinder } from '../navigation/place-navigation.ts';
import type { VersionSource } from '../versions/version-source.ts';
import { nameFiles } from './write-navigation.ts';

/** Names what a generator links to as a project file does. */
export interface TargetNames {
  /** Returns the path of a page below its language's folder, or an absolute URL; undefined if nothing is there. */
  urlOf(target: NavTarget): string | undefined;
  /** Returns a page's URL from the root of the site, or an absolute one. */
  siteUrlOf(target: NavTarget): string | undefined;
  /** Returns the links of the header; those that lead nowhere are noted. */
  placeLinks(links: readonly ForeignLink[], notes: NavNote[]): readonly ThemeLink[];
  /** Returns redirects by old path; those that lead nowhere are noted. */
  placeRedirects(redirects: readonly ForeignRedirect[], notes: NavNote[]): Readonly<Record<string, string>>;
}

/** Hosts that docbuild has icons of. */
const ICONS = /^(?:bitbucket|gitea|gitee|github|gitlab)$/;
/** Limits of a project file. */
const MAX_LINKS = 20;
const MAX_MENU = 30;
const MAX_REDIRECTS = 5_000;

/** Creates the names of one site, by the pages of its default language. */
export function createTargetNames({
  source,
  tree,
  language,
  finder,
  sidebars,
}: {
  readonly source: VersionSource;
  readonly tree: SourceTree;
  readonly language: LanguagePages;
  readonly finder: PageFinder;
  /** The navigation to which names of sidebars belong. */
  readonly sidebars: GeneratorNavigation | undefined;
}): TargetNames {
  const nameOf = nameFiles(language);
  const outputs = new Set(language.pages.map(({ output }) => output));
  const bases = source.site?.bases ?? ['/'];
  return {
    urlOf,
    siteUrlOf(target) {
      const url = urlOf(target);
      if (url === undefined || isAbsoluteUrl(url)) return url;
      const [page] = url.split('#');
      const output = language.pages.find((other) => nameOf(other.output) === page)?.output ?? '';
      return `${language.language.code}/latest/${pageAddress(output)}${url.slice(page!.length)}`;
    },
    placeLinks(links, notes) {
      // Icons come last, as generators show them.
      const sorted = [...links.filter(({ icon }) => !icon), ...links.filter(({ icon }) => icon)];
      const placed = sorted.flatMap((link) => placeLink(link, notes, MAX_MENU));
      return limit(dropRepeated(placed), MAX_LINKS, links[0], notes);
    },
    placeRedirects(redirects, notes) {
      const placed = new Map<string, string>();
      for (const redirect of redirects.flatMap(expand)) {
        const { from, to, place } = redirect;
        const url = urlOf(to);
        const old = outputOf(from);
        const label = `Redirect from "${from}"`;
        if (url === undefined) notes.push({ ...place, message: `${label} leads to no page: "${to.path}"` });
        else if (old === undefined)
          notes.push({
            ...place,
            message: `${label} is not taken over: it is a pattern, or no page can have that URL`,
          });
        // The page is where readers look for it.
        else if (!isPage(old) && placed.size < MAX_REDIRECTS) placed.set(old.replace(/(^|\/)index\.html$/, '$1'), url);
      }
      return Object.fromEntries(placed);
    },
  };

  function urlOf(target: NavTarget): string | undefined {
    if (target.kind === 'sidebar') return findFirst(target.path);
    if (isAbsoluteUrl(target.path)) return /^(?:https?|mailto):/i.test(target.path) ? target.path : undefined;
    const at = target.path.search(/[?#]/);
    const path = at < 0 ? target.path : target.path.slice(0, at);
    const page = finder.find({ ...target, path: path === '' ? '/' : path });
    if (page) return (nameOf(page.output) || './') + (at < 0 ? '' : target.path.slice(at).replace(/^\?[^#]*/, ''));
    return undefined;
  }

  function isPage(output: string): boolean {
    return outputs.has(output) || outputs.has(output.replace(/\/index\.html$/, '.html'));
  }

  /** Returns the first page of an instance's sidebar: of several of the main one, that of the group with its title. */
  function findFirst(instance: string, title = ''): string | undefined {
    const mount = source.site?.mounts.find(({ id }) => id === instance);
    if (mount) return nameFirst(mount.shown);
    const items = sidebars?.languages[''] ?? [];
    const group = items.find((item) => item.title?.toLowerCase() === title.toLowerCase());
    return visit(group ? [group] : items);
  }

  function visit(items: readonly NavItem[]): string | undefined {
    for (const { target, folder, children } of items) {
      const own = target && urlOf(target);
      const found = own ?? (folder === undefined ? undefined : nameFirst(folder)) ?? visit(children);
      if (found !== undefined && !isAbsoluteUrl(found)) return found;
    }
    return undefined;
  }

  function nameFirst(folder: string): string | undefined {
    const inside = language.pages.filter(({ place }) => place.startsWith(folder));
    const page = inside.find(({ place }) => place === `${folder}index.html`) ?? inside[0];
    return page && (nameOf(page.output) || './');
  }

  function placeLink(link: ForeignLink, notes: NavNote[], most: number): readonly ThemeLink[] {
    const { title, target, icon, place } = link;
    const look = { title, ...(ICONS.test(icon ?? '') ? { icon } : {}) };
    if (link.links) {
      const links = link.links.flatMap((inner) => placeLink(inner, notes, most));
      return links.length === 0 ? [] : [{ ...look, links: limit(links, most, link, notes) }];
    }
    const url = target?.kind === 'sidebar' ? findFirst(target.path, title) : target && urlOf(target);
    if (url !== undefined) return [{ ...look, url }];
    notes.push({ ...place, message: `Link "${title}" of the header leads to no page: "${target?.path ?? ''}"` });
    return [];
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
    return parseAddress(address.replace(/^\/+|(?<=\/)\/+$/g, ''), '');
  }
}

function limit<T>(list: readonly T[], most: number, where: ForeignLink | undefined, notes: NavNote[]): readonly T[] {
  if (list.length > most && where)
    notes.push({ ...where.place, message: `Only the first ${most} links are taken over` });
  return list.slice(0, most);
}

function dropRepeated(links: readonly ThemeLink[]): readonly ThemeLink[] {
  const seen = new Set<string>();
  return links.filter((link) => {
    const key = JSON.stringify(link);
    return !seen.has(key) && seen.add(key);
  });
}

/** Returns the regular expression of a pattern of paths; undefined if it has more than `:name`, `:name*` and `:name(.*)`. */
function parsePattern(path: string): RegExp | undefined {
  if (path.length > 500) return undefined;
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
