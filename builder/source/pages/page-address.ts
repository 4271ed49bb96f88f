import { trimCharacters } from '../../../lib/trim-characters.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { judgeEntryName } from '../../entry-name.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import { folderOf, isIndexPage } from '../../page-path.ts';
import type { WantedAddress } from './page-meta.ts';

/** Longest path of a page in bytes, as for files. */
const MAX_PATH_BYTES = 700;
/** Where docbuild puts files of its own. */
const OUR_NAMES = /^_(?:files|docbuild)$/i;

/** Returns the path of a page's HTML file if its front matter sets no URL. */
export function defaultOutput(place: string, generator: Generator | undefined): string {
  return rulesOf(generator).addresses?.rename?.(place) ?? place;
}

/**
 * Returns the path of a page's HTML file at the URL in its front matter, or undefined for a URL that no page can have.
 * `path` is the page's file below the folder of its language; `languageFolder` is the name of that folder, if any, with
 * which URLs may begin.
 */
export function wantedOutput(
  { kind, path }: Pick<WantedAddress, 'kind' | 'path'>,
  page: {
    readonly path: string;
    readonly usual: string;
    readonly generator: Generator | undefined;
    readonly languageFolder: string | undefined;
  },
): string | undefined {
  const { usual, generator } = page;
  const folder = folderOf(usual);
  if (kind === 'beside') return parseAddress(path, folder);
  if (kind === 'name') {
    if (!isIndexPage(page.path)) return parseAddress(path, folder, true);
    // The folder of a single page is named by it; that of a section or a list is not.
    const isBundle =
      !rulesOf(generator).addresses?.hasNoBundles && /(?:^|\/)index\.[^/]*$/i.test(page.path) && folder !== '';
    if (!isBundle) return usual;
    const named = parseAddress(path, folderOf(folder.slice(0, -1)), true);
    return named?.replace(/(?:\/index)?\.html$/, '/index.html');
  }
  const whole = parseAddress(path, '');
  const language = page.languageFolder === undefined ? undefined : `${page.languageFolder}/`;
  return language !== undefined && whole?.toLowerCase().startsWith(language.toLowerCase())
    ? whole.slice(language.length)
    : whole;
}

/**
 * Returns the path of the HTML file at a URL as people write it, from a folder with a final `/` or from the root:
 * `/a/b/` → `a/b/index.html`, `a/b` → `a/b.html`. Undefined for URLs of other hosts, of files that are not pages, with
 * placeholders, and with names that are unsafe on some file system.
 */
export function parseAddress(address: string, folder: string, isName = false): string | undefined {
  const written = decode(address)?.normalize('NFC');
  if (written === undefined || isAbsoluteUrl(written) || /[?#\\]|(?:^|\/):/.test(written)) return undefined;
  if (isName && trimCharacters(written, '/', { both: true }).includes('/')) return undefined;
  const parts: string[] = [];
  for (const part of `${written.startsWith('/') ? '' : folder}${written}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  if (parts.some((part) => judgeEntryName(part).verdict !== 'ok' || part.startsWith('.'))) return undefined;
  const isFolder = parts.length === 0 || /(?:^|\/)\.{0,2}$/.test(written);
  const path = parts.join('/');
  if (OUR_NAMES.test(parts[0] ?? '') || Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined;
  if (isFolder) return path === '' ? 'index.html' : `${path}/index.html`;
  if (/\.(?:xml|json|txt|js|mjs|css|svg|png|jpe?g|gif|webp|pdf|rss|atom|ya?ml|zip|ico)$/i.test(path)) return undefined;
  return `${path.replace(/\.(?:html?|md|markdown|mdx)$/i, '')}.html`;
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
