import pMap from 'p-map';
import { BuildError } from '../build-error.ts';
import { findMessages } from '../compose/messages.ts';
import type { NavigationEntry } from '../compose/navigation.ts';
import { joinPath, splitUrl } from '../links/resolve-url.ts';
import type { ObjectReader, Warning } from '../model.ts';
import type { Language } from '../source/choose-languages.ts';
import { collectPages, type SourceTree } from '../source/collect-pages.ts';
import { folderOf, pageOutputPath } from '../source/page-path.ts';
import { type NavEntry, PROJECT_FILE_NAME } from '../source/project-file.ts';
import type { SiteFrame } from './create-site-frame.ts';
import { type AssetProblem, createAssetPlacer } from './place-assets.ts';
import { type PlannedRelease, planRelease } from './plan-release.ts';
import { createPathFinder, type PathFinder, type VersionSource } from './read-version.ts';
import type { createNavigationBuilder } from './release-navigation.ts';
import type { PageRenderer, RenderedPage } from './render-pages.ts';

/** What all versions of a site share while they are planned. */
export interface SiteContext extends SiteFrame {
  readonly renderer: PageRenderer;
  readonly buildNavigation: ReturnType<typeof createNavigationBuilder>;
  readonly inspectAsset: (oid: string) => Promise<AssetProblem | undefined>;
}

/** A version with its pages sorted into languages and rendered. */
export interface RenderedVersion {
  readonly source: VersionSource;
  readonly tree: SourceTree;
  /** By path below the source folder. */
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly find: PathFinder;
}

/** A version's releases by language code. */
export interface PlannedVersion {
  readonly releases: ReadonlyMap<string, PlannedRelease>;
  readonly pages: number;
  readonly fallbacks: number;
  readonly warnings: readonly Warning[];
}

/** Pages that are being rendered at once; enough to keep the highlighting workers busy. */
const CONCURRENT_PAGES = 200;

/** Renders all pages of a version. Throws `BuildError` with ref, file and line. */
export async function renderVersion(
  source: VersionSource,
  context: { readonly reader: ObjectReader; readonly renderer: PageRenderer; readonly languages: readonly Language[] },
  onPage: (done: number, total: number) => void,
): Promise<RenderedVersion> {
  const { version, sourceFolder, listing, layout } = source;
  const tree = collectPages(listing.files, layout, context.languages);
  const find = createPathFinder(context.reader, version.rootTree);
  const rendered = new Map<string, RenderedPage>();
  const renderPage = async ([file, page]: readonly [string, (typeof pages)[number][1]]): Promise<void> => {
    const path = sourceFolder + file;
    try {
      const titles = findMessages(page.language.tag).titles;
      rendered.set(file, await context.renderer.render({ oid: page.oid, path, sourceFolder, find, titles }));
    } catch (error) {
      throw error instanceof BuildError ? error.at({ ref: version.ref.name, file: path }) : error;
    }
    onPage(1, 0);
  };
  const pages = [...tree.pageOfFile];
  onPage(0, pages.length);
  await pMap(pages, renderPage, { concurrency: CONCURRENT_PAGES });
  return { source, tree, rendered, find };
}

/** Plans the releases of a rendered version. */
export async function planVersion(
  { source, tree, rendered, find }: RenderedVersion,
  slug: string,
  site: SiteContext,
): Promise<PlannedVersion> {
  const { sourceFolder, layout, project, version } = source;
  const ref = version.ref.name;
  const outside = await findOutsideTargets(tree, rendered, sourceFolder, find);
  const folders = collectFolders(tree.files.keys(), sourceFolder);
  const blobOf = (file: string): string | undefined =>
    (file.startsWith(sourceFolder) ? tree.files.get(file.slice(sourceFolder.length))?.oid : undefined) ??
    outside.files.get(file);
  const languageFolder = (key: string): string => {
    const folder = layout.folders.get(key);
    return folder === undefined ? sourceFolder : `${sourceFolder}${folder}/`;
  };
  const assets = createAssetPlacer({
    ref,
    sourceFolder,
    languageFolder,
    languageFolders: [...layout.folders.values()].map((folder) => `${sourceFolder}${folder}/`),
    blobOf,
    inspect: site.inspectAsset,
  });
  const authored = project.nav && placeNav(project.nav);
  const releases = new Map<string, PlannedRelease>();
  for (const language of tree.languages) {
    const { code } = language.language;
    const release = await planRelease({
      ...site,
      ref,
      tree,
      language,
      sourceFolder,
      languageFolder,
      rendered,
      getHtml: site.renderer.getHtml,
      navigation: site.buildNavigation(language.pages, rendered, authored),
      assets,
      world: {
        hasFile: (file) => blobOf(file) !== undefined,
        hasFolder: (folder) => folders.has(folder) || outside.folders.has(folder),
      },
      releasePath: (other) => site.releasePath(other, slug),
      canonical: (output, siteRoot, isFallback) => site.canonical(code, output, siteRoot, isFallback),
      redirects: project.redirects ?? {},
    });
    releases.set(code, release);
  }
  return {
    releases,
    pages: [...tree.languages].reduce((sum, { pages, fallbacks }) => sum + pages.length - fallbacks, 0),
    fallbacks: tree.languages.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
    warnings: collectWarnings(ref, { source, tree, rendered }, releases.values(), checkNav(authored, tree)),
  };
}

