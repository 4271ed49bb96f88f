import MarkdownIt from 'markdown-it';
import { once } from '../../../lib/once.ts';
import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { HeaderEntry } from '../../compose/page-model.ts';
import type { NavigationNode } from '../../compose/render-sidebar.ts';
import type { ThemeModel } from '../../compose/theme.ts';
import { chooseText } from '../../language-tag.ts';
import { isPageFile, pageOutputPath } from '../../page-path.ts';
import type { Language } from '../../source/languages.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { HostUrlPatterns } from '../links/host-urls.ts';
import type { ThemeLink } from '../project-file-schema.ts';
import type { SiteSettings } from '../site-options.ts';
import { selectFonts } from '../theme/font-faces.ts';
import { createAddressBook } from './address-book.ts';

/** Folders are the header's navigation if there are this many, and their titles fit into a line. */
const FOLDERS = { least: 2, most: 6, characters: 48 };

export interface HeaderScope {
  readonly settings: Pick<SiteSettings, 'theme' | 'codeHosts' | 'baseUrl'>;
  readonly languages: readonly Pick<Language, 'code'>[];
}

/**
 * Returns the look of a page with the links that the project file lists: those of the header, and those of the footer. `find`
 * returns the URL of a page or file, undefined where there is none; such a link is left out, and a menu of which nothing remains.
 */
export function placeTheme(
  { settings, languages, theme: createTheme }: HeaderScope & { theme(siteRoot: string): ThemeModel },
  { siteRoot, language }: { readonly siteRoot: string; readonly language: Pick<Language, 'key' | 'tag'> },
  find: (url: string) => string | undefined,
): { readonly theme: ThemeModel; readonly header: readonly HeaderEntry[] } {
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
  const header = (theme.links ?? []).flatMap(visit);
  const words = chooseText(theme.footer?.text, language.key);
  const text =
    words === undefined ? [] : readLine(words).map((part) => ({ ...part, url: part.url && place(part.url) }));
  const columns = (theme.footer?.columns ?? []).flatMap(visit);
  const footer = text.length > 0 || columns.length > 0 ? { text, columns } : undefined;
  const look = createTheme(siteRoot);
  return { theme: { ...look, footer, fonts: selectFonts(look.fonts, language.tag) }, header };
}

/** A part of a line of text; with a URL it is a link. */
interface LinePart {
  readonly title: string;
  readonly url: string | undefined;
}

const markdown = once(() => new MarkdownIt('commonmark', { html: false }));

/** Returns the text and the links of a line of Markdown, without what else it may mark. */
function readLine(line: string): readonly LinePart[] {
  const parts: LinePart[] = [];
  let url: string | undefined;
  for (const token of markdown().parseInline(line, {})[0]?.children ?? []) {
    if (token.type === 'link_open') url = String(token.attrGet('href') ?? '');
    else if (token.type === 'link_close') url = undefined;
    const title = /break$/.test(token.type) ? ' ' : token.content;
    if (title === '') continue;
    const last = parts.at(-1);
    if (last && last.url === url) parts[parts.length - 1] = { title: last.title + title, url };
    else parts.push({ title, url });
  }
  return parts;
}

export interface HeaderProblem {
  readonly path: readonly PropertyKey[];
  readonly code: 'dead-link' | 'project-file';
  readonly message: string;
}

/** Returns the links of header and footer that lead to no page or file, and the icons that nobody has drawn; `find` as above, `advise` returns the end of a message. */
export function listHeaderProblems(
  { settings, languages }: HeaderScope,
  find: (url: string) => string | undefined,
  advise: (url: string) => string,
): readonly HeaderProblem[] {
  const icons = [...new Set((settings.codeHosts ?? []).map(({ id }) => id))].sort();
  const isDead = (url: string): boolean => !isAbsoluteUrl(url) && !isOfSite(url, languages) && find(url) === undefined;
  const visit =
    (above: readonly PropertyKey[]) =>
    ({ url, icon, links = [] }: ThemeLink, index: number): readonly HeaderProblem[] => {
      const path = [...above, index];
      const problems: HeaderProblem[] = [];
      if (url !== undefined && isDead(url)) {
        const message = `Link "${url}" of the ${above[1] === 'links' ? 'header' : 'footer'} leads to no page or file${advise(url)}`;
        problems.push({ path: [...path, 'url'], code: 'dead-link', message });
      }
      if (icon !== undefined && !icons.includes(icon)) {
        const message = `There is no icon "${icon}": ${icons.length > 0 ? `write one of ${icons.join(', ')}` : 'no code host is known'}`;
        problems.push({ path: [...path, 'icon'], code: 'project-file', message });
      }
      return [...problems, ...links.flatMap(visit([...path, 'links']))];
    };
  const { links, footer } = settings.theme;
  const texts = typeof footer?.text === 'object' ? Object.values(footer.text) : [footer?.text ?? ''];
  const dead = [
    ...new Set(texts.flatMap(readLine).flatMap(({ url }) => (url !== undefined && isDead(url) ? [url] : []))),
  ];
  return [
    ...(links ?? []).flatMap(visit(['theme', 'links'])),
    ...(footer?.columns ?? []).flatMap(visit(['theme', 'footer', 'columns'])),
    ...dead.map((url) => ({
      path: ['theme', 'footer'],
      code: 'dead-link' as const,
      message: `Link "${url}" of the footer leads to no page or file${advise(url)}`,
    })),
  ];
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
