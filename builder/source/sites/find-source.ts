import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { Generator } from '../../generators/generators.ts';
import { rateLanguageCode } from '../../language-tag.ts';
import type { ObjectReader, TreeEntry } from '../../model.ts';
import { isPageFile } from '../../page-path.ts';
import { createTreePaths, type TreePaths } from '../files/tree-paths.ts';
import type { Listing } from '../files/walk-tree.ts';
import { arrangeSource, type SourceArrangement } from './arrange-source.ts';
import type { GeneratorSite } from './describe-site.ts';
import { createSiteFinder, ignoreDamage, isTrial } from './find-site.ts';
import { remember } from './remember.ts';

/** The location of a version's documentation. */
export interface FoundSource extends SourceArrangement {
  readonly generator: Generator | undefined;
  /** The generator's site, where there is one. */
  readonly site: GeneratorSite | undefined;
  /** Only the README files at the root are pages: there is no other documentation. */
  readonly isReadmeOnly: boolean;
}

/** A folder that contains pages, though nothing says that they are the documentation. */
export interface SourceCandidate {
  readonly folder: string;
  readonly pages: number;
}

/** Finds the documentation of versions; results are cached by tree id. */
export interface SourceFinder {
  /**
   * Returns where the documentation of a root tree is: in the folder that was asked for (as in `FoundSource`), else where
   * a generator's site has its pages, else in a usual folder, else the README. Undefined when there is none of these.
   * Symbolic links are followed: the folder is the real one.
   */
  find(rootTree: string, asked: string | undefined): Promise<FoundSource | undefined>;
  /** Returns the folders of a root tree that contain most pages. */
  listCandidates(rootTree: string): Promise<readonly SourceCandidate[]>;
}

/** Folders in which documentation is usually kept, in order of preference; the first name of a path in any case. */
export const COMMON_FOLDERS: readonly string[] = [
  'docs',
  'doc',
  'documentation',
  'content',
  'website/docs',
  'packages/docs',
  'src/content/docs',
  'site/content',
  'site/docs',
  'website/content',
  'apps/docs',
  'guide/src',
  'book/src',
  'src/docs',
  'src/doc',
  'manual',
];

/** Folders between a folder of documentation and its pages, as in `docs/content/`. */
const INNER_FOLDERS = new Set(['docs', 'doc', 'content', 'src', 'source']);
/** A folder is passed over for a later one with this many times as many pages. */
const OUTWEIGHED = 5;
const MAX_CANDIDATES = 5;
/** Number of cached trees; versions share most of those near the root. */
const MAX_REMEMBERED = 2_000;

