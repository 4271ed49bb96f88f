import type { Description, Place } from './description.ts';

/**
 * Finds out where the page at `path` (from the site's root, decoded) is, and what takes its place in every language and
 * version: the same page, else the index of its nearest ancestor folder, else the version's home. Where the description
 * has no pages, that is the home, taken to be meant.
 */
export function locatePage({ versions, refs, single, latest, paths, lists, pages }: Description, path: string): Place {
  const alternates = Object.entries(versions).flatMap(([lang, names], index) =>
    names.map((version) => ({
      lang,
      version,
      url: single ? (index ? `${lang}/` : '') : `${lang}/${refs[version]?.slug ?? version}/`,
      exists: true,
    })),
  );
  // The last one: in a site with one version, the default language's address is empty and fits all.
  const found = [...alternates].reverse().find(({ url }) => `${path}/`.startsWith(url));
  const page = (found ? path.slice(found.url.length) : '').replace(/(^|\/)$/, '$1index').replace(/(\.html)?$/, '.html');
  for (const alternate of alternates) {
    const { lang, version, url } = alternate;
    const list = lists?.[pages![lang]![version === 'latest' ? latest : version]!];
    let file = page;
    while (file !== 'index.html' && !list?.includes(paths!.indexOf(file))) {
      file = file.replace(/[^/]*(\/index\.html)?$/, 'index.html');
    }
    alternate.exists = !list || file === page;
    // Everything else is encoded when a URL is made of it.
    alternate.url = (url + file).replace(/(^|\/)index\.html$/, '$1').replace(/[%?#]/g, encodeURIComponent);
  }
  return { ...(found ?? alternates[0]!), alternates };
}
