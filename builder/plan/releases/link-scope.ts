import { pageAddress } from '../../compose/navigation.ts';
import { isPageFile, pageOutputPath } from '../../page-path.ts';
import { findStatedLanguage, type Language } from '../../source/languages.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { LinkScope, LinkTarget } from '../links/create-link-resolver.ts';
import { createAddressBook } from '../navigation/address-book.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import type { VersionScope } from './version-scope.ts';

/**
 * Returns what links are resolved against: the pages `shown` in a release, for text written in one language. An
 * untranslated page is found where its translation would be, and a generated home where an index would be.
 */
export function createLinkScope(
  version: VersionScope,
  { language: own, shown }: { readonly language: Language; readonly shown: ReadonlyMap<string, Page> },
  textLanguageKey: string | undefined,
): LinkScope {
  const { site, slug, source, tree, roots, languageFolder, placer } = version;
  const ownFolder = languageFolder(own.key);
  const hasFolder = ownFolder !== source.sourceFolder;
  const folders = new Set([ownFolder, languageFolder(textLanguageKey ?? own.key)]);
  const defaultKey = tree.languages[0]?.language.key;
  const hasFile = (file: string): boolean => version.blobOf(file) !== undefined;

  /** The ids of an unreadable page are unknown. */
  const idsOf = (page: Page): ReadonlySet<string> | undefined => {
    const rendered = version.rendered.get(page.file);
    return rendered?.isReplaced ? undefined : rendered?.idSet;
  };
  const here = (page: Page): LinkTarget => ({
    address: pageAddress(page.output),
    isElsewhere: false,
    ids: idsOf(page),
  });
  const elsewhere = (page: Page): LinkTarget => {
    const address = pageAddress(site.releasePath(page.language.code, slug)) + pageAddress(page.output);
    return { address, isElsewhere: true, ids: idsOf(page) };
  };
  /** If languages are suffixes, `b.md` in the text `a.de.md` means the page in its own language. */
  const isMeantHere = ({ language: { key } }: Page): boolean =>
    key === textLanguageKey || key === own.key || (!hasFolder && key === defaultKey);
  const addresses = createAddressBook(
    shown,
    source.generator,
    (page) => page.meta.title ?? version.rendered.get(page.file)?.title,
  );
  const ownName = site.settings.title.replaceAll(' ', '-').toLowerCase();
  const places = new Map([...shown.values()].map((page) => [page.place, page]));
  /** A page all of whose files state their languages: of `b.en.md` and `b.fr.md`, `b.md` means the one in the release's language. */
  const findBySuffix = (path: string): Page | undefined => {
    const page = source.layout.suffixes.size > 0 ? places.get(pageOutputPath(path)) : undefined;
    return page && findStatedLanguage(page.file, source.layout)?.path === path ? page : undefined;
  };
  /** Finds a page by the path that its file would have in the folder of the release's language, or of the text's. */
  const findByPlace = (file: string): LinkTarget | undefined => {
    if (!isPageFile(file)) return undefined;
    for (const folder of folders) {
      if (!file.startsWith(folder)) continue;
      const output = pageOutputPath(file.slice(folder.length));
      const isHome = output === 'index.html' && !hasFile(folder + output);
      const isByPlace = isHome || folder !== source.sourceFolder;
      const page = isByPlace ? places.get(output) : findBySuffix(file.slice(folder.length));
      if (page) return here(page);
      if (isHome) return { address: pageAddress(output), isElsewhere: false, ids: new Set() };
    }
    return undefined;
  };
  return {
    roots,
    hasFile,
    mayHaveIndex: (folder) =>
      version.indexFolders.has(folder) ||
      [...folders].some(
        (home) => folder === home || (folder.startsWith(home) && places.has(`${folder.slice(home.length)}index.html`)),
      ),
    hasFolder: version.hasFolder,
    isOutside: version.isOutside,
    findPage(file) {
      const path = source.pathOf(file);
      if (path === undefined) return undefined;
      const page = tree.pageOfFile.get(path);
      if (!page) return findByPlace(file);
      const twin = isMeantHere(page) ? places.get(page.place) : undefined;
      if (!twin) return elsewhere(page);
      return twin.file === page.file ? here(twin) : { ...here(twin), original: () => elsewhere(page) };
    },
    findAddress(path, isSimilar) {
      const page = isSimilar ? addresses.findSimilar(path) : addresses.find(path);
      return page && here(page);
    },
    findReference: createReferenceFinder([...shown.values()], (page) => version.rendered.get(page.file), here),
    findUnnumbered(files, link) {
      for (const file of files) {
        for (const folder of folders) {
          const page = file.startsWith(folder) ? addresses.findUnnumbered(file.slice(folder.length)) : undefined;
          if (page) return here(page);
        }
      }
      // Generators know no such links.
      if (source.generator !== undefined) return undefined;
      // A site of several projects has the pages of each below its name: `/docs/kettle/setup`.
      const parts = link.split('/');
      const own = link.startsWith('/') ? parts.findIndex((part) => part.toLowerCase() === ownName) : -1;
      const path = own < 0 ? link : parts.slice(own + 1).join('/');
      const [, name] = /^(?:\.\/)?([^/]+)$/.exec(path) ?? [];
      const page =
        (own < 0 ? undefined : (addresses.find(path) ?? addresses.findUnnumbered(path))) ??
        (name === undefined ? undefined : addresses.findNamed(name)) ??
        addresses.findTitled(path);
      return page && here(page);
    },
    findVersion(path) {
      const target = version.links.find(path, own);
      if (!target) return undefined;
      if ('path' in target) return target;
      const address = pageAddress(site.releasePath(target.language.code, target.slug)) + pageAddress(target.output);
      return { address, isElsewhere: true, ids: undefined };
    },
    findDraft(file) {
      const path = source.pathOf(file);
      const reason = path === undefined ? undefined : tree.drafts.get(path);
      return reason === undefined ? undefined : { file, reason };
    },
    findSimilar: version.findSimilar,
    bases: listBases(version, own),
    nameOf: (file) =>
      file.startsWith(roots.sourceFolder) ? source.realPath(file.slice(roots.sourceFolder.length)) : file,
    placeFile: (file) => placer.address(file, own.key),
    hostUrl: (path, isFolder) => site.host?.view(path, isFolder),
  };
}

/** Creates a finder of pages by the ids in them, which are collected when first asked for. */
function createReferenceFinder(
  pages: readonly Page[],
  renderedOf: (page: Page) => RenderedPage | undefined,
  here: (page: Page) => LinkTarget,
): (id: string) => LinkTarget | undefined {
  let known: ReadonlyMap<string, Page> | undefined;
  const collect = (): ReadonlyMap<string, Page> => {
    const byId = new Map<string, Page>();
    for (const list of [(page: RenderedPage) => page.headings.map(({ id }) => id), (page: RenderedPage) => page.ids]) {
      for (const page of pages) {
        const rendered = renderedOf(page);
        for (const id of rendered ? list(rendered) : []) if (!byId.has(id)) byId.set(id, page);
      }
    }
    return byId;
  };
  return (id) => {
    known ??= collect();
    const page = known.get(id);
    return page && here(page);
  };
}

/** Prefixes of absolute URLs: the base path of the generator's site and the folder of the language, in either order. */
function listBases({ languageFolder, roots }: VersionScope, language: Language): readonly string[] {
  const folder = languageFolder(language.key).slice(roots.sourceFolder.length);
  const bases = ['', ...roots.bases.map((base) => base.slice(1))];
  const all = bases.flatMap((base) => [base, base + folder, folder + base]);
  return [...new Set(all)].filter((base) => base !== '');
}
