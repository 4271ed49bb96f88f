import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { LinkSlot } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import type { Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { type AssetReader, findDocumentType } from '../asset-reader.ts';
import { indexOf } from '../links/create-link-resolver.ts';
import { createPathMemory, describePlace, type LinkRoots, listCandidates, splitUrl } from '../links/link-candidates.ts';
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
  /** Files to inspect, with their blobs. */
  const documents = new Map<string, string>();
  for (const [file, page] of tree.pageOfFile) {
    const own = rendered.get(file)?.slots ?? [];
    const home = listHomeSlots(page);
    const slots = home.length > 0 ? [...own, ...home] : own;
    const [shown, real] = [sourceFolder + file, version.source.realPath(file)];
    await lookUp(slots, shown, addressFolder(page.output, hasPageFolders));
    // Those of included files count from there, too.
    for (const slot of slots) if (slot.from !== undefined) await lookUp([slot], slot.from);
    if (real !== shown) await lookUp(slots, real);
  }
  for (const [file, oid] of documents) await lookUp((await version.inspect(file, oid)).references, file);
  return { files, folders };

  async function lookUp(slots: readonly LinkSlot[], from: string, addresses?: string): Promise<void> {
    const folder = folderOf(from);
    const addressFolder = hasPageFolders ? addresses : undefined;
    const isInside = isListed(from);
    for (const { url, kind } of slots) {
      if (kind === 'reference' || url.startsWith('#') || isAbsoluteUrl(url)) continue;
      const mayLeave = isReadmeOnly || url.includes('..') || url.startsWith('/') || isAlias(url) || !isInside;
      const isFile = kind !== 'link' && statics.length > 0;
      if (!mayLeave && !isFile && !DOCUMENT_URL.test(url)) continue;
      const { path } = splitUrl(url);
      if (path === '') continue;
      const key = describePlace(path, { folder, languageFolder: '', addressFolder });
      if (asked.has(key)) continue;
      asked.add(key);
      for (const target of listTargets(path, key, { from, addressFolder })) {
        const entry = await findTarget(target);
        if (entry?.kind === 'folder') folders.add(target);
        else if (entry) {
          if (!isListed(target)) files.set(target, entry.oid);
          if (findDocumentType(target)) documents.set(target, entry.oid);
        }
      }
    }
  }

  /** Files inside the source folder are known; only those that must be inspected count there. */
  function listTargets(
    path: string,
    key: string,
    { from, addressFolder }: { readonly from: string; readonly addressFolder: string | undefined },
  ): readonly string[] {
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

  async function findTarget(target: string): ReturnType<PathFinder> {
    if (!isListed(target)) return find(target);
    const file = tree.files.get(target.slice(sourceFolder.length));
    return file && { kind: 'file', oid: file.oid, path: target };
  }
}

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
