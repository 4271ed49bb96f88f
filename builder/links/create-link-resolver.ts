import type { LinkSlot, WarningCode } from '../model.ts';
import { joinPath, splitUrl } from './resolve-url.ts';

/** A page that links may lead to, as seen from one language's release. */
export interface LinkTarget {
  /** Percent-encoded address from the release's root, or for another language's page from the site's root. */
  readonly address: string;
  /** Whether the page lies in another release, so that `address` counts from the site's root. */
  readonly isElsewhere: boolean;
  /** Ids that a fragment may name; undefined = not known. */
  readonly ids: ReadonlySet<string> | undefined;
}

/** What a link or image turned out to be. */
export interface LinkOutcome {
  /** What to write into the page. */
  readonly url: string;
  readonly problem: { readonly code: WarningCode; readonly message: string } | undefined;
  /** Path (from the repository's root) of a file that has to travel with the page. */
  readonly file: string | undefined;
}

/** What the resolver asks about the ref; all paths are from the repository's root. */
export interface LinkWorld {
  /** Source folder with a final `/`, or ''. */
  readonly sourceFolder: string;
  /** Gives the page that a file becomes, as the current release sees it. */
  readonly findPage: (file: string) => LinkTarget | undefined;
  readonly hasFile: (file: string) => boolean;
  /** Whether a file that exists is none of the documentation's own. */
  readonly isOutside: (file: string) => boolean;
  readonly hasFolder: (folder: string) => boolean;
  /** Percent-encoded address from the release's root under which a file that is no page travels. */
  readonly placeFile: (file: string) => string;
  /** Gives the address of a file or folder at the code host, or undefined when there is none. */
  readonly hostUrl: (path: string, isFolder: boolean) => string | undefined;
}

/** Where the page stands that holds the links. */
export interface LinkPlace {
  /** Folder of its file, with a final `/`. */
  readonly folder: string;
  /** Folder of its language, with a final `/`; the source folder when languages have no folders. */
  readonly languageFolder: string;
  /** Prefix that leads from the page to its release's root, and to the site's root. */
  readonly root: string;
  readonly siteRoot: string;
  readonly ids: ReadonlySet<string>;
}

const PAGE_ENDINGS = ['.md', '.markdown', '.mdx'];
const INDEX_NAMES = ['index', 'README', 'readme', 'Readme', 'ReadMe', 'Index', 'INDEX'].flatMap((name) =>
  [...PAGE_ENDINGS, '.MD'].map((ending) => name + ending),
);
const PUBLIC_FOLDERS = ['public/', 'static/'];

/**
 * Gives a function that finds out where a link leads. Links may be written as on disk (`../a.md`), as on the site
 * (`../a.html`, `../a`), to folders, and from the root (`/a` means the language's folder, the source folder, its
 * `public/` or `static/`, or the repository). What leads nowhere stays as written and is reported.
 */
