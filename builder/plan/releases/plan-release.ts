import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { append } from '../../../lib/append.ts';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { encodePath, isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import { findMessages } from '../../compose/messages.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { PageProblem, TextLanguage } from '../../compose/page-model.ts';
import { rulesOf } from '../../generators/generators.ts';
import type { LinkSlot, Warning } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import type { LiveContent } from '../../publish/live-output.ts';
import { createFileList, type FileList } from '../../publish/site-files.ts';
import { LATEST_SLUG } from '../../refs/version-slug.ts';
import type { LanguagePages, Page } from '../../source/pages/collect-pages.ts';
import { writeSlot } from '../asset-reader.ts';
import type { ImageSize } from '../image-size.ts';
import {
  createLinkResolver,
  type LinkOutcome,
  type LinkPlace,
  type LinkResolver,
} from '../links/create-link-resolver.ts';
import { addressFolder } from '../navigation/address-book.ts';
import { placeTheme } from '../navigation/place-header.ts';
import { type ReleaseNavigation, titlePage } from '../navigation/release-navigation.ts';
import { describeSource } from '../pages/render-versions.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import type { PathFinder } from '../versions/version-source.ts';
import {
  composeLater,
  composeListingLater,
  createRedirect,
  createSizedHomeModel,
  type Frame,
  surroundPage,
} from './compose-later.ts';
import { composeMarkdownLater, type MarkdownParts } from './compose-markdown.ts';
import { createLinkScope } from './link-scope.ts';
import { composeFullLater, groupPages, type ListedPage, LLMS_FILE, LLMS_FULL_FILE, writeLlms } from './llms.ts';
import { type Redirect, resolveRedirect } from './path-registry.ts';
import { collectAssets } from './release-assets.ts';
import type { VersionScope } from './version-scope.ts';

/** Returns the prefixes that lead from a page to its release's root and to the site's. */
function pagePrefixes(output: string, releasePath: string): { readonly root: string; readonly siteRoot: string } {
  const up = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));
  const depth = output.split('/').length - 1;
  return { root: up(depth), siteRoot: up(depth + releasePath.split('/').length - 1) };
}

export interface ReleaseInput {
  readonly language: LanguagePages;
  readonly navigation: ReleaseNavigation;
  /** Paths of Markdown by those of pages, see `ClaimedPages`. */
  readonly markdown: ReadonlyMap<string, string>;
  /** Hash of all that decides where the links of its pages lead, besides those links. */
  readonly places: string;
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
  /** Makes single pages anew, where `BuildTools.keepsPages`. */
  readonly remake?: RemakePage | undefined;
}

/** A page whose text has changed, with the key that it will have when the release is planned again. */
export interface RemadePage extends LiveContent {
  /** Path in its release. */
  readonly output: string;
}

/**
 * Makes a page after its file has changed, given by its path, as everything else stands: `find` finds files as they are now. Returns
 * undefined where the file is no page of the release, or more of the page changes than its text.
 */
export type RemakePage = (path: string, find: PathFinder) => Promise<RemadePage | undefined>;

/** Pages whose links are remembered: a preview plans a release after each save. */
const MAX_KNOWN = 5_000;

/** Where the links of pages lead, by all that decides that. */
const knownOutcomes = createBoundedMap<
  string,
  { readonly outcomes: readonly LinkOutcome[]; readonly isPortable: boolean }
>({ maxEntries: MAX_KNOWN });

