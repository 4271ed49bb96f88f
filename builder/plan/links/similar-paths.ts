import { posix } from 'node:path';
import { findMeant } from '../../../lib/similar-names.ts';
import { folderOf } from '../../page-path.ts';

/** Finds the path that was probably meant by one which leads nowhere. */
export type SimilarPathFinder = (wanted: string) => string | undefined;

/** A folder has this many names at most that are compared, and a finder that many folders. */
const MAX_COMPARED = 5_000;
/** Most paths that are looked for; where more lead nowhere, something else is wrong than their spelling. */
const MAX_WANTED = 200;
/** Shorter names differ from others in one letter: `a.png`, `b.png`. */
const MIN_LENGTH = 3;
const PAGE_ENDING = /\.(?:md|markdown|mdx|html?)$/i;
const INDEX = /^(?:_?index|readme)$/;

/** Paths of one folder by their names, in small letters, pages without their endings. */
type Folder = ReadonlyMap<string, string>;

/**
 * Creates a finder among paths with `/`. The one that is meant has the same name and is the only one of it in another folder, or
 * has a name much like it in the same folder, or the same name in a folder whose path is much like it. Paths of pages may be
 * wanted without their endings, or with that of HTML.
 */
export function createSimilarPathFinder(paths: Iterable<string>): SimilarPathFinder {
  const folders = new Map<string, Map<string, string>>();
  const byName = new Map<string, string | null>();
  for (const path of paths) {
    const folder = folderOf(path);
    const name = nameOf(path);
    if (!folders.has(folder)) folders.set(folder, new Map());
    const names = folders.get(folder)!;
    if (!names.has(name) && names.size < MAX_COMPARED) names.set(name, path);
    byName.set(name, byName.has(name) ? null : path);
  }
  const known = new Map<string, string | undefined>();
  return (wanted) => {
    if (known.has(wanted)) return known.get(wanted);
    if (known.size === MAX_WANTED) return undefined;
    const similar = find(wanted);
    const found = similar === wanted ? undefined : similar;
    known.set(wanted, found);
    return found;
  };

  function find(wanted: string): string | undefined {
    const isFolder = wanted.endsWith('/');
    const path = isFolder ? `${wanted}index` : wanted;
    const [folder, name] = [folderOf(path), nameOf(path)];
    if (!INDEX.test(name)) {
      const named = byName.get(name);
      if (typeof named === 'string') return named;
      const own = folders.get(folder);
      const isLong = name.replace(/\.\w+$/, '').length >= MIN_LENGTH;
      const meant = own && isLong ? findMeant(name, own.keys()) : undefined;
      if (meant !== undefined) return own!.get(meant);
    }
    if (folders.has(folder) && !isFolder) return undefined;
    const meant = folder === '' ? undefined : findMeant(folder, [...folders.keys()].slice(0, MAX_COMPARED));
    return meant === undefined ? undefined : findIn(folders.get(meant)!, name);
  }
}

function findIn(folder: Folder, name: string): string | undefined {
  const names = INDEX.test(name) ? ['index', '_index', 'readme'] : [name];
  return names.map((one) => folder.get(one)).find((path) => path !== undefined);
}

function nameOf(path: string): string {
  return posix.basename(path).replace(PAGE_ENDING, '').toLowerCase();
}

/**
 * Returns the end of a message about a path that leads nowhere: the one that was probably meant, as its author would write it, or ''.
 * `wanted` is what the path means from the repository's root, `folder` that from which it counts.
 */
export function advisePath(
  written: string,
  place: { readonly wanted: string; readonly folder: string; readonly find: SimilarPathFinder },
): string {
  const found = place.find(place.wanted);
  return found === undefined ? '' : `: did you mean "${writeLike(written, { ...place, found })}"?`;
}

/**
 * Returns a path as an author would write it in place of a wrong one: from the root or from their folder, and with an ending only if
 * that one has any. `wanted` is what the wrong one meant, like `found` from the repository's root.
 */
export function writeLike(
  written: string,
  { wanted, found, folder }: { readonly wanted: string; readonly found: string; readonly folder: string },
): string {
  const isFromRoot = written.startsWith('/') && wanted.endsWith(written.slice(1));
  const root = isFromRoot ? wanted.slice(0, wanted.length - written.length + 1) : undefined;
  const path =
    root !== undefined && found.startsWith(root)
      ? `/${found.slice(root.length)}`
      : `${written.startsWith('./') ? './' : ''}${posix.relative(folder, found)}`.replace(/^\.\/(?=\.\.\/)/, '');
  const [ending] = PAGE_ENDING.exec(path) ?? [];
  if (ending === undefined || /\.(?:md|markdown|mdx)$/i.test(written)) return path;
  const stem = path.slice(0, -ending.length);
  return /\.html?$/i.test(written) ? `${stem}.html` : stem.replace(/(?<=^|\/)(?:_?index|readme)$/i, '') || './';
}