/** Creates a finder that reads trees, and of blobs only the configurations of generators. */
export function createSourceFinder(reader: ObjectReader, walk: (treeOid: string) => Promise<Listing>): SourceFinder {
  const trees = createBoundedMap<string, Promise<readonly TreeEntry[]>>({ maxEntries: MAX_REMEMBERED });
  const weights = createBoundedMap<string, Promise<number>>({ maxEntries: MAX_REMEMBERED });
  const found = createBoundedMap<string, Promise<FoundSource | undefined>>({ maxEntries: MAX_REMEMBERED });

  const readTree = (oid: string): Promise<readonly TreeEntry[]> => remember(trees, oid, () => reader.readTree(oid));
  const weigh = (oid: string): Promise<number> => remember(weights, oid, () => weighAnew(oid));
  const sites = createSiteFinder({
    reader: { ...reader, readTree },
    weigh: async (rootTree, path) => {
      const folder = await findFolder(rootTree, path, false);
      return folder ? weigh(folder.oid) : 0;
    },
  });

  return {
    find: (rootTree, asked) => remember(found, `${rootTree} ${asked ?? '?'}`, () => findAnew(rootTree, asked)),
    async listCandidates(rootTree) {
      const candidates: SourceCandidate[] = [];
      for (const { name, kind, oid } of await readTree(rootTree)) {
        if (kind !== 'folder' || isTrial(name)) continue;
        const pages = await countTexts(oid);
        if (pages > 0) candidates.push({ folder: await narrow(oid, `${name}/`), pages });
      }
      return candidates.sort((a, b) => b.pages - a.pages).slice(0, MAX_CANDIDATES);
    },
  };

  async function findAnew(rootTree: string, asked: string | undefined): Promise<FoundSource | undefined> {
    if (asked !== undefined) {
      const folder = await findFolder(rootTree, asked, false);
      return folder && present(rootTree, folder.folder, await sites.findOwner(rootTree, folder.folder));
    }
    const site = await sites.find(rootTree);
    if (site) return present(rootTree, site.content, site);
    const usual = await findUsual(rootTree);
    if (usual && usual.pages > 0) return present(rootTree, usual.folder, undefined);
    const entries = await readTree(rootTree);
    // A branch such as `gh-pages` contains generated files.
    const isBuilt = entries.some(({ name }) => name === 'index.html' || name === '.nojekyll');
    const hasReadme = entries.some(({ name, kind }) => kind === 'file' && isReadme(name));
    if (isBuilt) return undefined;
    if (isDocumentation(entries) || (await hasLanguages(entries))) return present(rootTree, '', undefined);
    if (hasReadme) return { ...(await present(rootTree, '', undefined)), isReadmeOnly: true };
    return usual && present(rootTree, usual.folder, undefined);
  }

  /** Returns whether most pages in the folders at the root are in folders of at least two languages: `en-US/`, `zh-CN/`. */
  async function hasLanguages(entries: readonly TreeEntry[]): Promise<boolean> {
    const folders = entries.filter(({ name, kind }) => kind === 'folder' && !isTrial(name));
    const isLanguage = ({ name }: TreeEntry): boolean => ['sure', 'likely'].includes(rateLanguageCode(name));
    if (folders.filter(isLanguage).length < 2) return false;
    const counted: { readonly entry: TreeEntry; readonly pages: number }[] = [];
    for (const entry of folders) counted.push({ entry, pages: await countTexts(entry.oid) });
    const languages = counted.filter(({ entry, pages }) => isLanguage(entry) && pages > 0);
    const others = counted.filter(({ entry }) => !isLanguage(entry));
    const sum = (list: typeof counted): number => list.reduce((total, { pages }) => total + pages, 0);
    return languages.length > 1 && sum(languages) >= MIN_ROOT_PAGES && sum(languages) > sum(others);
  }

  /** Returns a folder together with the other folders of its generator, if it is the folder of the generator's pages. */
  async function present(rootTree: string, folder: string, site: GeneratorSite | undefined): Promise<FoundSource> {
    const arranged = site && (await arrangeSource(site, { reader: { ...reader, readTree }, paths: pathsOf(rootTree) }));
    const isArranged = arranged && (folder === site.content || folder === arranged.folder);
    const plain: SourceArrangement = {
      folder,
      placements: [{ real: folder, shown: '' }],
      languages: [],
      statics: site?.statics ?? [],
    };
    return { ...(isArranged ? arranged : plain), generator: site?.generator, site, isReadmeOnly: false };
  }

  function pathsOf(rootTree: string): TreePaths {
    return createTreePaths({ ...reader, readTree }, rootTree);
  }

  /** Returns the usual folder that contains the documentation; if none contains a page, the first one that exists. */
  async function findUsual(rootTree: string): Promise<SourceCandidate | undefined> {
    const weighed: (SourceCandidate & { readonly oid: string })[] = [];
    for (const path of COMMON_FOLDERS) {
      const entry = await findFolder(rootTree, path, true);
      if (entry) weighed.push({ ...entry, pages: await weigh(entry.oid) });
    }
    const most = Math.max(0, ...weighed.map(({ pages }) => pages));
    const chosen = weighed.find(({ pages }) => pages > 0 && pages * OUTWEIGHED >= most);
    return chosen ? { ...chosen, folder: await narrow(chosen.oid, chosen.folder) } : weighed[0];
  }

  /** Descends while one folder such as `content` contains all pages except a README. */
  async function narrow(oid: string, folder: string): Promise<string> {
    const listing = await walk(oid).catch(ignoreDamage);
    const pages = (listing?.files ?? []).filter(({ path }) => isPage(path) && !isReadmeName(path));
    const inner = pages[0]?.path.split('/')[0] ?? '';
    if (!INNER_FOLDERS.has(inner) || !pages.every(({ path }) => path.startsWith(`${inner}/`))) return folder;
    const entry = (await readTree(oid)).find(({ name }) => name === inner);
    return entry?.kind === 'folder' ? narrow(entry.oid, `${folder}${inner}/`) : folder;
  }

  /** Returns the real path of a folder; the case of the first name may be ignored. */
  async function findFolder(
    rootTree: string,
    path: string,
    inAnyCase: boolean,
  ): Promise<{ readonly oid: string; readonly folder: string } | undefined> {
    const entries = await readTree(rootTree);
    const [first, ...rest] = path.split('/').filter(Boolean);
    const names = entries.filter(({ kind }) => kind !== 'file').map(({ name }) => name);
    const spelled =
      names.find((name) => name === first) ?? names.find((name) => inAnyCase && name.toLowerCase() === first);
    if (first !== undefined && spelled === undefined) return undefined;
    const found = await pathsOf(rootTree)
      .find([spelled, ...rest].join('/'))
      .catch(ignoreDamage);
    if (found?.kind !== 'folder') return undefined;
    return { oid: found.oid, folder: found.path === '' ? '' : `${found.path}/` };
  }

  /** Counts the pages that are not READMEs of packages. */
  async function countTexts(oid: string): Promise<number> {
    const listing = await walk(oid).catch(ignoreDamage);
    return (listing?.files ?? []).filter(({ path }) => isPage(path) && !/(?:^|\/)readme\b[^/]*$/i.test(path)).length;
  }

  /** Counts the pages of a folder; a README alone counts half. Errors are reported when the folder is read. */
  async function weighAnew(oid: string): Promise<number> {
    try {
      const pages = (await walk(oid)).files.filter(({ path }) => isPage(path));
      const readmes = pages.filter(({ path }) => isReadmeName(path)).length;
      return pages.length - readmes + (readmes > 0 ? 0.5 : 0);
    } catch (error) {
      if (error instanceof BuildError) return 1;
      throw error;
    }
  }
}

