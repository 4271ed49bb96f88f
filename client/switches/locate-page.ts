import { findBase, followFrom, type VersionMoves } from '../../lib/follow-page.ts';
import { type Description, locateHome, type Place } from '../button/description.ts';

/** Parts of `versions.json` besides the description: paths of pages, lists of places in them, and the number of the list of a language's version. */
export interface VersionIndex extends Description {
  readonly paths?: readonly string[];
  readonly lists?: readonly (readonly number[])[];
  /** By the number of a list, places of translations, each before that of the page that it translates. */
  readonly moved?: Readonly<Record<number, readonly number[]>>;
  readonly pages?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** By language and version, see `VersionMoves`: a path is the number of its place. */
  readonly moves?: Readonly<Record<string, Readonly<Record<string, VersionMoves<number>>>>>;
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
  const nameOf = (version: string): string => (version === 'latest' ? latest : version);
  /** Returns a function that follows a page of a language to other versions; paths are numbers of their places. */
  const followIn = (lang: string, file: string) => {
    const has = (version: string, place: number): boolean => lists?.[numberOf(lang, version)]?.includes(place) === true;
    const moves = index.moves?.[lang];
    const isThere = (version: string): boolean => pages?.[lang]?.[version] !== undefined;
    const baseOf = (version: string) => findBase((name) => index.refs[name]?.base, isThere, version);
    const from = { version: nameOf(found ? found.version : ''), path: paths?.indexOf(file) ?? -1 };
    return followFrom(
      { baseOf, has, movesOf: (version) => moves?.[version] },
      from,
      (index.versions[lang] ?? []).map(nameOf),
    );
  };
  const follow = own ? followIn(own.lang, page) : undefined;
  const followOriginal = followIn(home.lang, original);
  const alternates = home.alternates.map(({ lang, version, url }) => {
    const number = numberOf(lang, version);
    const list = lists?.[number];
    const isOwn = own && lang === own.lang;
    const followed = isOwn ? follow!(nameOf(version)) : undefined;
    const originalThere = isOwn ? undefined : followOriginal(nameOf(version))?.path;
    const followedFile = followed && paths![followed.path]!;
    // A page that has kept its path may be a translation with a path of its own.
    const isMoved = followedFile !== undefined && followedFile !== page;
    const there = isMoved ? followedFile : pairedWith(number, paths?.[originalThere!] ?? original, 1);
    const isKnown = (file: string): boolean => list?.includes(paths!.indexOf(file)) === true;
    const exists = !list || ((!isOwn || !!followed || there !== page) && isKnown(there));
    let file = exists ? there : `${there}/`;
    while (!exists && file !== 'index.html' && !isKnown(file)) {
      const inner = file.replace(/\/index\.html$/, '');
      file = `${inner.slice(0, inner.lastIndexOf('/') + 1)}index.html`;
    }
    // Everything else is encoded when a URL is made of it.
    const address = (path: string): string =>
      (url + path).replace(/(^|\/)index\.html$/, '$1').replace(/[%?#]/g, encodeURIComponent);
    const sections = followed?.sections.map(([id, { path, section }]) => [
      id,
      `${address(paths![path]!)}#${encodeURIComponent(section)}`,
    ]);
    return {
      lang,
      version,
      url: address(file),
      exists,
      ...(followed?.section && { section: followed.section }),
      ...(sections?.[0] && { sections: Object.fromEntries(sections) as Record<string, string> }),
    };
  });
  return { ...home, ...own, alternates };
}
