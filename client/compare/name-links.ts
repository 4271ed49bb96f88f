import type { FoundDescription } from '../button/description.ts';

/**
 * Returns a function that names the targets of a page's links: equal where they lead to the same page of their versions, or to the same
 * address elsewhere but for the name of the version. Places in pages do not count: their names follow the headings.
 */
export function nameLinks({ site, versions, here }: FoundDescription, address: string): (url: URL) => string {
  const folder = /^[^/]*\/[^/]*\//;
  const own = address.slice(site.length);
  const slug = decodeURIComponent(own.split('/')[1] ?? '');
  const names = (versions[here.lang] ?? []).filter((name) => name.length > 2 && name !== 'latest');
  // `v1.2.0` and what it is called in addresses of other sites: `1.2.0`.
  const spelled = [slug, ...names]
    .flatMap((name) => [name, name.replace(/^v(?=\d)/, '')])
    .filter((name) => /\d/.test(name));
  const sorted = [...new Set(spelled)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    `(?<![\\w.])(?:${sorted.map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|')})(?![\\w.])`,
    'g',
  );
  return (url) => {
    const { href } = url;
    const path = href.split('#')[0]!;
    if (path.startsWith(site))
      return path
        .slice(site.length)
        .replace(folder, '')
        .replace(/(^|\/)index\.html$/, '$1');
    return sorted.length > 0 ? href.replace(pattern, '*') : href;
  };
}
