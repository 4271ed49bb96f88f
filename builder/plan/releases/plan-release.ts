import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { PageProblem, TextLanguage } from '../../compose/page-model.ts';
import type { LinkSlot, Warning } from '../../model.ts';
import { createFileList, type FileList } from '../../publish/site-files.ts';
import { folderOf } from '../../source/page-path.ts';
import type { LanguagePages, Page } from '../../source/pages/collect-pages.ts';
import { writeSlot } from '../asset-reader.ts';
import type { ImageSize } from '../image-size.ts';
import { createLinkResolver, type LinkResolver } from '../links/create-link-resolver.ts';
import type { LinkOutcome, LinkPlace } from '../links/link-scope.ts';
import { addressFolder } from '../navigation/address-book.ts';
import { placeHeader } from '../navigation/place-header.ts';
import { findTitle, type ReleaseNavigation } from '../navigation/release-navigation.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { composeLater, composeListingLater, composeRedirectLater, type Frame } from './compose-later.ts';
import { createSizedHomeModel } from './home-model.ts';
import { createLinkScope } from './link-scope.ts';
import { surroundPage } from './page-surroundings.ts';
import type { Redirect } from './path-registry.ts';
import { collectAssets } from './release-assets.ts';
import { resolveRedirect } from './release-redirects.ts';
import type { VersionScope } from './version-scope.ts';

/** Returns the prefixes that lead from a page to its release's root and to the site's. */
function pagePrefixes(output: string, releasePath: string): { readonly root: string; readonly siteRoot: string } {
  const up = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));
  const depth = output.split('/').length - 1;
  return { root: up(depth), siteRoot: up(depth + releasePath.split('/').length - 1) };
}

/** One language of a version as it is published. */
export interface ReleaseInput {
  readonly language: LanguagePages;
  readonly navigation: ReleaseNavigation;
  /** The paths of the release and their content keys. */
  readonly redirects: ReadonlyMap<string, Redirect>;
}

/** A planned release: its files, and functions that produce those that do not exist yet. */
export interface PlannedRelease {
  readonly list: FileList;
  /** The map is emptied after use, since each function retains what its content is made of. */
  readonly producers: Map<string, () => string | Promise<Uint8Array>>;
  readonly warnings: readonly Warning[];
  /** Another version with the same content has the same files. */
  readonly isPortable: boolean;
}

