import type { Page } from '../../source/pages/collect-pages.ts';
import { parseAddress } from '../../source/pages/page-address.ts';

/** Who stands where in a release: a path is taken by one file, and a file is never on the way to another. */
export interface PathRegistry {
  isFree(path: string): boolean;
  /** Takes a path; false when it is not free. */
  claim(path: string): boolean;
}

/**
 * Creates the claims of one release; `reserved` folders, with a final `/`, are never free. Paths that some file system takes for
 * the same are one.
 */
export function createPathRegistry(reserved: readonly string[] = []): PathRegistry {
  const files = new Set<string>();
  const reservedFolders = reserved.map(fold);
  const folders = new Set<string>(reservedFolders.map((folder) => folder.slice(0, -1)));
  const isFree = (folded: string): boolean => {
    if (files.has(folded) || folders.has(folded)) return false;
    if (reservedFolders.some((folder) => folded.startsWith(folder))) return false;
    return !listFolders(folded).some((folder) => files.has(folder));
  };
  return {
    isFree: (path) => isFree(fold(path)),
    claim(path) {
      const folded = fold(path);
      if (!isFree(folded)) return false;
      files.add(folded);
      for (const folder of listFolders(folded)) folders.add(folder);
      return true;
    },
  };
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the folders a path lies in: `a/b/c` → `a/b`, `a`. */
function listFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}

/** A redirect as the author wrote it, or one that leads to a page. */
export interface Redirect {
  readonly from: string;
  readonly to: string | Page;
}

/** Redirects by the path of the file each becomes, and why others are left out. */
export interface PlacedRedirects {
  readonly redirects: ReadonlyMap<string, Redirect>;
  /** `page` is the one whose front matter has the redirect; undefined for those of the project file. */
  readonly problems: readonly { readonly page: Page | undefined; readonly message: string }[];
}

/** Places the redirects of the project file and those to a release's pages where a path is free, and takes those paths. */
export function placeRedirects(
  redirects: Readonly<Record<string, string>>,
  pages: readonly Page[],
  claims: PathRegistry,
): PlacedRedirects {
  const placed = new Map<string, Redirect>();
  const owners = new Map(pages.map((page) => [page.output, page]));
  const problems: PlacedRedirects['problems'][number][] = [];
  const place = (output: string | undefined, redirect: Redirect, page: Page | undefined): void => {
    const other = output === undefined ? undefined : placed.get(output);
    // Pages that share a list of old addresses: what is said of one is not said of each.
    if (other && other.to === redirect.to) return;
    if (output !== undefined && claims.claim(output)) {
      placed.set(output, redirect);
      return;
    }
    const owner = output === undefined ? undefined : owners.get(output);
    const reason =
      output === undefined
        ? 'no page can have that URL'
        : owner
          ? `"${owner.file}" has that URL`
          : other && typeof other.to !== 'string'
            ? `it leads to "${other.to.file}"`
            : 'that URL is taken';
    problems.push({ page, message: `Redirect from "${redirect.from}" ignored: ${reason}` });
  };
  for (const [from, to] of Object.entries(redirects)) place(parseAddress(from, ''), { from, to }, undefined);
  for (const page of pages) {
    for (const alias of page.aliases) place(alias, { from: alias, to: page }, page);
  }
  return { redirects: placed, problems };
}