/** Names of files that any repository may have at its root. */
const COMMUNITY =
  /^(?:readme|change-?s?(?:log)?|history|release-?s?(?:-?notes)?|news|contributing|contributors|code[-_]of[-_]conduct|conduct|licen[cs]es?|copying|copyright|notice|patents|security|support|authors|maintainers|owners|governance|roadmap|todo|upgrad\w*|migrat\w*|faq|backers|sponsors|install\w*|develop\w*|hacking|testing|building|design|architecture|decisions|third[-_]?party\w*|credits|thanks|acknowledge?ments|claude|agents|gemini|copilot\w*|codeowners|issue_template|pull_request_template)\b/i;
/** Number of pages at the root, if they are most of its files, that make a repository documentation only. */
const MIN_ROOT_PAGES = 5;

/** Returns whether a repository has its documentation at its root, and nothing else. */
function isDocumentation(entries: readonly TreeEntry[]): boolean {
  const files = entries.filter(({ name, kind }) => kind === 'file' && !name.startsWith('.'));
  const pages = files.filter(({ name }) => isPage(name) && !COMMUNITY.test(name));
  const others = files.filter(({ name }) => !isPage(name) && !COMMUNITY.test(name));
  return pages.length >= MIN_ROOT_PAGES && pages.length > others.length;
}

/** Returns whether a file at the root is a README, possibly with a language suffix. */
export function isReadme(name: string): boolean {
  return /^readme(?:[._-][a-z]{2}(?:[-_][a-z]{2,4})?)?\.(?:md|markdown|mdx)$/i.test(name);
}

function isReadmeName(path: string): boolean {
  return /^readme\b[^/]*$/i.test(path);
}

/** Hugo and Zola keep the text of a folder in a file that is not a page elsewhere. */
function isPage(path: string): boolean {
  return isPageFile(path) || /(?:^|\/)_index(?:\.[\w-]+)?\.md$/.test(path);
}
