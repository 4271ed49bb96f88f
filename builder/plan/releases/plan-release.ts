import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { Composer } from '../../compose/create-composer.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { PageProblem, TextLanguage, ThemeModel } from '../../compose/page-model.ts';
import type { Generator, LinkSlot, Warning } from '../../model.ts';
import { createFileList, type FileList } from '../../publish/site-files.ts';
import { folderOf } from '../../source/page-path.ts';
import type { LanguagePages, Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { createLinkResolver, type LinkOutcome, type LinkPlace, type LinkScope } from '../links/create-link-resolver.ts';
import type { HostUrls } from '../links/host-urls.ts';
import type { LinkRoots } from '../links/link-candidates.ts';
import { addressFolder } from '../navigation/address-book.ts';
import { findTitle, type ReleaseNavigation } from '../navigation/release-navigation.ts';
import type { RenderedPage } from '../pages/render-pages.ts';
import { type AssetReader, fillSlots, writeSlot } from './asset-reader.ts';
import { createHomeModel } from './home-model.ts';
import { createLinkScope } from './link-scope.ts';
import type { Redirect } from './path-registry.ts';
import { type AssetPlacer, collectAssets } from './release-assets.ts';

/** Returns the prefixes that lead from a page to its release's root and to the site's. */
function pagePrefixes(output: string, releasePath: string): { readonly root: string; readonly siteRoot: string } {
  const up = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));
  const depth = output.split('/').length - 1;
  return { root: up(depth), siteRoot: up(depth + releasePath.split('/').length - 1) };
}

/** What is needed to plan one language of one version. */
export interface ReleaseInput {
  readonly ref: string;
  readonly tree: SourceTree;
  readonly language: LanguagePages;
  /** Source folder from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  readonly roots: LinkRoots;
  /** Returns where a file lies, from the repository's root, by its path below the source folder; links are followed. */
  readonly realPath: (file: string) => string;
  /** Returns the path below the source folder at which a file of the repository is shown; undefined when it is not. */
  readonly pathOf: (file: string) => string | undefined;
  readonly generator: Generator | undefined;
  /** Folder of a language's files with a final `/`, the source folder where languages have none. */
  readonly languageFolder: (key: string) => string;
  /** Folder of the language that a file belongs to; undefined when languages share it. */
  readonly folderOfLanguage: (file: string) => string | undefined;
  readonly rendered: ReadonlyMap<Page['file'], RenderedPage>;
  readonly getHtml: (page: RenderedPage) => string;
  readonly navigation: ReleaseNavigation;
  readonly placer: AssetPlacer;
  readonly assets: AssetReader;
  /** Returns the blob of a file, from the repository's root. */
  readonly blobOf: (file: string) => string | undefined;
  readonly world: Pick<LinkScope, 'hasFile' | 'hasFolder' | 'isOutside'>;
  readonly host: HostUrls | undefined;
  /** Files that exist on the default branch; only they can be edited. */
  readonly editable: ReadonlySet<string>;
  readonly composer: Composer;
  /** Version of everything that renders, templates included. */
  readonly engineVersion: string;
  readonly theme: (siteRoot: string) => ThemeModel;
  /** Path of a language's release in the site, with a final `/`, or ''. */
  readonly releasePath: (languageCode: string) => string;
  /** Folder of the theme's files from the site's root, with a final `/`. */
  readonly assetsFolder: string;
  /** Returns the address of the page in `latest`, absolute or from the site's root; undefined when it has none. */
  readonly canonical: (output: string, siteRoot: string, isFallback: boolean) => string | undefined;
  /** Paths of the release and where they lead. */
  readonly redirects: ReadonlyMap<string, Redirect>;
}

/** A release that is planned: its files, and how to make those that do not exist yet. */
export interface PlannedRelease {
  readonly list: FileList;
  /** Whoever takes those it needs empties the map: each holds on to all that the release was planned from. */
  readonly producers: Map<string, () => string | Promise<Uint8Array>>;
  readonly warnings: readonly Warning[];
}

