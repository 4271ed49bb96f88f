import { findMeant } from '../../../lib/similar-names.ts';
import type { LinkSlot, WarningCode } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import {
  describePlace,
  joinPath,
  keepInside,
  type LinkOrigin,
  type LinkRoots,
  listCandidates,
  listIncludeCandidates,
  PAGE_NAME,
  splitUrl,
} from './link-candidates.ts';
import { advisePath } from './similar-paths.ts';

const PAGE_ENDINGS = ['.md', '.markdown', '.mdx'];
const INDEX_NAMES = ['index', '_index', 'README', 'readme', 'Readme', 'ReadMe', 'Index', 'INDEX'].flatMap((name) =>
  [...PAGE_ENDINGS, '.MD'].map((ending) => name + ending),
);

/** The target of a path: a page, by the path that its author knows, or a file; neither for a path that leads nowhere. */
interface Destination {
  readonly page?: LinkTarget;
  readonly where?: string;
  readonly file?: string;
  readonly isOfVersion?: true;
}

/** Longest path for which similar ones are looked for, and how many of its meanings. */
const MAX_SUGGESTED = 300;
const MAX_MEANINGS = 4;
/** A path that names a version leads to one that is not published, whatever this one has. */
const OTHER_VERSION = /(?:^|\/)v?\d+\.(?:\d+|x)(?:\.[\w.-]+)?\//i;

export type LinkResolver = (slot: LinkSlot, place: LinkPlace) => LinkOutcome;

/**
 * Creates the resolver of a release. Links may be written as on disk (`../a.md`), as on the site (`../a.html`, `../a`),
 * to folders, and from the root (`/a` means the language's folder, the source folder, its `public/` or `static/`, the
 * generator's static folders, or the repository). Links without a target stay as written and are reported.
 */
