import { createFileList, isSameGroup, type SiteFiles } from './site-files.ts';

/*
 * Pages that readers have open load some files of the theme later, such as the script of the search, from the site that has taken
 * the place of theirs. So those stay that the theme had before it changed, until it changes again: one generation.
 */

/** Files of the theme: their names have a hash of their content. What is searched has longer hashes. */
const IS_THEME = /^_docbuild\/(?:diagrams\/)?[\w.-]+\.(?:[0-9a-f]{8}|[0-9A-Z]{8})\.\w+$/;
/** The group of files that stay; releases have names with a slash. */
const FORMER = 'former';

/** Paths of files, from the site's root, with what stands for their content. */
type Files<Content> = readonly (readonly [path: string, content: Content])[];

/**
 * Returns the files that stay of a published site beside a new one with these paths. `published` are its files by list; a list of
 * nothing but the theme's files has those that stayed before. The same site changes nothing.
 */
export function findFormer<Content>(
  isOfSite: (path: string) => boolean,
  published: readonly Files<Content>[],
): Files<Content> {
  const isMissing = ([path]: readonly [string, unknown]): boolean => IS_THEME.test(path) && !isOfSite(path);
  const former = published.filter((files) => files.every(([path]) => IS_THEME.test(path)));
  const gone = published.filter((files) => !former.includes(files)).flatMap((files) => files.filter(isMissing));
  return gone.length > 0 ? gone : former.flatMap((files) => files.filter(isMissing));
}

/** A site and the groups of each of its parts, see `PublishOptions.parts`. */
interface DividedSite {
  readonly site: SiteFiles;
  readonly parts: ReadonlyMap<string, readonly string[]>;
}

/** Adds to a site the files of the published one that stay, in the first part. */
export function keepFormer({ site, parts }: DividedSite, published: SiteFiles | undefined): DividedSite {
  const atRoot = (files: SiteFiles, other: SiteFiles) =>
    [...files].filter(([name, group]) => group.prefix === '' && !isSameGroup(group, other.get(name)));
  const changed = published ? atRoot(published, site) : [];
  if (changed.length === 0) return { site, parts };
  const paths = new Set(
    [...site.values()].flatMap(({ prefix, list }) => (prefix === '' ? list.files : [])).map(([path]) => path),
  );
  const kept = findFormer(
    (path) => paths.has(path),
    changed.map(([, { list }]) => list.files),
  );
  const [first] = parts;
  if (kept.length === 0 || !first) return { site, parts };
  return {
    site: new Map([...site, [FORMER, { prefix: '', list: createFileList(kept) }]]),
    parts: new Map([...parts, [first[0], [...first[1], FORMER]]]),
  };
}

/** Returns the groups of a site, without the files that stayed of another one. */
export function withoutFormer(site: SiteFiles): SiteFiles {
  return new Map([...site].filter(([name]) => name !== FORMER));
}
