import { once } from '../../../lib/once.ts';
import { rulesOf } from '../../generators/generators.ts';
import { folderOf, isIndexPage, markdownPath } from '../../page-path.ts';
import type { LanguagePages } from '../../source/pages/collect-pages.ts';
import { type LinkRoots, shareRoots } from '../links/link-candidates.ts';
import { createSimilarPathFinder } from '../links/similar-paths.ts';
import type { PageDates } from '../pages/page-dates.ts';
import type { RenderedVersion } from '../pages/render-versions.ts';
import type { SectionBadges } from '../plan-since.ts';
import type { Site } from '../site.ts';
import type { LinkVersions, VersionDirectory } from './linked-versions.ts';
import { LLMS_FILE, LLMS_FULL_FILE } from './llms.ts';
import { collectFolders, findOutsideTargets, type OutsideTargets } from './outside-targets.ts';
import { createPathRegistry, type PathRegistry } from './path-registry.ts';
import { type AssetPlacer, createAssetPlacer } from './release-assets.ts';

/**
 * A rendered version while its releases are planned, with the locations of its files. Paths are from the repository's
 * root.
 */
export interface VersionScope extends RenderedVersion {
  readonly site: Site;
  readonly slug: string;
  readonly roots: LinkRoots;
  /** The targets of links that leave the source folder. */
  readonly outside: OutsideTargets;
  /** Folders with an index, by the path at which it is shown and by its own. */
  readonly indexFolders: ReadonlySet<string>;
  readonly placer: AssetPlacer;
  readonly links: LinkVersions;
  /** Returns the folder of a language's files with a final `/`, the source folder where languages have none. */
  languageFolder(key: string): string;
  /** Returns the folder of the language that a file belongs to; undefined when languages share it. */
  folderOfLanguage(file: string): string | undefined;
  /** Returns the blob of a file that pages may link to. */
  blobOf(file: string): string | undefined;
  hasFolder(folder: string): boolean;
  /** Returns the page or file of the documentation that was probably meant by a path which does not exist. */
  findSimilar(path: string): string | undefined;
  /** Returns when a file was written that is a page, by its path and blob. */
  readonly dateOf: PageDates;
  /** Since when sections are there, where pages say so. */
  readonly badges: SectionBadges | undefined;
  /** Returns whether an existing file is outside the documentation. */
  isOutside(file: string): boolean;
  /**
   * Claims the paths of a release's pages, and of their Markdown where these are free; `placer` can place files only
   * afterwards.
   */
  claimPages(language: LanguagePages): ClaimedPages;
}

export interface ClaimedPages {
  readonly claims: PathRegistry;
  /** Paths of Markdown by those of pages; none where the site has none. */
  readonly markdown: ReadonlyMap<string, string>;
}

/** Opens the scope of a version: looks up what its pages may link to. */
export async function openVersionScope(
  version: RenderedVersion,
  slug: string,
  {
    site,
    directory,
    badges,
  }: { readonly site: Site; readonly directory: VersionDirectory; readonly badges: SectionBadges | undefined },
): Promise<VersionScope> {
  const { source, tree, rendered, find } = version;
  const { sourceFolder, layout } = source;
  const languageFolder = (key: string): string => {
    const folder = layout.folders.get(key);
    return folder === undefined ? sourceFolder : `${sourceFolder}${folder}/`;
  };
  const languageFolders = [...layout.folders.values()].map((folder) => `${sourceFolder}${folder}/`);
  const roots = shareRoots({
    sourceFolder,
    defaultFolder: languageFolder(tree.languages[0]?.language.key ?? ''),
    languageFolders,
    statics: source.statics,
    bases: source.site?.bases ?? [],
    aliases: source.site?.aliases ?? [],
    hasPageFolders: source.site?.hasPageFolders ?? false,
    // Applications have one base for the links of all pages.
    isFromContent: rulesOf(source.generator).addresses?.linksFromContent === true,
  });
  const dateOf: PageDates =
    site.settings.lastUpdated === false
      ? () => undefined
      : await site.tools.readDates(source.version.ref.oid, { folder: sourceFolder, isFlat: source.isReadmeOnly });
  const { inspect } = site.tools.assets;
  const outside = await findOutsideTargets({ tree, rendered, source, roots, find, inspect });
  const folders = collectFolders(tree.files.keys(), sourceFolder);
  const hasFolder = (folder: string): boolean => folders.has(folder) || outside.folders.has(folder);
  const blobOf = (file: string): string | undefined => {
    const path = file.startsWith(sourceFolder) ? file.slice(sourceFolder.length) : undefined;
    const own = path === undefined || tree.drafts.has(path) ? undefined : tree.files.get(path)?.oid;
    return own ?? outside.files.get(file);
  };
  const similar = once(() => {
    const shown = [...tree.files.keys()].filter((path) => !tree.drafts.has(path));
    return createSimilarPathFinder(shown.map((path) => sourceFolder + path));
  });
  const indexes = [...tree.pageOfFile.keys()].filter(isIndexPage);
  const indexFolders = new Set(
    indexes.flatMap((path) => [sourceFolder + folderOf(path), folderOf(source.realPath(path))]),
  );
  const registries = new Map<string, PathRegistry>();
  const isFree = (path: string, languageKey: string): boolean => registries.get(languageKey)!.isFree(path);
  return {
    ...version,
    links: await directory.open(source.version, rendered),
    site,
    badges,
    slug,
    roots,
    outside,
    dateOf,
    languageFolder,
    blobOf,
    hasFolder,
    findSimilar: (path) => similar()(path),
    indexFolders,
    placer: createAssetPlacer({ sourceFolder, languageFolder, languageFolders, blobOf, hasFolder, isFree }),
    folderOfLanguage: (file) => languageFolders.find((folder) => file.startsWith(folder)),
    isOutside: (file) => outside.files.has(file) || tree.files.get(source.pathOf(file) ?? '')?.isLeftOut === true,
    claimPages({ language, pages }) {
      const own = site.releasePath(language.code, slug);
      // The folders of releases inside this one are reserved.
      const inside = tree.languages
        .map((other) => site.releasePath(other.language.code, slug))
        .filter((path) => path !== own && path.startsWith(own))
        .map((path) => path.slice(own.length));
      const registry = createPathRegistry(inside);
      for (const { output } of pages) registry.claim(output);
      registry.claim('index.html');
      registries.set(language.key, registry);
      const markdown = new Map<string, string>();
      if (site.settings.machines === false) return { claims: registry, markdown };
      for (const path of [LLMS_FILE, LLMS_FULL_FILE]) registry.claim(path);
      for (const { output, file, meta } of pages) {
        if (meta.redirectTo !== undefined || rendered.get(file)!.isReplaced) continue;
        const path = markdownPath(output);
        if (registry.claim(path)) markdown.set(output, path);
      }
      return { claims: registry, markdown };
    },
  };
}