export function createLinkResolver(scope: LinkScope): LinkResolver {
  // Cached, because pages link to the same few places again and again.
  const found = new Map<string, LinkTarget | undefined>();
  const destinations = new Map<string, Destination>();
  return (slot, from) => {
    if (slot.kind === 'reference') return toReference(slot.url.split('\n'), from);
    const place = slot.from === undefined ? from : { ...from, includeFolder: folderOf(slot.from) };
    const { path, query, fragment, directive } = splitUrl(slot.url);
    const rest = query + encodeFragment(fragment, directive);
    if (path === '') return toAnchor(slot.url, query, fragment, directive, { ids: place.ids, where: 'this page' });
    const { page: named, where, file, isOfVersion } = findOnce(path, place, slot.kind === 'link');
    // In a translation, a link to its original is one to another language: `[English](README.md)` in `README.ja.md`.
    const isOwn = named?.address === place.address && !named?.isElsewhere && fragment === undefined;
    const page = (isOwn ? named?.original?.() : undefined) ?? named;
    const outcome = page ? toPage(page) : file === undefined ? toFolderOrNowhere(slot, path, place) : toFile(file);
    return isOfVersion || page?.isElsewhere ? { ...outcome, isOfVersion: true } : outcome;

    function toPage({ isElsewhere, address, ids }: LinkTarget): LinkOutcome {
      const url = (isElsewhere ? place.siteRoot : place.root) + address;
      return toAnchor(url + rest, url + query, fragment, directive, { ids, where: `page "${where}"` });
    }

    function toFile(path: string): LinkOutcome {
      const hosted = slot.kind === 'link' && scope.isOutside(path) ? scope.hostUrl(path, false) : undefined;
      if (hosted !== undefined) return { url: hosted + rest, problem: undefined, file: undefined };
      return { url: place.root + scope.placeFile(path) + rest, problem: undefined, file: path };
    }
  };

  function toReference(ids: readonly string[], place: LinkPlace): LinkOutcome {
    for (const id of ids) {
      const anchor = encodeFragment(id, '');
      if (place.ids.has(id)) return { url: anchor, problem: undefined, file: undefined };
      const page = scope.findReference?.(id);
      const root = page?.isElsewhere ? place.siteRoot : place.root;
      if (page) return { url: root + page.address + anchor, problem: undefined, file: undefined };
    }
    const message = `Reference "[${shorten(ids[0]!)}]" has no definition, and no page has a heading with this id`;
    return { url: '', problem: { code: 'undefined-reference', message }, file: undefined };
  }

  function findOnce(path: string, place: LinkPlace, isLink: boolean): Destination {
    const key = `${isLink}\0${describePlace(path, place)}`;
    const destination = destinations.get(key) ?? findDestination(path, place, isLink);
    destinations.set(key, destination);
    return destination;
  }

  function findDestination(path: string, place: LinkPlace, isLink: boolean): Destination {
    const included = findFile(listIncludeCandidates(path, place, scope.roots));
    if (included) return included;
    const own = path.startsWith('/') ? undefined : joinPath(place.folder, path);
    if (own !== undefined && isOtherFile(own)) return { file: own };
    const published = isLink ? findPublished(path, place, false) : undefined;
    if (published) return { page: published, where: path };
    const candidates = listCandidates(path, place, scope.roots);
    const onDisk = findFile(candidates);
    if (onDisk) return onDisk;
    const similar = isLink ? findPublished(path, place, true) : undefined;
    if (similar) return { page: similar, where: path };
    const version = scope.findVersion?.(path);
    if (version && 'path' in version) return { ...findDestination(version.path, place, isLink), isOfVersion: true };
    const page = version ?? (isLink ? scope.findUnnumbered?.(candidates, path) : undefined);
    return page ? { page, where: path } : {};
  }

  function findFile(candidates: readonly string[]): Destination | undefined {
    for (const candidate of candidates) {
      if (isOtherFile(candidate)) return { file: candidate };
      const page = findPageOnce(candidate);
      if (page) return { page, where: scope.nameOf?.(candidate) ?? candidate };
      const file = [candidate, indexOf(candidate)].find(scope.hasFile);
      if (file !== undefined) return { file };
    }
    return undefined;
  }

  /** Returns whether there is a file of just that name, so that no page is meant to whose URL an ending would be added: `node.js` beside `node.js.md`. */
  function isOtherFile(path: string): boolean {
    return !/\.(?:html?|md|markdown|mdx)$/i.test(path) && scope.hasFile(path);
  }

  /** Finds the page at a published URL; a path with the ending of a page's file means the file. */
  function findPublished(path: string, place: LinkPlace, isSimilar: boolean): LinkTarget | undefined {
    if (!scope.findAddress || PAGE_NAME.test(path)) return undefined;
    for (const address of listAddresses(path, place)) {
      const page = scope.findAddress(address, isSimilar);
      if (page) return page;
    }
    return undefined;
  }

  function listAddresses(path: string, { addressFolder }: LinkPlace): readonly string[] {
    if (!path.startsWith('/')) return addressFolder === undefined ? [] : keepInside([joinPath(addressFolder, path)]);
    const address = joinPath('', path.replace(/^\/+/, ''));
    if (address === undefined) return [];
    const bases = (scope.bases ?? []).filter((base) => `${address}/`.startsWith(base));
    return [address, ...bases.map((base) => address.slice(base.length))];
  }

  function findPageOnce(path: string): LinkTarget | undefined {
    if (!found.has(path)) found.set(path, searchPages(path, scope.findPage, scope.mayHaveIndex));
    return found.get(path);
  }

  function toFolderOrNowhere(slot: LinkSlot, path: string, place: LinkPlace): LinkOutcome {
    if (slot.kind === 'link' && !path.startsWith('/')) {
      const { folder: own, realFolder = own, includeFolder = own } = place;
      const folders = [includeFolder, own, realFolder].map((from) => joinPath(from, path));
      const folder = keepInside(folders)
        .map((found) => found.replace(/\/$/, ''))
        .find((found) => found === '' || scope.hasFolder(found));
      const hosted = folder === undefined ? undefined : scope.hostUrl(folder, true);
      if (hosted !== undefined) return { url: hosted, problem: undefined, file: undefined };
    }
    const included = slot.from === undefined ? '' : ` of the included file "${slot.from}"`;
    const problem =
      slot.kind === 'link'
        ? {
            code: 'dead-link' as const,
            message: `Link "${shorten(slot.url)}"${included} leads to ${describeNowhere(path, place)}`,
          }
        : {
            code: 'missing-file' as const,
            message: `File "${shorten(slot.url)}"${included} does not exist${suggest(path, place)}`,
          };
    return { url: slot.url, problem, file: undefined };
  }

  function describeNowhere(path: string, place: LinkPlace): string {
    for (const candidate of scope.findDraft ? listAll(path, place) : []) {
      const draft = searchPages(candidate, scope.findDraft!);
      if (draft !== undefined) return `a page that is not published: "${draft.file}" (${draft.reason})`;
    }
    return `no page or file${suggest(path, place)}`;
  }

  function suggest(path: string, place: LinkPlace): string {
    const find = scope.findSimilar;
    if (!find || path.length > MAX_SUGGESTED || OTHER_VERSION.test(path)) return '';
    const folder = place.includeFolder ?? place.realFolder ?? place.folder;
    for (const wanted of listAll(path, place).slice(0, MAX_MEANINGS)) {
      const advice = advisePath(path, { wanted, folder, find });
      if (advice !== '') return advice;
    }
    return '';
  }

  function listAll(path: string, place: LinkPlace): readonly string[] {
    return [...listIncludeCandidates(path, place, scope.roots), ...listCandidates(path, place, scope.roots)];
  }
}

