import { escapeHtml } from '../../lib/html-text.ts';

/** A page of `latest` in one language; URLs are absolute. */
export interface SitemapPage {
  readonly url: string;
  /** The same page in all languages that have a translation, this one included, the default one's first; empty when there is only one. */
  readonly alternates: readonly { readonly tag: string; readonly url: string }[];
}

/** A sitemap may hold this many URLs (sitemaps.org). */
const MAX_URLS = 50_000;

/**
 * Returns the sitemap files by name: one `sitemap.xml`, or an index and its parts when there are more than 50,000 pages.
 * Format: https://www.sitemaps.org/protocol.html with `xhtml:link` for languages.
 */
export function buildSitemaps(pages: readonly SitemapPage[], baseUrl: string): ReadonlyMap<string, string> {
  if (pages.length <= MAX_URLS) return new Map([['sitemap.xml', urlSet(pages)]]);
  const files = new Map<string, string>();
  for (let part = 0; part * MAX_URLS < pages.length; part++) {
    files.set(`sitemap-${part + 1}.xml`, urlSet(pages.slice(part * MAX_URLS, (part + 1) * MAX_URLS)));
  }
  const rows = [...files.keys()].map((name) => `<sitemap><loc>${escapeHtml(baseUrl + name)}</loc></sitemap>\n`);
  const index = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${rows.join('')}</sitemapindex>\n`;
  return new Map([['sitemap.xml', `<?xml version="1.0" encoding="UTF-8"?>\n${index}`], ...files]);
}

function urlSet(pages: readonly SitemapPage[]): string {
  const rows = pages.map(({ url, alternates }) => {
    const [first] = alternates;
    const links = [...alternates, ...(first ? [{ tag: 'x-default', url: first.url }] : [])].map(
      ({ tag, url: other }) =>
        `<xhtml:link rel="alternate" hreflang="${escapeHtml(tag)}" href="${escapeHtml(other)}"/>`,
    );
    return `<url><loc>${escapeHtml(url)}</loc>${links.join('')}</url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${rows.join('')}</urlset>\n`;
}

/** Returns `robots.txt`: everything may be read; the sitemap is named where there is one. */
export function buildRobots(sitemapUrl: string | undefined): string {
  return `User-agent: *\nAllow: /\n${sitemapUrl === undefined ? '' : `Sitemap: ${sitemapUrl}\n`}`;
}

/** Returns the path of the site that a `robots.txt` of `buildRobots` was made for: '' = the root of its host, otherwise e.g. `/guide`. */
export function findBasePath(robots: string): string {
  const [, url = ''] = /^Sitemap: (\S+)\/sitemap\.xml$/m.exec(robots) ?? [];
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, '') : '';
}
