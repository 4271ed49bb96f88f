import { type BoundedMap, createBoundedMap } from '../../../lib/bounded-map.ts';

/** Folders for URLs that begin with `/`; from the repository's root with a final `/`, or ''. */
export interface LinkRoots {
  readonly sourceFolder: string;
  /** Folder of the default language, in which files are looked for that another language's folder lacks. */
  readonly defaultFolder: string;
  /** Folders of all languages that have one. */
  readonly languageFolders: readonly string[];
  /** Folders whose files a generator publishes at the root of its site. */
  readonly statics: readonly string[];
  /** Prefixes of the URLs of the generator's site, the longest first: `/guide/`, `/`. */
  readonly bases: readonly string[];
  /** Whether the generator publishes each page in its own folder, to which URLs in raw HTML are relative. */
  readonly hasPageFolders: boolean;
  /** Whether the generator also looks for linked pages from the root of all pages. */
  readonly isFromContent: boolean;
  /** The generator's aliases for folders, such as `@site/`. */
  readonly aliases: readonly (readonly [prefix: string, folder: string])[];
}

/** Folders to which URLs in a page may be relative, each with a final `/`. */
export interface LinkOrigin {
  /** Folder of its file. */
  readonly folder: string;
  /** The file's own folder, if a symbolic link shows it elsewhere; tried after `folder`. */
  readonly realFolder?: string | undefined;
  /** Folder of the included file that contains the link; tried first. */
  readonly includeFolder?: string | undefined;
  /** Folder of its language; the source folder when languages have no folders. */
  readonly languageFolder: string;
  /** Folder from the release's root to which URLs are relative, or ''; undefined = none. */
  readonly addressFolder?: string | undefined;
}

export const PAGE_NAME = /\.(?:md|markdown|mdx)$/i;
/** No file system supports longer paths. */
const MAX_PATH_LENGTH = 4_096;
const PUBLIC_FOLDERS = ['public/', 'static/'];
/** Beside its own code, an application that shows pages has the pictures in them: `/assets/a.png` is `src/assets/a.png`. */
const CODE_FOLDER = 'src/';
/** Matches files that may be there for readers. */
const FILE_NAME = /\.(?!(?:md|markdown|mdx|html?|[cm]?[jt]sx?|\d+)$)\w{1,8}$/i;
/** Number of cached sets of roots, and of paths in each: versions share a few roots, and pages a few links. */
const KNOWN_ROOTS = 8;
const KNOWN_PATHS = 5_000;

const knownRoots = createBoundedMap<string, LinkRoots>({ maxEntries: KNOWN_ROOTS });
const recallCandidates = createPathMemory();

/** Returns the same object for equal roots, so that versions share its cache. */
export function shareRoots(roots: LinkRoots): LinkRoots {
  const key = JSON.stringify(roots);
  const known = knownRoots.get(key);
  if (known) return known;
  knownRoots.set(key, roots);
  return roots;
}

/** Returns the files and folders that a path in a page's link may mean, the most likely first, from the repository's root. */
export function listCandidates(path: string, place: LinkOrigin, roots: LinkRoots): readonly string[] {
  if (path.length > MAX_PATH_LENGTH) return [];
  return recallCandidates(roots, describePlace(path, place), () => findCandidates(path, place, roots));
}

/** Creates a cache of path lists by roots and a key; the least recently used are dropped. */
export function createPathMemory(): (
  roots: LinkRoots,
  key: string,
  find: () => readonly string[],
) => readonly string[] {
  const known = new WeakMap<LinkRoots, BoundedMap<string, readonly string[]>>();
  return (roots, key, find) => {
    let lists = known.get(roots);
    if (!lists) {
      lists = createBoundedMap({ maxEntries: KNOWN_PATHS });
      known.set(roots, lists);
    }
    let list = lists.get(key);
    if (!list) {
      list = find();
      lists.set(key, list);
    }
    return list;
  };
}

/** Returns the key of all that decides, for given roots, where a path leads. */
export function describePlace(path: string, place: LinkOrigin): string {
  const { languageFolder, folder, realFolder = '', addressFolder = '\n', includeFolder } = place;
  if (path.startsWith('/')) return `${languageFolder}\0${path}`;
  const key = `${languageFolder}\0${folder}\0${realFolder}\0${addressFolder}\0${path}`;
  return includeFolder === undefined ? key : `${key}\0${includeFolder}`;
}

/** Returns what a path may mean as seen from the included file that contains it. */
export function listIncludeCandidates(path: string, place: LinkOrigin, roots: LinkRoots): readonly string[] {
  const { includeFolder } = place;
  const isElsewhere = path.startsWith('/') || roots.aliases.some(([prefix]) => path.startsWith(prefix));
  if (includeFolder === undefined || isElsewhere || path.length > MAX_PATH_LENGTH) return [];
  return addDefaultLanguage(keepInside([joinPath(includeFolder, path)]), place, roots);
}

function findCandidates(path: string, place: LinkOrigin, roots: LinkRoots): readonly string[] {
  return addDefaultLanguage(listOwn(path, place, roots), place, roots);
}