/** Tries all files that a path from the repository's root may mean, written as on disk or as on the site. */
function searchPages<T>(
  path: string,
  find: (file: string) => T | undefined,
  mayHaveIndex: (folder: string) => boolean = () => true,
): T | undefined {
  const isFolder = path === '' || path.endsWith('/');
  if (!isFolder) {
    const stem = path.replace(/\.html?$/i, '');
    for (const file of [path, ...PAGE_ENDINGS.map((ending) => stem + ending)]) {
      const page = find(file);
      if (page !== undefined) return page;
    }
  }
  // A hidden index (`README.md` beside `index.md`) is the same location.
  const stem = isFolder
    ? path
    : path.replace(/(?:^|\/)(?:index(?:\.html?)?|(?:_?index|readme)\.(?:md|markdown|mdx))$|\.html?$/i, '');
  const folder = stem === '' || stem.endsWith('/') ? stem : `${stem}/`;
  for (const name of mayHaveIndex(folder) ? INDEX_NAMES : []) {
    const page = find(folder + name);
    if (page !== undefined) return page;
  }
  return isFolder && path !== '' ? searchPages(path.slice(0, -1), find, mayHaveIndex) : undefined;
}

/** Returns the page of HTML that web servers show for a folder. */
export function indexOf(folder: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}index.html` : `${folder}/index.html`;
}

/**
 * Returns a link to an anchor: `written` if there is an id like it, or one that alone is equal but for case, Unicode form and the
 * invisible sign that makes a picture of an emoji, as generators that keep case have it; or but for signs that others keep in ids:
 * `When-not-to-use-$effect`.
 */
function toAnchor(
  written: string,
  url: string,
  fragment: string | undefined,
  directive: string,
  { ids, where }: { readonly ids: ReadonlySet<string> | undefined; readonly where: string },
): LinkOutcome {
  const isKnown = !fragment || fragment === 'top' || ids === undefined || ids.has(fragment);
  if (isKnown) return { url: written, problem: undefined, file: undefined };
  const similar = foldIds(ids, fold).get(fold(fragment)) ?? foldIds(ids, dropSigns).get(dropSigns(fragment));
  if (similar !== undefined)
    return { url: url + encodeFragment(similar, directive), problem: undefined, file: undefined };
  const meant = ids.size > MAX_IDS ? undefined : findMeant(fold(fragment), ids);
  const advice = meant === undefined ? '' : `: did you mean "#${meant}"?`;
  const message = `Anchor "#${shorten(fragment)}" does not exist in ${where}${advice}`;
  return { url: written, problem: { code: 'dead-anchor', message }, file: undefined };
}

/** Most ids of a page that an anchor is compared with. */
const MAX_IDS = 2_000;

/** By pages, since many links lead to the same ones. */
const folded = new Map<Fold, WeakMap<ReadonlySet<string>, ReadonlyMap<string, string | undefined>>>();
type Fold = (id: string) => string;

/** Returns the ids of a page by what is left of them; undefined for several that are then equal. */
function foldIds(ids: ReadonlySet<string>, shorten: Fold): ReadonlyMap<string, string | undefined> {
  const ofPages = folded.get(shorten) ?? new WeakMap();
  folded.set(shorten, ofPages);
  const known = ofPages.get(ids);
  if (known) return known;
  const found = new Map<string, string | undefined>();
  for (const id of ids) found.set(shorten(id), found.has(shorten(id)) ? undefined : id);
  ofPages.set(ids, found);
  return found;
}

/** Nothing is left of an anchor of signs alone, which is then no anchor at all. */
function dropSigns(id: string): string {
  return (
    fold(id)
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || '\n'
  );
}

function fold(id: string): string {
  return id.replaceAll('\uFE0F', '').normalize('NFC').toLowerCase();
}

/** Leaves signs that may stand in a fragment as they are: viewers of other files take `#page=2` at its word. */
function encodeFragment(fragment: string | undefined, directive: string): string {
  if (fragment === undefined) return '';
  const encoded = encodeURI(wellFormed(fragment)).replaceAll('#', '%23');
  return `#${encoded}${encodeURI(wellFormed(directive)).replace(/%25(?=[0-9a-f]{2})/gi, '%')}`;
}

