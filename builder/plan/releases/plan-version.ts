import type { SourceError, Warning } from '../../model.ts';
import type { FileList } from '../../publish/site-files.ts';
import type { LanguagePages, SourceTree } from '../../source/pages/collect-pages.ts';
import { PROJECT_FILE_NAME } from '../../source/project-file.ts';
import type { LinkRoots } from '../links/link-candidates.ts';
import { checkNav, listMissing, placeGeneratorNavigation, placeNav } from '../navigation/place-navigation.ts';
import type { NavigationReader } from '../navigation/read-navigation.ts';
import type { createNavigationBuilder } from '../navigation/release-navigation.ts';
import type { PageRenderer } from '../pages/render-pages.ts';
import type { RenderedVersion } from '../pages/render-versions.ts';
import type { SiteFrame } from '../site.ts';
import type { ReleaseNotes, VersionNotes } from '../versions/build-notes.ts';
import type { AssetReader } from './asset-reader.ts';
import { collectFolders, findOutsideTargets } from './outside-targets.ts';
import { createPathRegistry, type PathRegistry, placeRedirects } from './path-registry.ts';
import { type PlannedRelease, planRelease } from './plan-release.ts';
import { createAssetPlacer } from './release-assets.ts';
import { createReleaseKeys } from './release-key.ts';

/** What all versions of a site share while they are planned. */
export interface SiteContext extends SiteFrame {
  readonly renderer: PageRenderer;
  readonly buildNavigation: ReturnType<typeof createNavigationBuilder>;
  readonly assets: AssetReader;
  readonly readNavigation: NavigationReader;
  /** Hash of what all versions of the site share. */
  readonly siteKey: string;
  /** The version as it is published now. */
  readonly published:
    | { readonly notes: VersionNotes; readonly findList: (code: string) => FileList | undefined }
    | undefined;
}

/** A version's releases by language code. */
export interface PlannedVersion {
  readonly releases: ReadonlyMap<string, PlannedRelease>;
  readonly pages: number;
  readonly fallbacks: number;
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
  readonly releaseNotes: Readonly<Record<string, ReleaseNotes>>;
  readonly unlisted: VersionNotes['unlisted'];
  /** One of its pages may be another the next time. */
  readonly isMomentary: boolean;
}

/** Plans the releases of a rendered version; those that are published already stay as they are. */
export async function planVersion(
  { source, tree, rendered, find }: RenderedVersion,
  slug: string,
  site: SiteContext,
): Promise<PlannedVersion> {
  const { sourceFolder, layout, project, version } = source;
  const ref = version.ref.name;
  const languageFolder = (key: string): string => {
    const folder = layout.folders.get(key);
    return folder === undefined ? sourceFolder : `${sourceFolder}${folder}/`;
  };
  const languageFolders = [...layout.folders.values()].map((folder) => `${sourceFolder}${folder}/`);
  const folderOfLanguage = (file: string): string | undefined =>
    languageFolders.find((folder) => file.startsWith(folder));
  const roots: LinkRoots = {
    sourceFolder,
    defaultFolder: languageFolder(tree.languages[0]?.language.key ?? ''),
    statics: source.statics,
    bases: source.site?.bases ?? [],
    aliases: source.site?.aliases ?? [],
    hasPageFolders: source.site?.hasPageFolders ?? false,
    isFromContent: source.generator === 'docusaurus',
  };
  const outside = await findOutsideTargets({
    tree,
    rendered,
    source,
    roots,
    languageFolders,
    find,
    inspect: site.assets.inspect,
  });
  const own = await site.readNavigation(source, find);
  const placed = new Map(
    tree.languages.map((language) => [language, placeGeneratorNavigation(own, { source, tree, language })]),
  );
  const { navigation } = own;
  const keyOf = createReleaseKeys({ siteKey: site.siteKey, slug, source, tree, rendered, outside, navigation });
  const keys = new Map(tree.languages.map((language) => [language.language.code, keyOf(language)]));
  const folders = collectFolders(tree.files.keys(), sourceFolder);
  const blobOf = (file: string): string | undefined => {
    const path = file.startsWith(sourceFolder) ? file.slice(sourceFolder.length) : undefined;
    const own = path === undefined || tree.drafts.has(path) ? undefined : tree.files.get(path)?.oid;
    return own ?? outside.files.get(file);
  };
  const claims = new Map<string, PathRegistry>();
  const hasFolder = (folder: string): boolean => folders.has(folder) || outside.folders.has(folder);
  const placer = createAssetPlacer({
    sourceFolder,
    languageFolder,
    languageFolders,
    blobOf,
    hasFolder,
    isFree: (path, languageKey) => claims.get(languageKey)!.isFree(path),
  });
  const authored = project.nav && placeNav(project.nav);
  const releases = new Map<string, PlannedRelease>();
  for (const language of tree.languages) {
    const { code, key } = language.language;
    const known = findPublished(site.published, code, keys.get(code)!);
    if (known) {
      releases.set(code, known);
      continue;
    }
    const claimed = claimPages(language, tree, slug, site);
    claims.set(key, claimed);
    const { redirects, problems } = placeRedirects(project.redirects ?? {}, language.pages, claimed);
    const release = await planRelease({
      ...site,
      ref,
      tree,
      language,
      sourceFolder,
      roots,
      realPath: source.realPath,
      pathOf: source.pathOf,
      generator: source.generator,
      languageFolder,
      rendered,
      getHtml: site.renderer.getHtml,
      navigation: site.buildNavigation(language.pages, rendered, {
        authored,
        generator: source.generator,
        placed: placed.get(language)!,
      }),
      placer,
      blobOf,
      folderOfLanguage,
      world: {
        hasFile: (file) => blobOf(file) !== undefined,
        isOutside: (file) => outside.files.has(file) || tree.files.get(source.pathOf(file) ?? '')?.isLeftOut === true,
        hasFolder,
      },
      releasePath: (other) => site.releasePath(other, slug),
      canonical: (output, siteRoot, isFallback) => site.canonical(code, output, siteRoot, isFallback),
      redirects,
    });
    const leftOut = problems.map(({ page, message }) =>
      page
        ? { ref, file: source.realPath(page.file), line: 0, code: 'duplicate-page' as const, message }
        : { ...PROJECT_FILE_WARNING, ref, message },
    );
    releases.set(code, { ...release, warnings: [...release.warnings, ...leftOut] });
  }
  const navProblems = authored
    ? checkNav(authored, tree).map((message) => ({ file: PROJECT_FILE_NAME, line: 0, message }))
    : listMissing([...placed.values()]);
  const warnings = collectWarnings(ref, { source, tree, rendered }, releases.values(), [
    ...navProblems.map((problem) => ({ ...problem, ref, code: 'dead-link' as const })),
    ...own.notes.map((note) => ({ ...note, ref, code: 'navigation' as const })),
  ]);
  const places = new Map(warnings.map((warning, at) => [identify(warning), at]));
  return {
    releases,
    releaseNotes: Object.fromEntries(
      [...releases].map(([code, release]) => [
        code,
        { key: keys.get(code)!, warnings: release.warnings.map((warning) => places.get(identify(warning))!) },
      ]),
    ),
    pages: [...tree.languages].reduce((sum, { pages, fallbacks }) => sum + pages.length - fallbacks, 0),
    fallbacks: tree.languages.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
    errors: collectErrors(ref, { source, rendered }),
    unlisted: collectReplaced(tree, rendered),
    isMomentary: [...rendered.values()].some((page) => page.isMomentary),
    warnings,
  };
}

