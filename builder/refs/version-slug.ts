import { createHash } from 'node:crypto';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';

/** Longest slug in UTF-8 bytes; file systems end at 255 bytes a name. */
const MAX_SLUG_BYTES = 200;

/** The alias that every site has beside its versions. */
export const LATEST_SLUG = 'latest';

/** Files that stand beside the versions. */
const TAKEN_SLUGS: ReadonlySet<string> = new Set(['index.html', '404.html']);

/** Characters that are not allowed in a part of a path. Git forbids all but the slash, but a server may still send them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const UNSAFE = /[/\\\u0000-\u001F\u007F]|^\.{1,2}$/g;

/** Returns the name of a version in paths and URLs: `/` becomes `-`; an overlong name is cut and ends in a hash of itself. */
export function versionSlug(name: string): string {
  const slug = name.replace(UNSAFE, '-');
  if (Buffer.byteLength(slug) <= MAX_SLUG_BYTES) return slug;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  const head = Buffer.from(slug).subarray(0, MAX_SLUG_BYTES - hash.length - 1);
  return `${trimCharacters(head.toString('utf8'), '\uFFFD')}-${hash}`;
}

/** Slugs by the name of the ref, and why other refs have none. */
export interface AssignedSlugs {
  readonly slugs: ReadonlyMap<string, string>;
  readonly conflicts: ReadonlyMap<string, BuildError>;
}

/**
 * Returns each ref's slug, by what readers call it (`names`, see `nameVersions`). Where refs meet in one, upper and lower case and Unicode forms taken as equal, it is for the latest,
 * else for one of the `holders` (names of refs that have it already), else for the one that is named like it, else for the
 * first; the others get `slug-taken`, as does a ref that wants `latest` without being it, or the name of a file of the site.
 */
export function assignSlugs(
  refs: readonly Ref[],
  latest: string,
  {
    holders = new Set(),
    names = new Map(),
  }: { readonly holders?: ReadonlySet<string>; readonly names?: ReadonlyMap<string, string> } = {},
): AssignedSlugs {
  const nameOf = (name: string): string => names.get(name) ?? name;
  const rankOf = ({ name }: Ref): number => {
    if (name === latest) return 0;
    return (holders.has(name) ? 1 : 3) + (versionSlug(nameOf(name)) === name ? 0 : 1);
  };
  const owners = new Map<string, string>([[LATEST_SLUG, latest]]);
  const slugs = new Map<string, string>();
  const conflicts = new Map<string, BuildError>();
  for (const { name } of [...refs].sort((a, b) => rankOf(a) - rankOf(b))) {
    const slug = versionSlug(nameOf(name));
    const folded = slug.normalize('NFC').toLowerCase();
    const owner = owners.get(folded);
    const obstacle = TAKEN_SLUGS.has(folded)
      ? `the site has a file of that name; exclude it with ${markOptions('exclude')}`
      : owner === undefined || owner === name
        ? undefined
        : folded === LATEST_SLUG
          ? `that is the alias of the latest version, "${owner}"; exclude it with ${markOptions('exclude')}, or choose it with ${markOptions('latest')}`
          : `so is "${owner}"; exclude one of them with ${markOptions('exclude')}`;
    if (obstacle === undefined) {
      owners.set(folded, name);
      slugs.set(name, slug);
    } else {
      const message = `Ref "${name}" cannot be published as "${slug}": ${obstacle}`;
      conflicts.set(name, new BuildError('slug-taken', message, { location: { ref: name } }));
    }
  }
  return { slugs, conflicts };
}
