/** Returns `robots.txt`: everything may be read; the sitemap is named where there is one. */
export function buildRobots(sitemapUrl: string | undefined): string {
  return `User-agent: *\nAllow: /\n${sitemapUrl === undefined ? '' : `Sitemap: ${sitemapUrl}\n`}`;
}