/** Plans the files of one language of one version; composes nothing yet. */
export async function planRelease(
  version: VersionScope,
  { language: { language, pages }, navigation, redirects, markdown, places }: ReleaseInput,
): Promise<PlannedRelease> {
  const { site, slug, source } = version;
  const { composer, engineVersion } = site.tools;
  const ref = source.version.ref.name;
  const files = new Map<string, string>();
  const producers = new Map<string, () => string | Promise<Uint8Array>>();
  const warnings: Warning[] = [];
  const taken = new Set<string>();
  const frames = new Map<string, Frame>();
  const shown = new Map(pages.map((page) => [page.output, page]));
  const { baseUrl } = site.settings;
  let isPortable = true;
  let newest: ReadonlyMap<string, Page> | undefined;
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
  /** Targets of redirects that are redirects themselves. */
  const followed = new Map<string, Redirect>();
  for (const [output, redirect] of redirects) planRedirect(output, redirect);
  if (site.settings.machines !== false) planLists();
  await planAssets();
  const list = createFileList(files);
  return { list, producers, warnings, isPortable, remake: site.tools.keepsPages ? remake : undefined };

  async function planPage(page: Page): Promise<void> {
    const rendered = version.rendered.get(page.file)!;
    const path = source.realPath(page.file);
    const take = (slot: LinkSlot, outcome: LinkOutcome): LinkOutcome => {
      if (outcome.problem && !page.isFallback) {
        warnings.push({ ref, file: path, line: slot.line, ...outcome.problem });
      }
      takeFile(outcome);
      return outcome;
    };
    const { redirectTo } = page.meta;
    if (redirectTo !== undefined) {
      const { url } = redirectTo;
      const follow = (): string => {
        const slot = { kind: 'link', ...redirectTo } as const;
        return take(slot, createTargetFinder(page, rendered)(slot)).url;
      };
      writeRedirect(page.output, isAbsoluteUrl(url) ? url : follow());
      return;
    }
    const { key, make, urls, home, canonical, markdownFile } = await describePage(page, rendered, take);
    files.set(page.output, key);
    producers.set(key, make);
    if (markdownFile !== undefined) planMarkdown(markdownFile, { page, rendered, urls, home, canonical });
  }

  /** See `RemakePage`. */
  async function remake(path: string, find: PathFinder): Promise<RemadePage | undefined> {
    const page = pages.find(({ file, isFallback }) => !isFallback && source.realPath(file) === path);
    const known = page && version.rendered.get(page.file);
    const isMade = page && version.tree.files.get(page.file)?.isMade;
    if (!page || !known || isMade || source.evergreen || page.meta.redirectTo || known.isReplaced) return undefined;
    const entry = await find(path);
    if (entry?.kind !== 'file' || entry.path !== path) return undefined;
    const { oid } = entry;
    const { renderer } = version;
    const meta = await renderer.readMeta(oid, source.generator);
    if (!isDeepStrictEqual(meta, await renderer.readMeta(page.oid, source.generator))) return undefined;
    const { page: rendered, finished } = await renderer.render(describeSource(source, { ...page, oid }, find));
    await finished;
    const { isReplaced, title, extras } = rendered;
    if (isReplaced || title !== known.title || !isDeepStrictEqual(extras, known.extras)) return undefined;
    let hasNewFile = false;
    const { key, make } = await describePage({ ...page, oid }, rendered, (_, outcome) => {
      hasNewFile ||= outcome.file !== undefined && !taken.has(outcome.file);
      return outcome;
    });
    return hasNewFile ? undefined : { output: page.output, key, make };
  }

  function placeOf({ file, output, language: text }: Page, { idSet }: RenderedPage): LinkPlace {
    const path = source.realPath(file);
    const shownAt = source.sourceFolder + file;
    return {
      folder: folderOf(shownAt),
      realFolder: path === shownAt ? undefined : folderOf(path),
      languageFolder: version.languageFolder(text.key),
      addressFolder: addressFolder(output, version.roots.hasPageFolders),
      ...pagePrefixes(output, releasePath),
      ids: idSet,
      address: pageAddress(output),
    };
  }

  function createTargetFinder(page: Page, rendered: RenderedPage): (slot: LinkSlot) => LinkOutcome {
    const place = placeOf(page, rendered);
    return (slot) => {
      const found = (page.isFallback ? fallback : own)(slot, place);
      const isFromNewest = found.problem?.code === 'dead-link' && source.evergreen?.has(page.file);
      const elsewhere = isFromNewest ? findInLatest(slot, page, place.siteRoot) : undefined;
      return elsewhere === undefined ? found : { url: elsewhere, problem: undefined, file: undefined };
    };
  }

  /** Returns how a page is composed; `take` is told of all its links. */
  async function describePage(
    page: Page,
    rendered: RenderedPage,
    take: (slot: LinkSlot, outcome: LinkOutcome) => LinkOutcome,
  ) {
    const { root, siteRoot } = pagePrefixes(page.output, releasePath);
    const path = source.realPath(page.file);
    const findTarget = createTargetFinder(page, rendered);
    const resolveSlot = (slot: LinkSlot): LinkOutcome => take(slot, findTarget(slot));
    const resolve = (slot: LinkSlot): string => resolveSlot(slot).url;
    const images: (readonly [slot: number, file: string])[] = [];
    const outcomes = recallOutcomes(page, rendered, findTarget);
    const urls = rendered.slots.map((slot, at) => {
      const outcome = take(slot, outcomes[at]!);
      if (slot.kind === 'image' && outcome.file !== undefined) images.push([at, outcome.file]);
      return writeSlot(slot, outcome.url);
    });
    const sizes = await readSizes(images);
    const home =
      page.meta.layout === 'home' ? await createSizedHomeModel(page, { resolve: resolveSlot, sizeOf }) : undefined;
    const surroundings = surroundPage(page.meta, {
      editUrl: site.editUrl(path),
      sourceUrl: site.sourceUrl(path),
      written: rendered.isReplaced ? undefined : version.dateOf(path, page.oid),
      address: baseUrl && baseUrl + pageAddress(releasePath + page.output),
      resolve,
    });
    // Its absolute address names the version.
    if (baseUrl !== undefined && surroundings.image !== undefined) isPortable = false;
    const canonical = rendered.isReplaced ? undefined : canonicalOf(page.output, siteRoot, page.isFallback);
    const languageCode = page.isFallback ? page.language.code : language.code;
    const alternates = canonical === undefined ? [] : site.alternates({ languageCode, output: page.output });
    const problem = describeProblem(rendered, path);
    const frame = frameOf(root, siteRoot);
    const badges = version.badges?.find(ref, language.code, page.output);
    const markdownFile = markdown.get(page.output);
    const key = contentKey(
      frame.key,
      page.output,
      rendered.key,
      page.isFallback ? page.language.tag : '',
      `${canonical}\n${urls.join('\n')}`,
      alternates.map(({ tag, url }) => `${tag} ${url}`).join('\n'),
      JSON.stringify([...sizes]),
      JSON.stringify(surroundings),
      JSON.stringify([page.meta.layout, page.meta.visibility, page.meta.description, page.meta.hidesTitle, home]),
      problem ? JSON.stringify(problem) : '',
      badges ? JSON.stringify([...badges]) : '',
      markdownFile === undefined ? '' : 'markdown',
    );
    const { renderer } = version;
    const given = {
      composer,
      renderer,
      frame,
      root,
      page,
      rendered,
      urls,
      sizes,
      home,
      surroundings,
      canonical,
      alternates,
      problem,
      badges,
      markdown: markdownFile && `./${encodePath(markdownFile.slice(folderOf(markdownFile).length))}`,
    };
    return { key, make: composeLater(given), urls, home, canonical, markdownFile };
  }

  /** Returns where the links of a page lead: as in the last build, if nothing changed but the text of other pages. */
  function recallOutcomes(
    page: Page,
    rendered: RenderedPage,
    find: (slot: LinkSlot) => LinkOutcome,
  ): readonly LinkOutcome[] {
    const key = `${places} ${rendered.key} ${page.file}`;
    let known = knownOutcomes.get(key);
    if (!known) {
      const before = isPortable;
      isPortable = true;
      known = { outcomes: rendered.slots.map(find), isPortable };
      isPortable &&= before;
      // What other versions have, and which of several headings a reference means, is not in the key.
      const isWhole = version.links.named.length === 0 && source.evergreen === undefined;
      if (isWhole && rendered.slots.every(({ kind }) => kind !== 'reference')) knownOutcomes.set(key, known);
    }
    isPortable &&= known.isPortable;
    return known.outcomes;
  }

  /** A page of the newest version may link to others that only that version has. */
  function findInLatest({ url, kind }: LinkSlot, { file, language: text }: Page, siteRoot: string): string | undefined {
    const [, path, rest] = /^([^?#]*)(.*)$/s.exec(url)!;
    if (kind !== 'link' || site.settings.single) return undefined;
    newest ??= new Map(
      site.latest.flatMap(({ language: one, pages: all }) =>
        all.flatMap((page) => [page.file, page.output].map((name) => [`${one.key}/${name}`, page] as const)),
      ),
    );
    const target = path!.startsWith('/') ? path!.slice(1) : posix.normalize(folderOf(file) + path!);
    const names = [target, `${target}.md`, `${target}.html`, `${target.replace(/\/$/, '')}/index.html`];
    const page = names.map((name) => newest!.get(`${text.key}/${name}`)).find(Boolean);
    if (!page) return undefined;
    return siteRoot + pageAddress(site.releasePath(language.code, LATEST_SLUG)) + pageAddress(page.output) + rest;
  }

  /** Nothing in it names the version: what is equal in several is stored once. */
  function planMarkdown(path: string, { canonical, ...parts }: Omit<MarkdownParts, 'title' | 'renderer'>): void {
    const { page, rendered, urls, home } = parts;
    const title = titlePage(page, rendered);
    const absolute = canonical !== undefined && isAbsoluteUrl(canonical) ? canonical : undefined;
    const key = contentKey(
      'markdown',
      engineVersion,
      rendered.key,
      urls.join('\n'),
      JSON.stringify([title, page.meta.description, page.meta.hidesTitle, page.language.tag, absolute, home]),
    );
    files.set(path, key);
    if (!producers.has(key))
      producers.set(key, composeMarkdownLater({ ...parts, canonical: absolute, title, renderer: version.renderer }));
  }

  /** Plans the list of the release's pages for programs, and all of them in one file where that is wanted. */
  function planLists(): void {
    const listed = pages.flatMap((page): readonly ListedPage[] => {
      const path = markdown.get(page.output);
      if (path === undefined || page.meta.visibility !== 'listed' || !page.meta.isSearchable) return [];
      const { description } = page.meta;
      const title = titlePage(page, version.rendered.get(page.file)!);
      return [{ address: pageAddress(page.output), path, title, description }];
    });
    if (listed.length === 0) return;
    const start = shown.get('index.html')?.meta;
    const groups = groupPages(listed, navigation.listGroups());
    const text = writeLlms(groups, {
      title: site.settings.title,
      description: start?.description ?? start?.hero?.tagline,
      pages: findMessages(language.tag).pages,
    });
    const key = contentKey('file', text);
    files.set(LLMS_FILE, key);
    producers.set(key, () => text);
    const isLatest = site.latestRef === ref;
    const { llmsFull = 'latest' } = site.settings;
    if (llmsFull === 'none' || (llmsFull === 'latest' && !isLatest)) return;
    // Its URLs name the version.
    isPortable = false;
    const root = baseUrl && baseUrl + pageAddress(site.releasePath(language.code, isLatest ? LATEST_SLUG : slug));
    const parts = groups
      .flatMap((group) => group.pages)
      .map(({ path, address }) => {
        const own = files.get(path)!;
        return { path, url: root && root + address, key: own, make: producers.get(own)! };
      });
    const fullKey = contentKey('llms-full', engineVersion, JSON.stringify(parts));
    files.set(LLMS_FULL_FILE, fullKey);
    producers.set(fullKey, composeFullLater(parts));
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
    const start = rulesOf(source.generator).addresses?.startsWithFirst ? navigation.findStart(root) : undefined;
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
      const { theme, header } = placeTheme(site, { siteRoot, language }, (url) => findLink(url, root, siteRoot));
      const changes = theme.switches?.hasVersions ? siteRoot + site.changesPath(language.code) : undefined;
      const feed = changes === undefined || baseUrl === undefined ? undefined : siteRoot + site.feedPath(language.code);
      const [main] = site.languages;
      const isTranslation = main!.code !== language.code && !site.settings.single;
      const original = isTranslation
        ? { tag: main!.tag, notices: siteRoot + site.boardPaths(language.code).notices }
        : undefined;
      const latest = site.latestRoot(language.code);
      const parts = [
        navigation.id,
        JSON.stringify([theme, header, site.settings.templates]),
        textLanguage.tag,
        language.code,
        siteRoot,
        site.assetsFolder,
        feed ?? '',
        original?.tag ?? '',
        latest ?? '',
      ];
      const key = contentKey(engineVersion, ...parts);
      const list = siteRoot + site.listPath(language.code);
      const assets = siteRoot + site.assetsFolder;
      const links = { list, changes, feed, assets, latest };
      frame = { key, theme, header, ...links, language: textLanguage, original, navigation };
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
    const { url, file, problem } = resolveRedirect(redirect, redirects, { root, resolve, followed });
    if (problem) {
      const { code, message } = problem;
      warnings.push({ ref, file: '.docbuild.yml', line: redirect.line, code, message });
    }
    if (file !== undefined) taken.add(file);
    if (url !== undefined) writeRedirect(output, url);
  }

  function writeRedirect(output: string, url: string): void {
    const { key, make } = createRedirect(site.tools, url, textLanguage);
    files.set(output, key);
    producers.set(key, make);
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
    append(warnings, collected.warnings);
  }

  function canonicalOf(output: string, siteRoot: string, isFallback: boolean): string | undefined {
    return site.canonical({ languageCode: language.code, output, siteRoot, isFallback });
  }

  function takeFile(outcome: LinkOutcome): string {
    if (outcome.file !== undefined) taken.add(outcome.file);
    return outcome.url;
  }
}

function describeProblem({ isReplaced, errors }: RenderedPage, path: string): PageProblem | undefined {
  if (!isReplaced) return undefined;
  const { line, message } = errors[0]!;
  return { place: line > 0 ? `${path}:${line}` : path, message };
}