/** Plans the files of one language of one version; composes nothing yet. */
export async function planRelease(
  version: VersionScope,
  { language: { language, pages }, navigation, redirects }: ReleaseInput,
): Promise<PlannedRelease> {
  const { site, slug, source } = version;
  const { composer, engineVersion } = site.tools;
  const ref = source.version.ref.name;
  const files = new Map<string, string>();
  const producers = new Map<string, () => string | Promise<Uint8Array>>();
  const warnings: Warning[] = [];
  /** Files that pages refer to. */
  const taken = new Set<string>();
  const frames = new Map<string, Frame>();
  const shown = new Map(pages.map((page) => [page.output, page]));
  const { baseUrl } = site.settings;
  let isPortable = true;
  const onElsewhere = (): void => {
    isPortable = false;
  };
  const [own, fallback] = [language.key, pages.find(({ isFallback }) => isFallback)?.language.key].map((textKey) =>
    createLinkResolver(createLinkScope(version, { language, shown, onElsewhere }, textKey)),
  ) as [LinkResolver, LinkResolver];
  const releasePath = site.releasePath(language.code, slug);
  const textLanguage: TextLanguage = { tag: language.tag, dir: language.dir };

  for (const page of pages) await planPage(page);
  if (!files.has('index.html')) planHome();
  for (const [output, redirect] of redirects) planRedirect(output, redirect);
  await planAssets();
  return { list: createFileList(files), producers, warnings, isPortable };

  async function planPage(page: Page): Promise<void> {
    const rendered = version.rendered.get(page.file)!;
    const { root, siteRoot } = pagePrefixes(page.output, releasePath);
    const path = source.realPath(page.file);
    const shownAt = source.sourceFolder + page.file;
    const place: LinkPlace = {
      folder: folderOf(shownAt),
      realFolder: path === shownAt ? undefined : folderOf(path),
      languageFolder: version.languageFolder(page.language.key),
      addressFolder: addressFolder(page.output, version.roots.hasPageFolders),
      root,
      siteRoot,
      ids: rendered.idSet,
      address: pageAddress(page.output),
    };
    const resolveSlot = (slot: LinkSlot): LinkOutcome => {
      const outcome = (page.isFallback ? fallback : own)(slot, place);
      if (outcome.problem && !page.isFallback) {
        warnings.push({ ref, file: path, line: slot.line, ...outcome.problem });
      }
      takeFile(outcome);
      return outcome;
    };
    const resolve = (slot: LinkSlot): string => resolveSlot(slot).url;
    const { redirectTo } = page.meta;
    if (redirectTo !== undefined) {
      const { url } = redirectTo;
      writeRedirect(page.output, isAbsoluteUrl(url) ? url : resolve({ kind: 'link', ...redirectTo }));
      return;
    }
    const images: (readonly [slot: number, file: string])[] = [];
    const urls = rendered.slots.map((slot, at) => {
      const outcome = resolveSlot(slot);
      if (slot.kind === 'image' && outcome.file !== undefined) images.push([at, outcome.file]);
      return writeSlot(slot, outcome.url);
    });
    const sizes = await readSizes(images);
    const home =
      page.meta.layout === 'home' ? await createSizedHomeModel(page, { resolve: resolveSlot, sizeOf }) : undefined;
    const surroundings = surroundPage(page.meta, {
      editUrl: site.editUrl(path),
      written: rendered.isReplaced ? undefined : version.dateOf(path, page.oid),
      address: baseUrl && baseUrl + pageAddress(releasePath + page.output),
      resolve,
    });
    // Its absolute address names the version.
    if (baseUrl !== undefined && surroundings.image !== undefined) isPortable = false;
    const canonical = rendered.isReplaced ? undefined : canonicalOf(page.output, siteRoot, page.isFallback);
    const problem = describeProblem(rendered, path);
    const frame = frameOf(root, siteRoot);
    const key = contentKey(
      frame.key,
      page.output,
      rendered.key,
      page.isFallback ? page.language.tag : '',
      `${canonical}\n${urls.join('\n')}`,
      JSON.stringify([...sizes]),
      JSON.stringify(surroundings),
      JSON.stringify([page.meta.layout, page.meta.visibility, page.meta.description, page.meta.hidesTitle, home]),
      problem ? JSON.stringify(problem) : '',
    );
    files.set(page.output, key);
    const { renderer } = version;
    const { output, meta, isFallback, language: written } = page;
    producers.set(
      key,
      composeLater({
        ...{
          composer,
          renderer,
          frame,
          root,
          output,
          meta,
          rendered,
          urls,
          sizes,
          home,
          surroundings,
          canonical,
          problem,
        },
        isUntitled: isUntitledHome(page, rendered),
        fallbackLanguage: isFallback ? { tag: written.tag, dir: written.dir } : undefined,
      }),
    );
  }

  /** Returns the sizes of images, by the numbers of their slots. */
  async function readSizes(
    images: readonly (readonly [slot: number, file: string])[],
  ): Promise<ReadonlyMap<number, ImageSize>> {
    const sizes = new Map<number, ImageSize>();
    for (const [slot, file] of images) {
      const size = await sizeOf(file);
      if (size && !size.isProportion) sizes.set(slot, size);
    }
    return sizes;
  }

  async function sizeOf(file: string): Promise<ImageSize | undefined> {
    const oid = version.blobOf(file);
    return oid === undefined ? undefined : (await site.tools.assets.inspect(file, oid)).size;
  }

  /** A release always has a home: in a book of mdBook it is the first chapter, otherwise a list of its pages. */
  function planHome(): void {
    const { root, siteRoot } = pagePrefixes('index.html', releasePath);
    const start = source.generator === 'mdbook' ? navigation.findStart(root) : undefined;
    if (start !== undefined) {
      writeRedirect('index.html', start);
      return;
    }
    const canonical = canonicalOf('index.html', siteRoot, false);
    const frame = frameOf(root, siteRoot);
    const key = contentKey('home', frame.key, canonical ?? '');
    files.set('index.html', key);
    producers.set(key, composeListingLater({ composer, frame, root, canonical }));
  }

  function frameOf(root: string, siteRoot: string): Frame {
    let frame = frames.get(siteRoot);
    if (frame === undefined) {
      const theme = site.theme(siteRoot);
      const header = placeHeader(site, { siteRoot, language }, (url) => findLink(url, root, siteRoot));
      const parts = [
        navigation.id,
        JSON.stringify([theme, header, site.settings.templates]),
        textLanguage.tag,
        language.code,
        siteRoot,
        site.assetsFolder,
      ];
      const key = contentKey(engineVersion, ...parts);
      const list = siteRoot + site.listPath(language.code);
      frame = { key, theme, header, list, language: textLanguage, assets: siteRoot + site.assetsFolder, navigation };
      frames.set(siteRoot, frame);
    }
    return frame;
  }

  /** Returns where a link of the header leads; undefined if there is no such page or file in this release. */
  function findLink(url: string, root: string, siteRoot: string): string | undefined {
    const folder = version.languageFolder(language.key);
    const outcome = own(
      { kind: 'link', url, line: 0 },
      { folder, languageFolder: folder, root, siteRoot, ids: new Set() },
    );
    return outcome.problem?.code === 'dead-link' ? undefined : takeFile(outcome);
  }

  function planRedirect(output: string, redirect: Redirect): void {
    const { root, siteRoot } = pagePrefixes(output, releasePath);
    const folder = version.languageFolder(language.key);
    const place: LinkPlace = { folder, languageFolder: folder, root, siteRoot, ids: new Set() };
    const resolve = (url: string): LinkOutcome => own({ kind: 'link', url, line: 0 }, place);
    const { url, file, problem } = resolveRedirect(redirect, redirects, { root, resolve });
    if (problem) {
      const { code, message } = problem;
      warnings.push({ ref, file: '.docbuild.yml', line: redirect.line, code, message });
    }
    if (file !== undefined) taken.add(file);
    if (url !== undefined) writeRedirect(output, url);
  }

  function writeRedirect(output: string, url: string): void {
    const key = contentKey('redirect', engineVersion, url, textLanguage.tag);
    files.set(output, key);
    producers.set(key, composeRedirectLater(composer, { url, language: textLanguage }));
  }

  /** Plans the files that pages refer to, transitively. */
  async function planAssets(): Promise<void> {
    const collected = await collectAssets(taken, {
      version,
      place: (file) => version.placer.place(file, language.key),
      resolve: (reference, file, path) => {
        const prefixes = pagePrefixes(path, releasePath);
        const languageFolder = version.folderOfLanguage(file) ?? version.languageFolder(language.key);
        return own(reference, { folder: folderOf(file), languageFolder, ...prefixes, ids: new Set() });
      },
    });
    for (const [path, key] of collected.files) files.set(path, key);
    for (const [key, produce] of collected.producers) producers.set(key, produce);
    warnings.push(...collected.warnings);
  }

  function canonicalOf(output: string, siteRoot: string, isFallback: boolean): string | undefined {
    return site.canonical({ languageCode: language.code, output, siteRoot, isFallback });
  }

  function takeFile(outcome: LinkOutcome): string {
    if (outcome.file !== undefined) taken.add(outcome.file);
    return outcome.url;
  }
}

/** Returns the reason that an unreadable page shows. */
function describeProblem({ isReplaced, errors }: RenderedPage, path: string): PageProblem | undefined {
  if (!isReplaced) return undefined;
  const { line, message } = errors[0]!;
  return { place: line > 0 ? `${path}:${line}` : path, message };
}

/** Returns whether a page is the release's home and has no title but its file's name; the site's title is used then. */
function isUntitledHome(page: Page, rendered: RenderedPage): boolean {
  return page.output === 'index.html' && findTitle(page, rendered) === undefined;
}