/** Adds the same paths in the default language's folder, where another language's lacks files. */
function addDefaultLanguage(
  own: readonly string[],
  { languageFolder }: LinkOrigin,
  roots: LinkRoots,
): readonly string[] {
  const inLanguage =
    languageFolder === roots.defaultFolder ? [] : own.filter((found) => found.startsWith(languageFolder));
  return [...own, ...inLanguage.map((found) => roots.defaultFolder + found.slice(languageFolder.length))];
}

function listOwn(path: string, place: LinkOrigin, roots: LinkRoots): readonly string[] {
  if (path.startsWith('/')) return listAbsolute(path, place.languageFolder, roots);
  const alias = roots.aliases.find(([prefix]) => path.startsWith(prefix))?.[0];
  if (alias !== undefined) {
    const named = roots.aliases.filter(([prefix]) => prefix === alias);
    return keepInside(named.map(([, folder]) => joinPath(folder, path.slice(alias.length))));
  }
  const fromContent =
    roots.isFromContent && (PAGE_NAME.test(path) || !/\.[^./]*$/.test(path))
      ? [place.languageFolder, roots.sourceFolder]
      : [];
  const folders = [place.folder, place.realFolder ?? place.folder, ...fromContent];
  const onDisk = keepInside(folders.map((folder) => joinPath(folder, path)));
  // As a browser resolves it from the page's URL.
  const { addressFolder } = roots.hasPageFolders ? place : {};
  const address = addressFolder === undefined ? undefined : joinPath(addressFolder, path);
  const onSite = address === undefined ? [] : listAbsolute(`/${address}`, place.languageFolder, roots);
  // Generators also find pictures in their own folders.
  const statics = path.startsWith('..') ? [] : roots.statics;
  const inStatics = keepInside(statics.map((folder) => joinPath(folder, path)));
  // Of texts that were moved here, or are shown on a code host's first page, too: `docs/a.md` inside `docs/`.
  const fromRoot = joinPath('', path);
  const isFromRoot = fromRoot !== undefined && roots.sourceFolder !== '' && fromRoot.startsWith(roots.sourceFolder);
  return [...new Set([...onDisk, ...onSite, ...inStatics, ...(isFromRoot ? [fromRoot] : [])])];
}

function listAbsolute(
  path: string,
  languageFolder: string,
  { sourceFolder, statics, bases }: LinkRoots,
): readonly string[] {
  const withPublic = [languageFolder, sourceFolder].flatMap((root) => [
    root,
    ...PUBLIC_FOLDERS.map((folder) => root + folder),
  ]);
  // Without the base path of the generator's site, then as written.
  const below = [...bases.filter((base) => `${path}/`.startsWith(base)), '/'].map((base) =>
    path.slice(base.length).replace(/^\/+/, ''),
  );
  // `/docs/{{version}}/a`: a site puts something of its own before the page.
  const behind = /^.*\/\{\{[^{}/]*\}\}\/(.*)/s.exec(path)?.[1];
  const paths = behind === undefined ? below : [...below, behind];
  const names = FILE_NAME.test(path) ? [...PUBLIC_FOLDERS, CODE_FOLDER] : PUBLIC_FOLDERS;
  const above = listFoldersAbove(sourceFolder).flatMap((folder) => names.map((name) => folder + name));
  const all = [...withPublic, ...statics, '', ...above].flatMap((root) => paths.map((rest) => joinPath(root, rest)));
  return [...new Set(keepInside(all))];
}

/** Returns the folders above a folder, from the inside out; '' is the repository's root. */
function listFoldersAbove(folder: string): readonly string[] {
  const parts = folder.split('/').slice(0, -1);
  return parts.map((_, index) =>
    parts
      .slice(0, parts.length - 1 - index)
      .map((part) => `${part}/`)
      .join(''),
  );
}

/** Returns the paths inside the repository. */
export function keepInside(paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined);
}

/** The parts of a URL: the path as it is on disk, and what follows it. */
interface SplitUrl {
  /** Percent-decoded, and in Unicode's composed form, as are the paths of files. */
  readonly path: string;
  /** `?query` as written, or ''. */
  readonly query: string;
  /** Percent-decoded fragment without `#` and without directive; undefined = none. */
  readonly fragment: string | undefined;
  /** `:~:text=…` as written (WICG Text Fragments), or ''. */
  readonly directive: string;
}

/** Parses a URL without scheme and host. Percent signs that encode nothing are kept as they are. */
export function splitUrl(url: string): SplitUrl {
  const hash = url.indexOf('#');
  const beforeHash = hash < 0 ? url : url.slice(0, hash);
  const mark = beforeHash.indexOf('?');
  const afterHash = hash < 0 ? undefined : url.slice(hash + 1);
  const [fragment] = afterHash?.split(':~:', 1) ?? [];
  return {
    path: decode(mark < 0 ? beforeHash : beforeHash.slice(0, mark)).normalize('NFC'),
    query: mark < 0 ? '' : beforeHash.slice(mark),
    fragment: fragment === undefined ? undefined : decode(fragment),
    directive: afterHash?.slice(fragment!.length) ?? '',
  };
}

/**
 * Returns where a relative path leads from a folder (`a/b/`), both from the repository's root; a final `/` stays.
 * Undefined when it points outside the repository.
 */
export function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  const isFolder = /(?:^|\/)\.{0,2}$/.test(path) && parts.length > 0;
  return parts.join('/') + (isFolder ? '/' : '');
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
