import { createFileList, isSameGroup, type SiteFiles } from './site-files.ts';

/*
 * A page that a reader has open loads some of the theme's files later, such as the script of the search, when another site may have
 * replaced the page's own. Publishing therefore keeps the files that a change of the theme replaces until the theme changes again.
 */

/** Matches the theme's files, which have a hash of their content in their names (see `nameByContent`); that of search indexes is longer. */
const IS_THEME = /^_docbuild(?:-scripts)?\/(?:diagrams\/)?[\w.-]+\.(?:[0-9a-f]{8}|[0-9A-Z]{8})\.\w+$/;
/** The group of files that are kept; names of releases have a slash. */
const FORMER = 'former';

/** Paths of files, from the site's root, with what stands for their content. */
type Files<Content> = readonly (readonly [path: string, content: Content])[];

/**
 * Returns the files of a published site that are kept beside a new one. `published` are the lists of files at its root; one that has
 * only files of the theme has those that were kept before. Publishing the same site again keeps the same files.
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

/** Adds the files of the published site that are kept to a site, in its first part. */
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

export function withoutFormer(site: SiteFiles): SiteFiles {
  return new Map([...site].filter(([name]) => name !== FORMER));
}