export function createLinkResolver(world: LinkWorld): (slot: LinkSlot, place: LinkPlace) => LinkOutcome {
  const found = new Map<string, LinkTarget | undefined>();
  return (slot, place) => {
    const { path, query, fragment, directive } = splitUrl(slot.url);
    const rest = query + encodeFragment(fragment, directive);
    if (path === '') return checkAnchor(slot.url, fragment, place.ids, 'this page');
    for (const candidate of listCandidates(path, place, world.sourceFolder)) {
      const page = findOnce(candidate);
      if (page) {
        const url = (page.isElsewhere ? place.siteRoot : place.root) + page.address + rest;
        return checkAnchor(url, fragment, page.ids, `page "${candidate}"`);
      }
      const file = [candidate, indexOf(candidate)].find(world.hasFile);
      if (file !== undefined) return toFile(file, slot, place, rest);
    }
    return toFolderOrNowhere(slot, path, place);
  };

  /** Pages link to the same few places over and over. */
  function findOnce(path: string): LinkTarget | undefined {
    if (!found.has(path)) found.set(path, findPageAt(path));
    return found.get(path);
  }

  function findPageAt(path: string): LinkTarget | undefined {
    const isFolder = path === '' || path.endsWith('/');
    if (!isFolder) {
      const stem = path.replace(/\.html?$/i, '');
      for (const file of [path, ...PAGE_ENDINGS.map((ending) => stem + ending)]) {
        const page = world.findPage(file);
        if (page) return page;
      }
    }
    // An index that another one hides (`README.md` beside `index.md`) is the same place.
    const stem = isFolder
      ? path
      : path.replace(/(?:^|\/)(?:index(?:\.html?)?|(?:index|readme)\.(?:md|markdown|mdx))$|\.html?$/i, '');
    const folder = stem === '' || stem.endsWith('/') ? stem : `${stem}/`;
    for (const name of INDEX_NAMES) {
      const page = world.findPage(folder + name);
      if (page) return page;
    }
    return isFolder && path !== '' ? findPageAt(path.slice(0, -1)) : undefined;
  }

  function toFile(file: string, slot: LinkSlot, place: LinkPlace, rest: string): LinkOutcome {
    const hosted = slot.kind === 'link' && world.isOutside(file) ? world.hostUrl(file, false) : undefined;
    if (hosted !== undefined) return { url: hosted + rest, problem: undefined, file: undefined };
    return { url: place.root + world.placeFile(file) + rest, problem: undefined, file };
  }

  function toFolderOrNowhere(slot: LinkSlot, path: string, place: LinkPlace): LinkOutcome {
    if (slot.kind === 'link' && !path.startsWith('/')) {
      const folder = joinPath(place.folder, path)?.replace(/\/$/, '');
      const hosted =
        folder !== undefined && (folder === '' || world.hasFolder(folder)) ? world.hostUrl(folder, true) : undefined;
      if (hosted !== undefined) return { url: hosted, problem: undefined, file: undefined };
    }
    const problem =
      slot.kind === 'link'
        ? { code: 'dead-link' as const, message: `Link "${shorten(slot.url)}" leads to no page or file` }
        : { code: 'missing-file' as const, message: `File "${shorten(slot.url)}" does not exist` };
    return { url: slot.url, problem, file: undefined };
  }
}

/** Returns the files and folders that a path in a page's link may mean, the most likely first, from the repository's root. */
export function listCandidates(
  path: string,
  place: Pick<LinkPlace, 'folder' | 'languageFolder'>,
  sourceFolder: string,
): readonly string[] {
  if (!path.startsWith('/')) return keepInside([joinPath(place.folder, path)]);
  const roots = [place.languageFolder, sourceFolder];
  const withPublic = roots.flatMap((root) => [root, ...PUBLIC_FOLDERS.map((folder) => root + folder)]);
  return [...new Set(keepInside([...withPublic, ''].map((root) => joinPath(root, path.replace(/^\/+/, '')))))];
}

/** Returns the page of HTML that web servers show for a folder. */
export function indexOf(folder: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}index.html` : `${folder}/index.html`;
}

function checkAnchor(
  url: string,
  fragment: string | undefined,
  ids: ReadonlySet<string> | undefined,
  where: string,
): LinkOutcome {
  const isKnown = !fragment || fragment === 'top' || ids === undefined || ids.has(fragment);
  const problem = isKnown
    ? undefined
    : { code: 'dead-anchor' as const, message: `Anchor "#${shorten(fragment)}" does not exist in ${where}` };
  return { url, problem, file: undefined };
}

function keepInside(paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined);
}

function encodeFragment(fragment: string | undefined, directive: string): string {
  if (fragment === undefined) return '';
  return `#${encodeURIComponent(wellFormed(fragment))}${encodeURI(wellFormed(directive)).replace(/%25(?=[0-9a-f]{2})/gi, '%')}`;
}

/** Half a surrogate pair, which YAML can write, cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
