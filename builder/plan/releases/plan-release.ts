import { append } from '../../../lib/append.ts';
import { contentKey } from '../../cache/content-key.ts';
import { rulesOf } from '../../generators/generators.ts';
import type { Warning } from '../../model.ts';
import type { LiveContent } from '../../publish/live-output.ts';
import { createFileList, type FileList } from '../../publish/site-files.ts';
import type { LanguagePages } from '../../source/pages/collect-pages.ts';
import type { ReleaseNavigation } from '../navigation/release-navigation.ts';
import { PROJECT_FILE_NAME } from '../project-file.ts';
import { composeListingLater, createRedirect } from './compose-later.ts';
import { type Redirect, resolveRedirect } from './path-registry.ts';
import { planLists } from './plan-lists.ts';
import { type PlannedFile, planPage, type ReleaseScope } from './plan-page.ts';
import { collectAssets } from './release-assets.ts';
import { createReleaseFrames } from './release-frames.ts';
import { createReleaseLinks } from './release-links.ts';
import { createRemake, type RemakePage } from './remake-page.ts';
import type { VersionScope } from './version-scope.ts';

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
  readonly producers: Map<string, PlannedFile['make']>;
  readonly warnings: readonly Warning[];
  /** Another version with the same content has the same files. */
  readonly isPortable: boolean;
  /** Makes single pages anew, where `BuildTools.keepsPages`. */
  readonly remake?: RemakePage | undefined;
}

/** Plans the files of one language of one version; composes nothing yet. */
export async function planRelease(
  version: VersionScope,
  { language: own, navigation, redirects, markdown, places }: ReleaseInput,
): Promise<PlannedRelease> {
  const { language, pages } = own;
  const { site, source } = version;
  const ref = source.version.ref.name;
  const links = createReleaseLinks(version, own, places);
  const frames = createReleaseFrames(site, { language, navigation }, links);
  const release: ReleaseScope = { version, language, links, frames, markdown };
  const files = new Map<string, PlannedFile>();
  const add = (file: PlannedFile): unknown => files.set(file.path, file);
  const texts = new Map<string, LiveContent>();
  const warnings: Warning[] = [];
  /** Files of the repository that the release refers to. */
  const taken = new Set<string>();
  let isPortable = true;
  for (const page of pages) {
    const planned = await planPage(page, version.rendered.get(page.file)!, release);
    add({ path: page.output, ...planned.page });
    if (planned.markdown) {
      add(planned.markdown);
      texts.set(planned.markdown.path, planned.markdown);
    }
    for (const [{ line }, { file, problem }] of planned.links) {
      if (file !== undefined) taken.add(file);
      if (problem && !page.isFallback) warnings.push({ ref, file: source.realPath(page.file), line, ...problem });
    }
    isPortable &&= planned.isPortable;
  }
  if (!files.has('index.html')) add(planHome(release, navigation));
  const redirected = planRedirects(redirects, release);
  redirected.files.forEach(add);
  append(warnings, redirected.warnings);
  if (site.settings.machines !== false) {
    const lists = planLists(pages, release, { navigation, markdown: texts });
    lists.files.forEach(add);
    isPortable &&= lists.isPortable;
  }
  for (const file of [...frames.files, ...redirected.taken]) taken.add(file);
  const assets = await collectAssets(taken, {
    version,
    place: (file) => version.placer.place(file, language.key),
    resolve: links.fromFile,
  });
  append(warnings, assets.warnings);
  return {
    list: createFileList(new Map([...[...files].map(([path, { key }]) => [path, key] as const), ...assets.files])),
    producers: new Map([...[...files.values()].map(({ key, make }) => [key, make] as const), ...assets.producers]),
    warnings,
    isPortable: isPortable && links.isPortable(),
    remake: site.tools.keepsPages ? createRemake(release, pages, taken) : undefined,
  };
}

/** Plans the home that every release has: in a book of mdBook the first chapter, otherwise a list of its pages. */
function planHome({ version, language, links, frames }: ReleaseScope, navigation: ReleaseNavigation): PlannedFile {
  const { site, source } = version;
  const path = 'index.html';
  const prefixes = links.prefixesOf(path);
  const { root, siteRoot } = prefixes;
  const start = rulesOf(source.generator).addresses?.startsWithFirst ? navigation.findStart(root) : undefined;
  if (start !== undefined) return { path, ...createRedirect(site.tools, start, language) };
  const canonical = site.canonical({ languageCode: language.code, output: path, siteRoot, isFallback: false });
  const frame = frames.at(prefixes);
  const { composer } = site.tools;
  return {
    path,
    key: contentKey('home', frame.key, canonical ?? ''),
    make: composeListingLater({ composer, frame, root, canonical }),
  };
}

function planRedirects(
  redirects: ReadonlyMap<string, Redirect>,
  { version, language, links }: ReleaseScope,
): {
  readonly files: readonly PlannedFile[];
  readonly taken: readonly string[];
  readonly warnings: readonly Warning[];
} {
  const ref = version.source.version.ref.name;
  const files: PlannedFile[] = [];
  const taken: string[] = [];
  const warnings: Warning[] = [];
  const followed = new Map<string, Redirect>();
  for (const [path, redirect] of redirects) {
    const prefixes = links.prefixesOf(path);
    const { root } = prefixes;
    const resolve = (url: string) => links.fromRoot(url, prefixes);
    const { url, file, problem } = resolveRedirect(redirect, redirects, { root, resolve, followed });
    if (problem) warnings.push({ ref, file: PROJECT_FILE_NAME, line: redirect.line, ...problem });
    if (file !== undefined) taken.push(file);
    if (url !== undefined) files.push({ path, ...createRedirect(version.site.tools, url, language) });
  }
  return { files, taken, warnings };
}
