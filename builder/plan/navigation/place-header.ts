import { once } from '../../../lib/once.ts';
import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { HeaderEntry } from '../../compose/page-model.ts';
import type { NavigationNode } from '../../compose/render-sidebar.ts';
import { chooseText } from '../../source/language-tag.ts';
import type { Language } from '../../source/languages.ts';
import { isPageFile, pageOutputPath } from '../../source/page-path.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { ThemeLink } from '../../source/project-file-schema.ts';
import type { HostUrlPatterns } from '../links/host-urls.ts';
import type { SiteSettings } from '../site-options.ts';
import { createAddressBook } from './address-book.ts';

/** Folders are the header's navigation if there are this many, and their titles fit into a line. */
const FOLDERS = { least: 2, most: 6, characters: 48 };

/** What the links of a header are placed with. */
export interface HeaderScope {
  readonly settings: Pick<SiteSettings, 'theme' | 'codeHosts' | 'baseUrl'>;
  readonly languages: readonly Pick<Language, 'code'>[];
}

/**
 * Returns the header's links as the project file lists them. `find` returns the URL of a page or file, undefined where there is
 * none; such a link is left out, and a menu of which nothing remains.
 */
export function placeHeader(
  { settings, languages }: HeaderScope,
  { siteRoot, language }: { readonly siteRoot: string; readonly language: Pick<Language, 'key'> },
  find: (url: string) => string | undefined,
): readonly HeaderEntry[] {
  const { theme, codeHosts = [], baseUrl } = settings;
  const place = (url: string): string | undefined => {
    if (isAbsoluteUrl(url)) return url;
    return find(url) ?? (isOfSite(url, languages) ? siteRoot + stripRoot(url) : undefined);
  };
  const visit = ({ title, url, icon: name, links = [] }: ThemeLink): readonly HeaderEntry[] => {
    const children = links.flatMap(visit);
    const placed = url === undefined ? undefined : place(url);
    if (placed === undefined && children.length === 0) return [];
    const isOutside = isWebUrl(placed ?? '') && !(baseUrl !== undefined && placed!.startsWith(baseUrl));
    const host = name === undefined ? undefined : codeHosts.find(({ id }) => id === name);
    const icon = host?.icon ?? (isOutside ? findIcon(codeHosts, placed!) : undefined);
    const words = chooseText(title, language.key);
    return [{ title: words, url: placed, icon, isOutside, isCurrent: false, links: children }];
  };
  return (theme.links ?? []).flatMap(visit);
}

/** What is wrong with a link of the header, and where the project file has it. */
export interface HeaderProblem {
  readonly path: readonly PropertyKey[];
  readonly code: 'dead-link' | 'project-file';
  readonly message: string;
}

/** Returns the header's links that lead to no page or file, and the icons that nobody has drawn; `find` as above. */
export function listHeaderProblems(
  { settings, languages }: HeaderScope,
  find: (url: string) => string | undefined,
): readonly HeaderProblem[] {
  const icons = [...new Set((settings.codeHosts ?? []).map(({ id }) => id))].sort();
  const visit =
    (above: readonly PropertyKey[]) =>
    ({ url, icon, links = [] }: ThemeLink, index: number): readonly HeaderProblem[] => {
      const path = [...above, index];
      const problems: HeaderProblem[] = [];
      if (url !== undefined && !isAbsoluteUrl(url) && !isOfSite(url, languages) && find(url) === undefined) {
        const message = `Link "${url}" of the header leads to no page or file`;
        problems.push({ path: [...path, 'url'], code: 'dead-link', message });
      }
      if (icon !== undefined && !icons.includes(icon)) {
        const message = `There is no icon "${icon}": ${icons.length > 0 ? `write one of ${icons.join(', ')}` : 'no code host is known'}`;
        problems.push({ path: [...path, 'icon'], code: 'project-file', message });
      }
      return [...problems, ...links.flatMap(visit([...path, 'links']))];
    };
  return (settings.theme.links ?? []).flatMap(visit(['theme', 'links']));
}

/** Returns a function that finds the published pages of one language by what links to them say; `root` leads to their folder. */
export function createPageFinder(pages: readonly Page[], root: string): (url: string) => string | undefined {
  const byPlace = once(() => new Map(pages.map((page) => [page.place, page])));
  const book = once(() => createAddressBook(new Map(pages.map((page) => [page.output, page])), undefined));
  return (url) => {
    const [path, hash] = url.split(/(?=#)/, 2) as [string, string | undefined];
    const name = stripRoot(path);
    const page = isPageFile(name) ? byPlace().get(pageOutputPath(name)) : book().find(name);
    return page && root + pageAddress(page.output) + (hash ?? '');
  };
}

/** A top group of the navigation, with the URL of the first page in it, from the release's root. */
export interface TopFolder {
  readonly node: NavigationNode;
  readonly path: string;
}

/** Returns the top groups of the navigation where they can be the header's. */
export function selectFolders(nodes: readonly NavigationNode[]): readonly TopFolder[] {
  const groups = nodes.flatMap((node) => {
    const path = node.children.length > 0 ? findFirst(node) : undefined;
    return path === undefined ? [] : [{ node, path }];
  });
  const characters = groups.reduce((sum, { node }) => sum + measure(node.title), 0);
  const fits = groups.length >= FOLDERS.least && groups.length <= FOLDERS.most && characters <= FOLDERS.characters;
  return fits ? groups : [];
}

/** Returns the entries with those marked that lead to a page or to a folder around it; `address` is from the release's root. */
export function markCurrent(
  entries: readonly HeaderEntry[],
  { address, root }: { readonly address: string; readonly root: string },
): readonly HeaderEntry[] {
  return entries.map((entry) => {
    const links = markCurrent(entry.links, { address, root });
    const path = entry.url?.startsWith(root) ? entry.url.slice(root.length) : undefined;
    const isHere =
      path === address || (path?.endsWith('/') === true && !path.startsWith('../') && address.startsWith(path));
    return { ...entry, links, isCurrent: isHere || links.some(({ isCurrent }) => isCurrent) };
  });
}

function findFirst({ path, children }: NavigationNode): string | undefined {
  if (path !== undefined && !isAbsoluteUrl(path)) return path;
  return children.map(findFirst).find((found) => found !== undefined);
}

/** Returns the width of a text in Latin letters. */
function measure(text: string): number {
  return [...text].reduce((sum, sign) => sum + (/[\u1100-\u11ff\u2e80-\uffdc]/.test(sign) ? 2 : 1), 0);
}

/** Whether a path begins with a language of the site: such a path is that of a published page, from the site's root. */
function isOfSite(url: string, languages: HeaderScope['languages']): boolean {
  const [first] = stripRoot(url).split(/[/?#]/, 1);
  return languages.some(({ code }) => code === first);
}

function stripRoot(url: string): string {
  return url.replace(/^\.?\/+/, '');
}

/** Returns the icon of a code host for the page of one of its repositories or users. */
function findIcon(patterns: readonly HostUrlPatterns[], url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname } = new URL(url);
  if (!/^\/[^/]+(?:\/[^/]+)?\/?$/.test(pathname)) return undefined;
  return patterns.find(({ hosts }) => hosts !== '' && new RegExp(hosts).test(hostname))?.icon;
}
