import { posix } from 'node:path';
import { once } from '../../../lib/once.ts';
import { findMeant } from '../../../lib/similar-names.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { FolderNote, NavigationStyle } from '../../compose/folder-navigation.ts';
import type { NavigationEntry } from '../../compose/navigation.ts';
import { rulesOf } from '../../generators/generators.ts';
import type { Category } from '../../generators/shared/categories.ts';
import type { NavItem, NavNote, NavTarget } from '../../generators/shared/navigation-items.ts';
import { findNumber, withoutNumber, withoutNumbers } from '../../generators/shared/numbered-names.ts';
import { decodeAddress } from '../../generators/shared/summary.ts';
import { chooseText } from '../../language-tag.ts';
import { folderOf, pageOutputPath } from '../../page-path.ts';
import type { LanguagePages, Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { advisePath, createSimilarPathFinder } from '../links/similar-paths.ts';
import type { NavEntry } from '../project-file-schema.ts';
import type { VersionSource } from '../versions/version-source.ts';
import { createAddressBook } from './address-book.ts';
import type { OwnNavigation } from './read-navigation.ts';

/**
 * Returns an author's navigation with the output paths of the pages it names, by their files or URLs, and its titles in a
 * language.
 */
export function placeNav(
  entries: readonly NavEntry[],
  language: string,
  pages: readonly Pick<Page, 'place' | 'output'>[],
): readonly NavigationEntry[] {
  const moved = pages.filter(({ place, output }) => place !== output);
  return placeEntries(entries, language, new Map(moved.map(({ place, output }) => [place, output])));
}

/** `moved` has the output paths of pages that are not where their files are. */
function placeEntries(
  entries: readonly NavEntry[],
  language: string,
  moved: ReadonlyMap<string, string>,
): readonly NavigationEntry[] {
  return entries.map(({ title: written, path, children, folder, collapsed: isCollapsed }) => {
    const title = chooseText(written, language);
    const below = placeEntries(children, language, moved);
    const nothing = { title, output: undefined, url: undefined, children: below, isCollapsed };
    if (folder !== undefined) return { ...nothing, folder: folderPath(folder) };
    if (path === undefined) return nothing;
    if (isAbsoluteUrl(path)) return { ...nothing, url: path };
    const [place, anchor] = splitAnchor(path);
    const file = place.replace(/^\.?\/+/, '').normalize('NFC');
    if (!/\.(?:md|markdown|mdx)$/i.test(file)) return { ...nothing, output: nameOutput(file), anchor };
    const own = pageOutputPath(file);
    return { ...nothing, output: moved.get(own) ?? own, anchor };
  });
}

/** Returns a folder as the navigation names it: `./api` → `api/`, `.` → ''. */
function folderPath(folder: string): string {
  const parts = folder
    .normalize('NFC')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  return parts.map((part) => `${part}/`).join('');
}

function nameOutput(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path.replace(/\.html$/, '')}.html`;
}

/**
 * Returns the warnings about an author's navigation: entries that match no page in any language, and places in pages that none of them
 * has. `idsOf` returns the ids of a page; undefined = not known.
 */
export function checkNav(
  entries: readonly NavEntry[],
  tree: SourceTree,
  idsOf: (page: Page) => ReadonlySet<string> | undefined,
): readonly Omit<NavNote, 'file'>[] {
  const pages = tree.languages.flatMap((language) => language.pages);
  const outputs = new Set(pages.map(({ output }) => output));
  const findSimilar = once(() => createPageSuggester(pages));
  return visit(entries, placeNav(entries, '', pages));

  function visit(written: readonly NavEntry[], placed: readonly NavigationEntry[]): readonly Omit<NavNote, 'file'>[] {
    return placed.flatMap((entry, at) => {
      const { line = 0, path = '', children: below } = written[at]!;
      const notes = visit(below, entry.children);
      const problem = findProblem(entry, path);
      return problem === undefined ? notes : [{ line, message: `Navigation ${problem}` }, ...notes];
    });
  }

  function findProblem({ output, anchor, folder }: NavigationEntry, path: string): string | undefined {
    if (output !== undefined && !outputs.has(output)) {
      return `entry "${path}" does not match any page${findSimilar()(splitAnchor(path)[0])}`;
    }
    if (output !== undefined && anchor !== undefined) {
      const advice = checkAnchor(output, anchor);
      return advice === undefined ? undefined : `entry "${path}" leads to an anchor that does not exist${advice}`;
    }
    if (folder === undefined || pages.some(({ place }) => place.startsWith(folder))) return undefined;
    const meant = findMeant(folder, new Set(pages.flatMap(({ place }) => listFolders(place))));
    return `folder "${folder}" has no pages${meant === undefined ? '' : `: did you mean "${meant}"?`}`;
  }

  /** Returns the end of a message about an anchor that no page at a path has; undefined where one has it, or may have it. */
  function checkAnchor(output: string, anchor: string): string | undefined {
    const id = decodeAddress(anchor.slice(1));
    const known = pages.filter((page) => page.output === output).map(idsOf);
    if (id === '' || id === 'top' || known.some((ids) => ids === undefined || ids.has(id))) return undefined;
    const meant = findMeant(id, known.flatMap((ids) => [...ids!]).slice(0, MAX_IDS));
    return meant === undefined ? '' : `: did you mean "#${meant}"?`;
  }
}

/** Most ids that an anchor is compared with. */
const MAX_IDS = 2_000;

/** Returns the folders around a page, each with a final `/`. */
function listFolders(place: string): readonly string[] {
  return [...place.matchAll(/\//g)].map(({ index }) => place.slice(0, index + 1));
}

/** Returns a function that advises the page which was probably meant by a path of the navigation, as the end of a message. */
function createPageSuggester(pages: readonly Pick<Page, 'place' | 'file'>[]): (path: string) => string {
  const find = createSimilarPathFinder(
    new Set(pages.map(({ place, file }) => place.replace(/\.html$/, posix.extname(file)))),
  );
  return (path) => {
    const wanted = path.replace(/^\.?\/+/, '').normalize('NFC');
    return advisePath(path, { wanted, folder: '', find });
  };
}

/** A generator's navigation as one language's release shows it. */
export interface PlacedNavigation {
  /** Undefined where the folders are the navigation. */
  readonly entries: readonly NavigationEntry[] | undefined;
  /** Pages that are not named are shown at the end rather than not at all. */
  readonly showsRest: boolean;
  /** Output paths of pages that are not among those. */
  readonly hidden: ReadonlySet<string>;
  /** The home page is not one of those: the header leads there. */
  readonly leavesOutHome: boolean;
  readonly style: NavigationStyle;
  readonly items: readonly NavItem[] | undefined;
  /** Entries whose pages are missing in the release. */
  readonly missing: ReadonlySet<NavItem>;
}

interface GeneratorRelease {
  readonly source: Pick<VersionSource, 'generator' | 'site' | 'pathOf' | 'layout'>;
  readonly tree: SourceTree;
  readonly language: LanguagePages;
}

/** Finds the pages of a release by what its generator calls them. */
export interface TargetFinder {
  find(target: NavTarget): Page | undefined;
  readonly byId: ReadonlyMap<string, Page>;
}

export function createTargetFinder({ source, tree, language }: GeneratorRelease): TargetFinder {
  const { generator, pathOf, layout } = source;
  const { pages } = language;
  const byPlace = new Map(pages.map((page) => [page.place, page]));
  const book = createAddressBook(new Map(pages.map((page) => [page.output, page])), generator);
  const byId = rulesOf(generator).frontMatter?.hasIds ? nameById(pages) : new Map<string, Page>();
  const languageFolder = layout.folders.get(language.language.key);
  const bases = [...(source.site?.bases ?? ['/']), ...(languageFolder === undefined ? [] : [`/${languageFolder}/`])];
  return { byId, find };

  function find({ kind, path: written }: NavTarget): Page | undefined {
    const path = written.normalize('NFC');
    if (kind === 'id') return byId.get(path) ?? byId.get(withoutNumbers(path));
    if (kind === 'sidebar') return undefined;
    if (kind === 'file') return findByFile(pathOf(path) ?? path);
    const addresses = [path, ...bases.flatMap((base) => (path.startsWith(base) ? [path.slice(base.length)] : []))].map(
      (address) => address.replace(/^\/+/, ''),
    );
    const isFile = /\.(?:md|markdown|mdx)$/i.test(path);
    for (const address of addresses) {
      const page = isFile
        ? findByFile(address)
        : (book.find(address) ?? byPlace.get(`${address.replace(/\/$/, '')}.html`));
      if (page) return page;
    }
    return addresses.map((address) => book.findSimilar(address)).find((page) => page !== undefined);
  }

  /** Finds the page in the release's language by a file of any language. */
  function findByFile(file: string): Page | undefined {
    return byPlace.get(tree.pageOfFile.get(file)?.place ?? pageOutputPath(file)) ?? byPlace.get(pageOutputPath(file));
  }
}

/** Finds the pages of a release that the generator's own files name, and how its folders are shown. */
export function placeGeneratorNavigation(
  { navigation, categories }: OwnNavigation,
  release: GeneratorRelease,
): PlacedNavigation {
  const { generator, layout } = release.source;
  const { pages } = release.language;
  const { key } = release.language.language;
  const languageFolder = layout.folders.get(key);
  const finder = createTargetFinder(release);
  const missing = new Set<NavItem>();
  const items = navigation?.languages[key] ?? navigation?.languages[''];
  const entries = items?.map(placeItem);
  // A list none of whose pages exist has another subject.
  const isUsed = entries?.some(leadsToPage) === true;
  return {
    entries: isUsed ? entries : undefined,
    showsRest: navigation?.isComplete === false,
    hidden: new Set(navigation?.hides?.flatMap((target) => finder.find(target)?.output ?? [])),
    leavesOutHome: navigation?.leavesOutHome === true,
    style: createStyle(),
    items: isUsed ? items : undefined,
    missing,
  };

  function placeItem(item: NavItem): NavigationEntry {
    const { target, folder, isCollapsed } = item;
    const children = item.children.map(placeItem);
    const title = item.translations?.[key] ?? item.translations?.[key.split('-')[0]!] ?? item.title;
    const nothing = { title, output: undefined, url: undefined, children, folder, isCollapsed };
    // An empty group is left out, like one whose pages do not exist.
    const isEmpty = children.length === 0 && folder === undefined && !item.isLabel;
    if (!target) return isEmpty ? { ...nothing, output: '' } : nothing;
    if (target.kind === 'address' && isAbsoluteUrl(target.path)) return { ...nothing, url: target.path };
    const [path, anchor] = splitAnchor(target.path);
    const page = finder.find({ ...target, path });
    if (!page) missing.add(item);
    // An entry without a target remains as the title of its children.
    return page
      ? { ...nothing, output: page.output, anchor }
      : { ...nothing, output: children.length > 0 ? undefined : '' };
  }

  function createStyle(): NavigationStyle {
    const style = rulesOf(generator).folders ?? {};
    if (style.mayHaveParents) return { ...style, isByParents: pages.some(({ meta }) => meta.parent !== undefined) };
    if (style.isNumbered) return { ...style, noteOf: (path) => noteOf(path, findCategory(path)) };
    if (categories.size === 0) return style;
    return {
      ...style,
      noteOf(path) {
        const category = findCategory(path);
        const order = category?.order ?? pages.find(({ place }) => place === `${path}index.html`)?.meta.order;
        return category && { ...noteOf(path, category), order };
      },
    };
  }

  /** Finds the settings of a folder, those of the language first. */
  function findCategory(path: string): Category | undefined {
    return (
      (languageFolder === undefined ? undefined : categories.get(`${languageFolder}/${path}`)) ?? categories.get(path)
    );
  }

  /** Where folders are numbered, they take order and title from their page only if nothing else sets them. */
  function noteOf(path: string, category: Category | undefined): FolderNote {
    const name = path.split('/').at(-2)!;
    const id = category?.id;
    const page =
      typeof id === 'string' ? (finder.byId.get(withoutNumbers(path) + id) ?? finder.byId.get(id)) : undefined;
    return {
      title: chooseText(category?.title, key),
      order: category?.order ?? findNumber(name),
      isCollapsed: category?.isCollapsed,
      isHidden: category?.isHidden,
      output: id === null ? null : page?.output,
    };
  }
}

/** Returns the warnings about a generator's navigation: entries whose page is missing in every release that shows them. */
export function listMissing(
  placed: readonly PlacedNavigation[],
  paths?: { readonly sourceFolder: string; readonly findSimilar: (path: string) => string | undefined },
): readonly NavNote[] {
  const advise = ({ kind, path }: NavTarget): string => {
    if (!paths || (kind !== 'file' && kind !== 'address')) return '';
    const wanted = kind === 'file' ? path : paths.sourceFolder + path.replace(/^\/+/, '');
    return advisePath(path, { wanted, folder: '', find: paths.findSimilar });
  };
  return [...new Set(placed.map(({ items }) => items))].flatMap((items) => {
    const [first, ...others] = placed.filter((release) => items !== undefined && release.items === items);
    const nowhere = [...(first?.missing ?? [])].filter((item) => others.every(({ missing }) => missing.has(item)));
    return nowhere.map(({ place, target }) => ({
      ...place,
      message: `Navigation entry "${target!.path}" does not match any page${advise(target!)}`,
    }));
  });
}

function leadsToPage({ output, folder, children }: NavigationEntry): boolean {
  return (output !== undefined && output !== '') || folder !== undefined || children.some(leadsToPage);
}

function splitAnchor(path: string): readonly [path: string, anchor: string | undefined] {
  const at = path.search(/[?#]/);
  if (at < 0) return [path, undefined];
  const hash = path.indexOf('#');
  return [path.slice(0, at), hash < 0 ? undefined : path.slice(hash)];
}

/** Returns the pages by their Docusaurus id: folder and name without numbers, or the id that they set. */
function nameById(pages: readonly Page[]): ReadonlyMap<string, Page> {
  const byId = new Map<string, Page>();
  for (const page of pages) {
    const folder = withoutNumbers(folderOf(page.place));
    const name = withoutNumber(page.place.slice(folderOf(page.place).length)).replace(/\.html$/, '');
    const names = name === 'index' ? ['index', 'README', 'readme', folder.split('/').at(-2) ?? 'index'] : [name];
    for (const id of page.meta.id === undefined ? names : [page.meta.id, ...names]) {
      if (!byId.has(folder + id)) byId.set(folder + id, page);
    }
  }
  return byId;
}
