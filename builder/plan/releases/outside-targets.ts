import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { LinkSlot } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import type { FoundEntry } from '../../source/files/tree-paths.ts';
import type { Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { type AssetReader, findDocumentType } from '../asset-reader.ts';
import { indexOf } from '../links/create-link-resolver.ts';
import {
  createPathMemory,
  describePlace,
  type LinkOrigin,
  type LinkRoots,
  listCandidates,
  splitUrl,
} from '../links/link-candidates.ts';
import { addressFolder } from '../navigation/address-book.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';
import { createHomeModel } from './compose-later.ts';

/** Matches a URL that may lead to a file that is inspected, or to a folder that contains one. */
const DOCUMENT_URL = /(?:\.(?:css|svg|x?html?)|(?:^|\/)[^./?#]*)(?:[?#]|$)/i;

/** Folders such as `.vuepress` are not listed, but may hold static files. */
const HIDDEN_FOLDER = /(?:^|\/)\.[^/]+\//;

const recallTargets = createPathMemory();

/** Files, with their blobs, and folders, all from the repository's root. */
export interface OutsideTargets {
  readonly files: ReadonlyMap<string, string>;
  readonly folders: ReadonlySet<string>;
}

/**
 * Looks up the targets of URLs outside the source folder, since resolving must not wait: URLs in pages, and in style
 * sheets, drawings and HTML pages that they refer to, directly or indirectly.
 */
export async function findOutsideTargets(version: {
  readonly tree: SourceTree;
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly source: Pick<VersionSource, 'sourceFolder' | 'isReadmeOnly' | 'realPath'>;
  readonly roots: LinkRoots;
  readonly find: PathFinder;
  readonly inspect: AssetReader['inspect'];
}): Promise<OutsideTargets> {
  const { tree, rendered, find } = version;
  const { sourceFolder, isReadmeOnly } = version.source;
  /** Whether the target of a path is known already. */
  const isListed = (path: string): boolean =>
    isReadmeOnly
      ? tree.files.has(path)
      : path.startsWith(sourceFolder) && !HIDDEN_FOLDER.test(path.slice(sourceFolder.length));
  const { statics, aliases, hasPageFolders } = version.roots;
  const isAlias = (url: string): boolean => aliases.some(([prefix]) => url.startsWith(prefix));
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const asked = new Set<string>();
  const tops = new Map<string, boolean>();
  /** Files to inspect, with their blobs. */
  const documents = new Map<string, string>();
  for (const [file, page] of tree.pageOfFile) {
    for (const question of listQuestions(file, page)) if (!asked.has(question.key)) await ask(question);
  }
  for (const [file, oid] of documents) {
    const { references } = await version.inspect(file, oid);
    for (const question of findQuestions(references, file)) if (!asked.has(question.key)) await ask(question);
  }
  return { files, folders };

  /** Returns what is to be looked up for a page: the same as in the last version, or build, that had it there. */
  function listQuestions(file: string, page: Page): readonly Question[] {
    const shown = sourceFolder + file;
    const real = version.source.realPath(file);
    const addresses = addressFolder(page.output, hasPageFolders);
    const own = rendered.get(file);
    const home = listHomeSlots(page);
    const place = [shown, real, addresses].join('\0');
    const known = own && knownQuestions.get(own);
    if (known?.roots === version.roots && known.place === place && home.length === 0) return known.questions;
    const slots = [...(own?.slots ?? []), ...home];
    const questions = [
      ...findQuestions(slots, shown, addresses),
      // Those of included files count from there, too.
      ...slots.flatMap((slot) => (slot.from === undefined ? [] : findQuestions([slot], slot.from))),
      ...(real === shown ? [] : findQuestions(slots, real)),
    ];
    // The files beside a README differ between versions.
    if (own && home.length === 0 && !isReadmeOnly) knownQuestions.set(own, { roots: version.roots, place, questions });
    return questions;
  }

  function findQuestions(slots: readonly LinkSlot[], from: string, addresses?: string): readonly Question[] {
    const folder = folderOf(from);
    const addressFolder = hasPageFolders ? addresses : undefined;
    const isInside = isListed(from);
    return slots.flatMap(({ url, kind }): readonly Question[] => {
      if (kind === 'reference' || url.startsWith('#') || isAbsoluteUrl(url)) return [];
      const mayLeave = isReadmeOnly || url.includes('..') || url.startsWith('/') || isAlias(url) || !isInside;
      const isFile = kind !== 'link' && statics.length > 0;
      if (!mayLeave && !isFile && !DOCUMENT_URL.test(url)) return [];
      const { path } = splitUrl(url);
      if (path === '') return [];
      const key = describePlace(path, { folder, languageFolder: '', addressFolder });
      return [{ path, key, from, addressFolder }];
    });
  }

  async function ask(question: Question): Promise<void> {
    asked.add(question.key);
    for (const target of listTargets(question)) {
      const found = findTarget(target);
      const entry = found instanceof Promise ? await found : found;
      if (entry?.kind === 'folder') folders.add(target);
      else if (entry) {
        if (!isListed(target)) files.set(target, entry.oid);
        if (findDocumentType(target)) documents.set(target, entry.oid);
      }
    }
  }

  /** Files inside the source folder are known; only those that must be inspected count there. */
  function listTargets({ path, key, from, addressFolder }: Question): readonly string[] {
    const { roots } = version;
    const find = (): readonly string[] => {
      const folder = folderOf(from);
      const languageFolders =
        path.startsWith('/') || roots.hasPageFolders
          ? [sourceFolder, ...roots.languageFolders]
          : [roots.languageFolders.find((own) => from.startsWith(own)) ?? sourceFolder];
      const candidates = languageFolders.flatMap((languageFolder) =>
        listCandidates(path, { folder, languageFolder, addressFolder }, roots),
      );
      const targets = candidates.flatMap((candidate) => [candidate.replace(/\/$/, ''), indexOf(candidate)]);
      return [...new Set(targets)].filter((target) => target !== '' && (!isListed(target) || findDocumentType(target)));
    };
    // The files beside a README differ between versions.
    return isReadmeOnly ? find() : recallTargets(roots, key, find);
  }

  function findTarget(target: string): FoundEntry | undefined | ReturnType<PathFinder> {
    if (!isListed(target)) return findBelow(target, target.split('/', 1)[0]!);
    const file = tree.files.get(target.slice(sourceFolder.length));
    return file && { kind: 'file', oid: file.oid, path: target };
  }

  /** Most paths that a URL may mean begin with a folder that is not there. */
  function findBelow(target: string, top: string): undefined | ReturnType<PathFinder> {
    const isThere = tops.get(top);
    if (isThere !== undefined) return isThere ? find(target) : undefined;
    return find(top).then((entry) => {
      tops.set(top, entry !== undefined);
      return entry && find(target);
    });
  }
}

/** A path in a URL, and what decides where it may lead. */
interface Question extends Pick<LinkOrigin, 'addressFolder'> {
  readonly path: string;
  /** Equal where the answer is. */
  readonly key: string;
  /** The file with the URL. */
  readonly from: string;
}

/** Lookups that pages needed where they were last: versions share them, and a build takes most from the one before. */
const knownQuestions = new WeakMap<
  RenderedPage,
  { readonly roots: LinkRoots; readonly place: string; readonly questions: readonly Question[] }
>();

/** Returns the links and pictures of a landing page's opening, which stand in its front matter. */
function listHomeSlots(page: Page): readonly LinkSlot[] {
  const slots: LinkSlot[] = [];
  if (page.meta.layout !== 'home') return slots;
  createHomeModel(page, (slot) => {
    slots.push(slot);
    return '';
  });
  return slots;
}

/** Returns all folders that contain one of these files of the source folder, from the repository's root. */
export function collectFolders(files: Iterable<string>, sourceFolder: string): ReadonlySet<string> {
  const folders = new Set<string>([sourceFolder.replace(/\/$/, '')]);
  for (const file of files) {
    const full = sourceFolder + file;
    for (let slash = full.lastIndexOf('/'); slash > 0; slash = full.lastIndexOf('/', slash - 1)) {
      const folder = full.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