function collectWarnings(
  ref: string,
  { source, tree, rendered }: Pick<RenderedVersion, 'source' | 'tree' | 'rendered'>,
  releases: Iterable<PlannedRelease>,
  navProblems: readonly string[],
): readonly Warning[] {
  const { sourceFolder } = source;
  const warnings = new Map<string, Warning>();
  const add = (warning: Warning): void => {
    warnings.set(`${warning.file}\0${warning.line}\0${warning.code}\0${warning.message}`, warning);
  };
  for (const warning of [...source.listing.warnings, ...tree.warnings]) {
    add({ ...warning, ref, file: sourceFolder + warning.file });
  }
  for (const [file, page] of rendered) {
    for (const warning of page.warnings) add({ ...warning, ref, file: sourceFolder + file });
  }
  for (const release of releases) release.warnings.forEach(add);
  for (const message of navProblems) add({ ref, file: PROJECT_FILE_NAME, line: 0, code: 'dead-link', message });
  return [...warnings.values()].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || (a.message < b.message ? -1 : 1),
  );
}

/** Links that leave the source folder are looked up beforehand, since resolving them must not wait. */
async function findOutsideTargets(
  tree: SourceTree,
  rendered: ReadonlyMap<string, RenderedPage>,
  sourceFolder: string,
  find: PathFinder,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly folders: ReadonlySet<string> }> {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  if (sourceFolder === '') return { files, folders };
  const asked = new Set<string>();
  for (const file of tree.pageOfFile.keys()) {
    for (const { url } of rendered.get(file)?.slots ?? []) {
      if (!url.includes('..') && !url.startsWith('/')) continue;
      const { path } = splitUrl(url);
      const folder = path.startsWith('/') ? '' : folderOf(sourceFolder + file);
      const target = joinPath(folder, path.replace(/^\/+/, ''))?.replace(/\/$/, '');
      if (target === undefined || target === '' || target.startsWith(sourceFolder) || asked.has(target)) continue;
      asked.add(target);
      const entry = await find(target);
      if (entry?.kind === 'file') files.set(target, entry.oid);
      else if (entry) folders.add(target);
    }
  }
  return { files, folders };
}

function collectFolders(files: Iterable<string>, sourceFolder: string): ReadonlySet<string> {
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

function placeNav(entries: readonly NavEntry[]): readonly NavigationEntry[] {
  return entries.map(({ title, path, children }) => {
    const isUrl = path !== undefined && /^[a-z][a-z0-9+.-]*:|^\/\//i.test(path);
    const below = placeNav(children);
    if (path === undefined || isUrl) return { title, output: undefined, url: path, children: below };
    const file = path.replace(/^\.?\/+/, '');
    const output = /\.(?:md|markdown|mdx)$/i.test(file) ? pageOutputPath(file) : nameOutput(file);
    return { title, output, url: undefined, children: below };
  });
}

function nameOutput(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path.replace(/\.html$/, '')}.html`;
}

/** Gives what is wrong with an authored navigation: entries that name no page in any language. */
function checkNav(entries: readonly NavigationEntry[] | undefined, tree: SourceTree): readonly string[] {
  if (!entries) return [];
  const outputs = new Set(tree.languages.flatMap(({ pages }) => pages.map(({ output }) => output)));
  const visit = ({ output, children }: NavigationEntry): readonly string[] => [
    ...(output === undefined || outputs.has(output) ? [] : [`Navigation names "${output}", which no page makes`]),
    ...children.flatMap(visit),
  ];
  return entries.flatMap(visit);
}