/** Plans the files of one language of one version; composes nothing yet. */
export async function planRelease(input: ReleaseInput): Promise<PlannedRelease> {
  const { language, composer, navigation } = input;
  const files = new Map<string, string>();
  const producers = new Map<string, () => string | Promise<Uint8Array>>();
  const warnings: Warning[] = [];
  /** Files that pages refer to. */
  const taken = new Set<string>();
  const frameKeys = new Map<string, string>();
  const shown = new Map(language.pages.map((page) => [page.output, page]));
  const own = createLinkResolver(createLinkScope(input, shown, language.language.key));
  const fallback = createLinkResolver(
    createLinkScope(input, shown, language.pages.find((p) => p.isFallback)?.language.key),
  );
  const releasePath = input.releasePath(language.language.code);
  const textLanguage: TextLanguage = { tag: language.language.tag, dir: language.language.dir };

  for (const page of language.pages) planPage(page);
  if (!files.has('index.html')) planHome();
  for (const [output, redirect] of input.redirects) planRedirect(output, redirect);
  const { key: languageKey } = language.language;
  const travelling = await collectAssets(taken, {
    ...input,
    place: (file) => input.placer.place(file, languageKey),
    resolve: (reference, file, path) => {
      const prefixes = pagePrefixes(path, releasePath);
      const languageFolder = input.folderOfLanguage(file) ?? input.languageFolder(languageKey);
      return own(reference, { folder: folderOf(file), languageFolder, ...prefixes, ids: new Set() });
    },
  });
  for (const [path, key] of travelling.files) files.set(path, key);
  for (const [key, produce] of travelling.producers) producers.set(key, produce);
  warnings.push(...travelling.warnings);
  return { list: createFileList(files), producers, warnings };

  function planPage(page: Page): void {
    const rendered = input.rendered.get(page.file)!;
    const { root, siteRoot } = pagePrefixes(page.output, releasePath);
    const path = input.realPath(page.file);
    const shownAt = input.sourceFolder + page.file;
    const place: LinkPlace = {
      folder: folderOf(shownAt),
      realFolder: path === shownAt ? undefined : folderOf(path),
      languageFolder: input.languageFolder(page.language.key),
      addressFolder: addressFolder(page.output, input.roots.hasPageFolders),
      root,
      siteRoot,
      ids: rendered.idSet,
    };
    const resolve = (slot: LinkSlot): string => {
      const outcome = (page.isFallback ? fallback : own)(slot, place);
      if (outcome.problem && !page.isFallback) {
        warnings.push({ ref: input.ref, file: path, line: slot.line, ...outcome.problem });
      }
      return takeFile(outcome);
    };
    const { redirectTo } = page.meta;
    if (redirectTo !== undefined) {
      const isElsewhere = isAbsoluteUrl(redirectTo);
      writeRedirect(page.output, isElsewhere ? redirectTo : resolve({ kind: 'link', url: redirectTo, line: 1 }));
      return;
    }
    const urls = rendered.slots.map((slot) => writeSlot(slot, resolve(slot)));
    const home = page.meta.layout === 'home' ? createHomeModel(page, resolve) : undefined;
    const editUrl = input.editable.has(path) ? input.host?.edit(path) : undefined;
    const canonical = rendered.isReplaced ? undefined : input.canonical(page.output, siteRoot, page.isFallback);
    const problem = describeProblem(rendered, path);
    const frame = frameOf(page.output, root, siteRoot);
    const key = contentKey(
      frame.key,
      page.output,
      rendered.key,
      page.isFallback ? page.language.tag : '',
      `${editUrl}\n${canonical}\n${urls.join('\n')}`,
      JSON.stringify([page.meta.layout, page.meta.visibility, page.meta.description, page.meta.hidesTitle, home]),
      problem ? JSON.stringify(problem) : '',
    );
    files.set(page.output, key);
    producers.set(key, () =>
      composer.composePage({
        ...frame.model(),
        fallbackLanguage: page.isFallback ? { tag: page.language.tag, dir: page.language.dir } : undefined,
        layout: page.meta.layout,
        isUnlisted: page.meta.visibility === 'unlisted',
        title: isUntitledHome(page, rendered) ? '' : navigation.titleOf(page.output),
        hidesTitle: page.meta.hidesTitle,
        description: page.meta.description ?? '',
        home,
        toc: rendered.headings.filter(({ level }) => level === 2 || level === 3),
        editUrl,
        canonical,
        problem,
        content: fillSlots(input.getHtml(rendered), urls),
      }),
    );
  }

  /** A release always has a home, if only a list of what it holds. */
  function planHome(): void {
    const { root, siteRoot } = pagePrefixes('index.html', releasePath);
    const canonical = input.canonical('index.html', siteRoot, false);
    const frame = frameOf('index.html', root, siteRoot);
    const key = contentKey('home', frame.key, canonical ?? '');
    files.set('index.html', key);
    producers.set(key, () =>
      composer.composePage({
        ...frame.model(),
        fallbackLanguage: undefined,
        layout: 'doc',
        isUnlisted: false,
        title: input.theme(siteRoot).siteTitle,
        hidesTitle: false,
        description: '',
        home: undefined,
        toc: [],
        editUrl: undefined,
        canonical,
        problem: undefined,
        content: navigation.renderListing(),
      }),
    );
  }

  /** What surrounds a page's text, and a key of all that decides it but for the page's own place. */
  function frameOf(output: string, root: string, siteRoot: string) {
    let key = frameKeys.get(siteRoot);
    if (key === undefined) {
      const theme = JSON.stringify(input.theme(siteRoot));
      key = contentKey(input.engineVersion, navigation.id, theme, textLanguage.tag, siteRoot, input.assetsFolder);
      frameKeys.set(siteRoot, key);
    }
    const model = () => ({
      theme: input.theme(siteRoot),
      language: textLanguage,
      root,
      assets: siteRoot + input.assetsFolder,
      ...navigation.around(output, root),
      sidebar: navigation.renderSidebar(output, root),
    });
    return { key, model };
  }

  function planRedirect(output: string, { from, to }: Redirect): void {
    const { root, siteRoot } = pagePrefixes(output, releasePath);
    const folder = input.languageFolder(language.language.key);
    const place: LinkPlace = { folder, languageFolder: folder, root, siteRoot, ids: new Set() };
    if (typeof to !== 'string') {
      writeRedirect(output, root + pageAddress(to.output));
      return;
    }
    const outcome = isAbsoluteUrl(to) ? undefined : own({ kind: 'link', url: to, line: 0 }, place);
    if (outcome?.problem) {
      const message = `Redirect from "${from}": ${outcome.problem.message}`;
      warnings.push({ ref: input.ref, file: '.docbuild.yml', line: 0, code: outcome.problem.code, message });
    }
    writeRedirect(output, outcome ? takeFile(outcome) : to);
  }

  function writeRedirect(output: string, url: string): void {
    const key = contentKey('redirect', input.engineVersion, url, textLanguage.tag);
    files.set(output, key);
    producers.set(key, () => composer.composeRedirect({ url, language: textLanguage }));
  }

  function takeFile(outcome: LinkOutcome): string {
    if (outcome.file !== undefined) taken.add(outcome.file);
    return outcome.url;
  }
}

/** Returns what a page that cannot be read shows of the reason. */
function describeProblem({ isReplaced, errors }: RenderedPage, path: string): PageProblem | undefined {
  if (!isReplaced) return undefined;
  const { line, message } = errors[0]!;
  return { place: line > 0 ? `${path}:${line}` : path, message };
}

/** Tells whether a page is the release's home and only its file's name would title it: then the site's title does. */
function isUntitledHome(page: Page, rendered: RenderedPage): boolean {
  return page.output === 'index.html' && findTitle(page, rendered) === undefined;
}
