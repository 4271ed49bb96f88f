import { createHash } from 'node:crypto';
import { escapeHtml, escapeText } from '../../lib/html-text.ts';
import type { FileContent } from '../../platform/sites/file-cache.ts';
import { findNearest, pageAddress, releasePath, resolvePage, splitPath } from '../../platform/sites/locate-page.ts';
import type { SiteIndex } from '../../platform/sites/site-indexes.ts';

/** Where to go from the address of a page that is not in its version: texts, and URLs from the site's root. */
export interface GonePage {
  /** The nearest page above it; undefined where that is the home page, which each 404 page leads to. */
  readonly nearest: GoneLink | undefined;
  /** The versions of its language that have it, then other languages. */
  readonly elsewhere: readonly GoneLink[];
}

interface GoneLink {
  readonly text: string;
  readonly url: string;
}

/** As `client/elsewhere.ts` has it. */
const MAX_LINKS = 60;

/**
 * Looks for a page that is not at its path (from the site's root, decoded): the versions that have it there, which others lead to, if it
 * has moved in them. Undefined where none has.
 */
export function findGone(index: SiteIndex, path: string): GonePage | undefined {
  const place = index.single ? undefined : splitPath(index, path);
  if (!place) return undefined;
  const { lang, version, page } = place;
  const listed = [lang, ...index.languages.filter((code) => code !== lang)].flatMap((code) =>
    (index.versions.get(code) ?? []).map((name) => ({ code, name, pages: index.pagesOf(code, name) })),
  );
  const file = resolvePage(
    listed.map(({ pages }) => pages),
    page,
  );
  const seen = new Set<string>();
  const shown = listed.filter(({ code, pages }) => {
    const isShown = pages?.has(file) === true && !seen.has(code);
    // Of other languages, one version.
    if (isShown && code !== lang) seen.add(code);
    return isShown;
  });
  if (shown.length === 0) return undefined;
  const own = index.pagesOf(lang, version);
  const above = own ? pageAddress(findNearest(own, file)) : '';
  return {
    nearest: above === '' ? undefined : { text: decodeURI(above), url: releasePath(index, lang, version) + above },
    elsewhere: shown.slice(0, MAX_LINKS).map(({ code, name }) => ({
      text: code === lang ? name : `${code} (${name})`,
      url: releasePath(index, code, name) + pageAddress(file),
    })),
  };
}

/** The places that `not-found.njk` has for what its scripts find out. */
const NEAREST = /<p class="nearest awaits-script" hidden>([^<]*)<a><\/a><\/p>/;
const ELSEWHERE = /(<section class="elsewhere" aria-labelledby="_elsewhere") hidden>([\s\S]{0,500}?<ul>)<\/ul>/;

/** Returns a 404 page with where to go, for readers without scripts, too; `base` is the site's path, without a slash at its end. */
export function fillGonePage(page: string, { nearest, elsewhere }: GonePage, base: string): FileContent {
  const link = ({ text, url }: GoneLink): string => `<a href="${escapeHtml(`${base}/${url}`)}">${escapeText(text)}</a>`;
  const filled = page
    .replace(NEAREST, (all, words: string) => (nearest ? `<p class="nearest">${words}${link(nearest)}</p>` : all))
    .replace(ELSEWHERE, (_, start: string, words: string) => {
      const items = elsewhere.map((one) => `<li>${link(one)}</li>`);
      return `${start}>${words}${items.join('')}</ul>`;
    });
  const body = Buffer.from(filled);
  return { size: body.length, hash: createHash('sha256').update(body).digest('hex'), body, compressed: new Map() };
}
