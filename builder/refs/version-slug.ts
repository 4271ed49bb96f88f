import { createHash } from 'node:crypto';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';

/** Longest slug in UTF-8 bytes; file systems end at 255 bytes a name. */
const MAX_SLUG_BYTES = 200;

/** The alias that every site has beside its versions. */
export const LATEST_SLUG = 'latest';

/** Files that stand beside the versions. */
const TAKEN_SLUGS: ReadonlySet<string> = new Set(['index.html', '404.html']);

/** What no part of a path may hold. Git forbids all but the slash, but a server may still send it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[/\\\u0000-\u001F\u007F]|^\.{1,2}$/g;

/** Gives the name of a ref in paths and addresses: `/` becomes `-`; an overlong name is cut and ends in a hash of itself. */
export function versionSlug(refName: string): string {
  const slug = refName.replace(UNSAFE, '-');
  if (Buffer.byteLength(slug) <= MAX_SLUG_BYTES) return slug;
  const hash = createHash('sha256').update(refName).digest('hex').slice(0, 12);
  const head = Buffer.from(slug).subarray(0, MAX_SLUG_BYTES - hash.length - 1);
  return `${head.toString('utf8').replace(/\uFFFD+$/, '')}-${hash}`;
}

/**
 * Gives each ref's slug. Throws `slug-taken` when two refs meet in one slug, upper and lower case and Unicode forms
 * taken as equal, when a ref other than the latest one wants the slug `latest`, or when a file of the site has it.
 */
export function assignSlugs(refs: readonly Ref[], latest: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>([[LATEST_SLUG, latest]]);
  const slugs = new Map<string, string>();
  for (const ref of refs) {
    const slug = versionSlug(ref.name);
    const folded = slug.normalize('NFC').toLowerCase();
    if (TAKEN_SLUGS.has(folded)) {
      const message = `Ref "${ref.name}" cannot be published as "${slug}": the site has a file of that name; exclude it with --exclude`;
      throw new BuildError('slug-taken', message, { location: { ref: ref.name } });
    }
    const owner = owners.get(folded);
    if (owner !== undefined && owner !== ref.name) {
      throw new BuildError(
        'slug-taken',
        folded === LATEST_SLUG
          ? `Ref "${ref.name}" cannot be published as "${slug}": that is the alias of the latest version, "${owner}"; exclude it or choose it with --latest`
          : `Refs "${owner}" and "${ref.name}" would both be published as "${slug}"; exclude one of them with --exclude`,
        { location: { ref: ref.name } },
      );
    }
    owners.set(folded, ref.name);
    slugs.set(ref.name, slug);
  }
  return slugs;
}