/** Half a surrogate pair, which YAML can write, cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** A page that links may lead to, as seen from one language's release. */
export interface LinkTarget {
  /** Percent-encoded URL from the release's root, or for another language's page from the site's root. */
  readonly address: string;
  /** Whether the page lies in another release, so that `address` counts from the site's root. */
  readonly isElsewhere: boolean;
  /** Ids that a fragment may name; undefined = not known. */
  readonly ids: ReadonlySet<string> | undefined;
  /** Returns the page that was named, where its translation stands for it. */
  readonly original?: (() => LinkTarget) | undefined;
}

export interface LinkOutcome {
  readonly url: string;
  readonly problem: { readonly code: WarningCode; readonly message: string } | undefined;
  /** Path (from the repository's root) of a file that must be published with the page. */
  readonly file: string | undefined;
  /** The same link may lead elsewhere in another version: its URL names the version, or it names one itself. */
  readonly isOfVersion?: true;
}

/** Facts about the ref that the resolver needs; all paths are from the repository's root. */
export interface LinkScope {
  /** Folders for URLs that begin with `/`. */
  readonly roots: LinkRoots;
  /** Returns the page that a file becomes in the current release. */
  readonly findPage: (file: string) => LinkTarget | undefined;
  /** Returns whether `findPage` may know an index in a folder, which is '' or has a final `/`. */
  readonly mayHaveIndex?: (folder: string) => boolean;
  /**
   * Returns the page at a path from the release's root, as it is published: `guide/a`, `guide/a/`, `guide/a.html`; or
   * the one whose URL differs only in what its generator changes in names.
   */
  readonly findAddress?: (path: string, isSimilar: boolean) => LinkTarget | undefined;
  /** Returns the page with a heading of this id, else the one with anything else of this id. */
  readonly findReference?: (id: string) => LinkTarget | undefined;
  /**
   * Returns the page at one of these files if numbers before names do not count, or the one that a link calls by its name
   * alone or by its title.
   */
  readonly findUnnumbered?: (files: readonly string[], link: string) => LinkTarget | undefined;
  /** Returns a page of another version that the path names, or the path from the root of this one: `/docs/5.4/mail`. */
  readonly findVersion?: (path: string) => LinkTarget | { readonly path: string } | undefined;
  /** Returns a page's file that is not published, with the reason. */
  readonly findDraft?: (file: string) => { readonly file: string; readonly reason: string } | undefined;
  /** Returns the path of a page or file that was probably meant by one that does not exist. */
  readonly findSimilar?: (path: string) => string | undefined;
  /** Beginnings of absolute URLs, each with a final `/`: `guide/`. */
  readonly bases?: readonly string[];
  /** Returns the path that authors know for a file that is shown in another place than its own. */
  readonly nameOf?: (file: string) => string;
  readonly hasFile: (file: string) => boolean;
  /** Whether an existing file is outside the documentation. */
  readonly isOutside: (file: string) => boolean;
  readonly hasFolder: (folder: string) => boolean;
  /** Percent-encoded URL, from the release's root, of a file that is not a page. */
  readonly placeFile: (file: string) => string;
  /** Returns the URL of a file or folder at the code host, or undefined when there is none. */
  readonly hostUrl: (path: string, isFolder: boolean) => string | undefined;
}

export interface LinkPlace extends LinkOrigin {
  /** Prefix that leads from the page to its release's root, and to the site's root. */
  readonly root: string;
  readonly siteRoot: string;
  readonly ids: ReadonlySet<string>;
  /** The page's own address in its release; undefined for what is on many pages. */
  readonly address?: string;
}
