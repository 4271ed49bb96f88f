import { type Description, locateHome, type Place } from '../button/description.ts';

/** What `versions.json` has besides: paths of pages, lists of places in them, and the number of the list of a language's version. */
export interface VersionIndex extends Description {
  readonly paths?: readonly string[];
  readonly lists?: readonly (readonly number[])[];
  /** By the number of a list, places of translations, each before that of the page that it translates. */
  readonly moved?: Readonly<Record<number, readonly number[]>>;
  readonly pages?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Finds out where the page at `path` (from the site's root, decoded) is, and what takes its place in every language and
 * version: the same page, under the URL that it has there, else the index of its nearest ancestor folder, else the version's home. The
 * version may be one that does not exist (any longer).
 */
export function locatePage(index: VersionIndex, path: string): Place {
  const { latest, paths, lists, moved, pages } = index;
  const home = locateHome(index);
  // The last one: in a site with one version, the default language's address is empty and fits all.
  const found = [...home.alternates].reverse().find(({ url }) => `${path}/`.startsWith(url));
  const [lang, , ...rest] = path.split('/') as [string, ...string[]];
  const gone = !found &&
    !index.single &&
    index.versions[lang] &&
    rest[0] !== undefined && { lang, path: rest.join('/') };
  const own = found ? { ...found, path: path.slice(found.url.length) } : gone;
  const page = (own ? own.path : '').replace(/(^|\/)$/, '$1index').replace(/(\.html)?$/, '.html');
  const numberOf = (lang: string, version: string): number =>
    lists ? pages![lang]![version === 'latest' ? latest : version]! : -1;
  /** Finds the page that stands beside a page in the pairs of a list. */
  const pairedWith = (number: number, file: string, at: 0 | 1): string => {
    const pairs = moved?.[number] ?? [];
    const place = pairs.findIndex((one, i) => i % 2 === at && paths![one] === file);
    return place < 0 ? file : paths![pairs[place + 1 - 2 * at]!]!;
  };
  const original = found ? pairedWith(numberOf(found.lang, found.version), page, 0) : page;
  const alternates = home.alternates.map(({ lang, version, url }) => {
    const number = numberOf(lang, version);
    const list = lists?.[number];
    const there = pairedWith(number, original, 1);
    let file = there;
    while (file !== 'index.html' && !list?.includes(paths!.indexOf(file))) {
      file = file.replace(/[^/]*(\/index\.html)?$/, 'index.html');
    }
    // Everything else is encoded when a URL is made of it.
    const address = (url + file).replace(/(^|\/)index\.html$/, '$1').replace(/[%?#]/g, encodeURIComponent);
    return { lang, version, url: address, exists: !list || file === there };
  });
  return { ...home, ...own, alternates };
}
