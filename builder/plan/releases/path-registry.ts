import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import { safeUrl } from '../../compose/safe-url.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { parseAddress } from '../../source/pages/page-address.ts';
import type { LinkOutcome } from '../links/create-link-resolver.ts';
import { splitUrl } from '../links/link-candidates.ts';

/** The paths of a release: each belongs to one file, and no file's path is the folder of another. */
export interface PathRegistry {
  isFree(path: string): boolean;
  /** Claims a path; false if it is not free. */
  claim(path: string): boolean;
}

/**
 * Creates the registry of one release; `reserved` folders, with a final `/`, are never free. Paths that are equal on
 * some file system are equal here.
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

/** Returns the folders that contain a path: `a/b/c` → `a/b`, `a`. */
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
  /** In the project file, or in the page's front matter; 0 = unknown. */
  readonly line: number;
}

/** Redirects by their output paths, and the reasons why others are left out. */
export interface PlacedRedirects {
  readonly redirects: ReadonlyMap<string, Redirect>;
  /** `page` is the one whose front matter has the redirect; undefined for those of the project file. */
  readonly problems: readonly {
    readonly page: Page | undefined;
    readonly line: number;
    readonly message: string;
  }[];
}

/** Places the redirects of the project file and of a release's pages at free paths, and claims those. */
export function placeRedirects(
  redirects: readonly Redirect[],
  pages: readonly Page[],
  claims: PathRegistry,
): PlacedRedirects {
  const placed = new Map<string, Redirect>();
  const owners = new Map(pages.map((page) => [page.output, page]));
  const problems: PlacedRedirects['problems'][number][] = [];
  const place = (output: string | undefined, redirect: Redirect, page: Page | undefined): void => {
    const other = output === undefined ? undefined : placed.get(output);
    // Limit of pages with the same list of old URLs: they share their problems.
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
    problems.push({ page, line: redirect.line, message: `Redirect from "${redirect.from}" ignored: ${reason}` });
  };
  for (const redirect of redirects) place(parseAddress(redirect.from, ''), redirect, undefined);
  for (const page of pages) {
    for (const { output, line } of page.aliases) place(output, { from: output, to: page, line }, page);
  }
  return { redirects: placed, problems };
}

/** Redirects that one may lead through: as many as browsers follow. */
const MAX_HOPS = 20;

/** Where a redirect leads; without a URL it is left out. */
interface RedirectTarget {
  readonly url: string | undefined;
  readonly file: string | undefined;
  readonly problem: LinkOutcome['problem'];
}

/**
 * Returns where a redirect of a release leads, through other redirects, of which readers thus see one at most. `resolve` resolves a link
 * from the release's root, to which `root` leads from the place of the redirect; `followed` has what links lead to that are redirects, for
 * all redirects of the release.
 */
export function resolveRedirect(
  { from, to }: Redirect,
  redirects: ReadonlyMap<string, Redirect>,
  {
    root,
    resolve,
    followed,
  }: {
    readonly root: string;
    readonly resolve: (url: string) => LinkOutcome;
    readonly followed: Map<string, Redirect>;
  },
): RedirectTarget {
  const seen = new Set<Redirect>();
  let target = to;
  for (;;) {
    if (typeof target !== 'string')
      return { url: root + pageAddress(target.output), file: undefined, problem: undefined };
    if (isAbsoluteUrl(target)) {
      if (safeUrl(target) === target) return { url: target, file: undefined, problem: undefined };
      return leaveOut(`"${target.slice(0, 200)}" is not an address that a redirect may lead to`);
    }
    const { path, fragment } = splitUrl(target);
    let next = followed.get(path);
    if (!next) {
      const outcome = resolve(target);
      const output = outcome.problem?.code === 'dead-link' ? parseAddress(path, '') : undefined;
      next = output === undefined ? undefined : redirects.get(output);
      if (!next) return { ...outcome, problem: describe(outcome.problem) };
      followed.set(path, next);
    }
    if (seen.has(next)) return leaveOut(`it leads in a circle through "${next.from}"`);
    if (seen.size >= MAX_HOPS)
      return leaveOut(`it leads through more than ${MAX_HOPS} others; name the page that it is to lead to`);
    seen.add(next);
    target =
      typeof next.to === 'string' && fragment !== undefined && !next.to.includes('#')
        ? `${next.to}#${fragment}`
        : next.to;
  }

  function describe(problem: LinkOutcome['problem']): LinkOutcome['problem'] {
    return problem && { ...problem, message: `Redirect from "${from}": ${problem.message}` };
  }

  function leaveOut(reason: string): RedirectTarget {
    const message = `Redirect from "${from}" ignored: ${reason}`;
    return { url: undefined, file: undefined, problem: { code: 'bad-address', message } };
  }
}