const PROJECT_FILE_WARNING = { file: PROJECT_FILE_NAME, line: 0, code: 'project-file' } as const;

/** Returns a release as it is published, when everything it depends on is the same. */
function findPublished(published: SiteContext['published'], code: string, key: string): PlannedRelease | undefined {
  if (!published || !Object.hasOwn(published.notes.releases, code)) return undefined;
  const notes = published.notes.releases[code]!;
  const list = notes.key === key ? published.findList(code) : undefined;
  return list && { list, producers: new Map(), warnings: notes.warnings.map((at) => published.notes.warnings[at]!) };
}

/** Takes the paths of a release's pages; the folders of releases that stand inside it are nobody's. */
function claimPages(
  { language, pages }: LanguagePages,
  tree: SourceTree,
  slug: string,
  site: Pick<SiteFrame, 'releasePath'>,
): PathRegistry {
  const own = site.releasePath(language.code, slug);
  const inside = tree.languages
    .map((other) => site.releasePath(other.language.code, slug))
    .filter((path) => path !== own && path.startsWith(own))
    .map((path) => path.slice(own.length));
  const claims = createPathRegistry(inside);
  for (const { output } of pages) claims.claim(output);
  claims.claim('index.html');
  return claims;
}

function collectWarnings(
  ref: string,
  { source, tree, rendered }: Pick<RenderedVersion, 'source' | 'tree' | 'rendered'>,
  releases: Iterable<PlannedRelease>,
  navProblems: readonly Warning[],
): readonly Warning[] {
  const warnings = new Map<string, Warning>();
  const add = (warning: Warning): void => {
    warnings.set(identify(warning), warning);
  };
  for (const warning of source.listing.warnings) add({ ...warning, ref });
  for (const warning of tree.warnings) add({ ...warning, ref, file: source.realPath(warning.file) });
  for (const [file, page] of rendered) {
    for (const warning of page.warnings) add({ ...warning, ref, file: source.realPath(file) });
  }
  for (const release of releases) release.warnings.forEach(add);
  navProblems.forEach(add);
  return [...warnings.values()].sort(comparePlaces);
}

function collectErrors(
  ref: string,
  { source, rendered }: Pick<RenderedVersion, 'source' | 'rendered'>,
): readonly SourceError[] {
  const errors: SourceError[] = source.errors.map((error) => ({ ...error, ref }));
  for (const [path, page] of rendered) {
    for (const error of page.errors) errors.push({ ...error, ref, file: source.realPath(path) });
  }
  return errors.sort(comparePlaces);
}

function collectReplaced({ languages }: SourceTree, rendered: RenderedVersion['rendered']): VersionNotes['unlisted'] {
  const replaced = languages.map(({ language, pages }) => {
    const own = pages.filter(({ file, isFallback }) => !isFallback && rendered.get(file)!.isReplaced);
    return [language.code, own.map(({ output }) => output)] as const;
  });
  const found = replaced.filter(([, outputs]) => outputs.length > 0);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

type Place = Pick<Warning, 'file' | 'line' | 'message'>;

function comparePlaces(a: Place, b: Place): number {
  return (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || (a.message < b.message ? -1 : 1);
}

function identify({ file, line, code, message }: Warning): string {
  return `${file}\0${line}\0${code}\0${message}`;
}
