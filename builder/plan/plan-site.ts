import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import type { Brand } from '../compose/theme.ts';
import type { Repository, Warning } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import type { FileList, SiteFiles } from '../publish/site-files.ts';
import { nameVersions } from '../refs/name-versions.ts';
import { assignSlugs } from '../refs/version-slug.ts';
import { listAllowedHosts } from '../source/allowed-host.ts';
import { createTreePaths, type TreePaths } from '../source/files/tree-paths.ts';
import { guessLanguage } from '../source/guess-language.ts';
import { chooseLanguages } from '../source/languages.ts';
import type { SourceTree } from '../source/pages/collect-pages.ts';
import type { BuildTools } from './build-tools.ts';
import { createNavigationBuilder, type NavigationBuilder } from './navigation/release-navigation.ts';
import type { PageRenderer } from './pages/render-pages.ts';
import { type PendingVersions, renderVersions, sortPages, type VersionToRender } from './pages/render-versions.ts';
import { createComparer } from './plan-history.ts';
import { type AgedVersion, planBadges, type SectionBadges } from './plan-since.ts';
import type { StageClock } from './progress.ts';
import { findProjectLine, PROJECT_FILE_NAME } from './project-file.ts';
import { createVersionDirectory, createVersionNames, type VersionDirectory } from './releases/linked-versions.ts';
import type { PlannedRelease } from './releases/plan-release.ts';
import { collectMoved, listReleasePages, planVersion } from './releases/plan-version.ts';
import { keyOfLists } from './releases/published-versions.ts';
import { openVersionScope } from './releases/version-scope.ts';
import { createRoomWatch } from './room-watch.ts';
import { createSite, listEditable, type Site } from './site.ts';
import type { SiteSettings } from './site-options.ts';
import { createSitePlan, type PlannedSite, type SitePlan } from './site-plan.ts';
import { readTheme } from './theme/read-theme.ts';
import { type BuildNotes, own } from './versions/build-notes.ts';
import { collectEvergreen } from './versions/evergreen.ts';
import { describeCandidates, missingSourceError, noPagesError, warnOfLanguages } from './versions/missing-source.ts';
import type { ChosenVersion } from './versions/version-choices.ts';
import { attempt, type Failures, leaveOut } from './versions/version-failures.ts';
import {
  hasSource,
  readProjectText,
  type Version,
  type VersionSource,
  type VersionSources,
} from './versions/version-source.ts';

export interface SiteInput {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  readonly settings: SiteSettings;
  /** In readers' order, the latest version first. */
  readonly versions: readonly ChosenVersion[];
  readonly sources: VersionSources;
  /** Names of versions that keep their URLs if others would have the same. */
  readonly holders: ReadonlySet<string>;
  readonly tools: BuildTools;
  /** The published site and the notes of the build that published it. */
  readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
  readonly clock: StageClock;
}

/**
 * Reads and renders what changed since the last build and plans the whole site. If versions turn out not to be
 * buildable, returns those instead, since the site differs without them.
 */
export async function planSite(input: SiteInput): Promise<PlannedSite | { readonly failures: Failures }> {
  const { versions, repository, settings, clock } = input;
  const refs = versions.map(({ ref }) => ref);
  const shownNames = nameVersions(refs, settings.slug ?? []);
  const { slugs, conflicts } = assignSlugs(refs, versions[0]!.ref.name, { holders: input.holders, names: shownNames });
  const failures: Failures = new Map(conflicts);
  const survey = await surveySite(input, failures);
  if (!survey) return { failures };
  const { site, warnings } = survey;
  const linkNames = createVersionNames(versions, slugs);
  const badges = settings.since ? await readBadges({ ...input, survey, shownNames }, failures) : undefined;
  if (failures.size > 0) return { failures };
  const plan = createSitePlan(site, {
    versions,
    shownNames,
    slugs,
    linkNames,
    defaultBranch: repository.head,
    previous: input.previous,
    badges,
  });
  const stale = plan.orderByWorth(plan.takeOver(failures));
  const isStale = new Set<Version>(stale);
  const directory = createVersionDirectory({
    names: linkNames,
    languages: site.languages,
    readSource: async (version) => {
      const source = await attempt(version.ref.name, failures, () => input.sources.read(version));
      return source && hasSource(source) ? survey.takeEvergreen(source) : source;
    },
    listPublished: (version, code) =>
      isStale.has(version)
        ? undefined
        : plan
            .findPublished(version.ref.name)
            ?.findList(code)
            ?.files.map(([path]) => path),
  });
  const buildNavigation = createNavigationBuilder(settings.sidebar);
  const room = createRoomWatch({ maxBytes: input.tools.limits.maxOutputBytes, produce: plan.produce });
  let fileCount = 0;
  clock.enter('render');
  for await (const versionsAtOnce of readVersions(stale, plan, { ...input, survey }, failures)) {
    const { finished, lists } = await planVersions(versionsAtOnce, {
      site,
      plan,
      directory,
      badges,
      buildNavigation,
      clock,
      failures,
    });
    await finished;
    for (const { source } of versionsAtOnce) fileCount += source.listing.files.length;
    for (const [name, own] of lists) {
      await room.add(own);
      const done = stale.findIndex(({ ref }) => ref.name === name) + 1;
      if (!room.isOver || done === stale.length) continue;
      // The rest has no room in any case; what comes before it is measured when it is published.
      const rest = { names: stale.slice(done).map(({ ref }) => ref.name), bytes: (room.bytes / done) * stale.length };
      return { failures: new Map([...leaveOut(rest, input.tools.limits.maxOutputBytes), ...failures]) };
    }
  }
  if (failures.size > 0) return { failures };
  // Planning a large site takes so long, and publishing it, that nothing is kept warm meanwhile.
  if (fileCount > MANY_FILES) {
    input.tools.rest();
    input.tools.walk.forget();
    input.sources.forget();
  }
  return plan.finish(repository.webUrl, warnings);
}

/**
 * Renders and plans a batch of versions; `lists` are the files of each. `finished` settles when the HTML of all their pages exists,
 * which may still fail for some of them.
 */
async function planVersions(
  versions: readonly VersionToRender[],
  context: {
    readonly site: Site;
    readonly plan: SitePlan;
    readonly directory: VersionDirectory;
    readonly badges: SectionBadges | undefined;
    readonly buildNavigation: NavigationBuilder;
    readonly clock: StageClock;
    readonly failures: Failures;
  },
): Promise<Pick<PendingVersions, 'finished'> & { readonly lists: ReadonlyMap<string, readonly FileList[]> }> {
  const { site, plan, directory, badges, buildNavigation, clock, failures } = context;
  const { languages, settings, tools } = site;
  clock.enter('render');
  const sorting = { reader: tools.reader, languages, single: settings.single };
  const { versions: rendered, finished } = await renderVersions(versions, sorting, clock.progress, failures);
  clock.enter('compose', rendered.length);
  const twins = new Map<string, PlannedRelease>();
  const lists = new Map<string, readonly FileList[]>();
  for (const version of rendered) {
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const { name } = version.source.version.ref;
    if (failures.has(name)) continue;
    const planned = await attempt(name, failures, async () => {
      const scope = await openVersionScope(version, plan.slugOf(name), { site, directory, badges });
      return planVersion(scope, buildNavigation, plan.findPublished(name), (content) => twins.get(content));
    });
    if (!planned) continue;
    plan.add(version.source, planned);
    lists.set(
      name,
      [...planned.releases.values()].map(({ list }) => list),
    );
    for (const [content, release] of planned.portable) twins.set(content, release);
    clock.advance();
  }
  return { finished, lists };
}

interface Survey {
  readonly site: Site;
  /** Returns a version's source with the files that all versions take from the latest. */
  readonly takeEvergreen: (source: VersionSource) => VersionSource;
  /** The latest version. */
  readonly source: VersionSource;
  readonly tree: SourceTree;
  readonly warnings: readonly Warning[];
}

/** Determines the languages of a site and reads its latest version. Undefined if versions cannot be built. */
async function surveySite(input: SiteInput, failures: Failures): Promise<Survey | undefined> {
  const { settings, versions, sources, tools, repository } = input;
  const latest = versions[0]!;
  const layouts = await sources.collectLayouts(versions, failures);
  const source = await attempt(latest.ref.name, failures, () => sources.read(latest));
  if (failures.size > 0 || !source) return undefined;
  if (!hasSource(source)) {
    const othersHaveIt = layouts.length > 0;
    const without = othersHaveIt ? [latest] : versions;
    throw await missingSourceError({ ...tools, versions: without, missing: source, othersHaveIt });
  }
  const guessed = settings.lang ? undefined : await guessLanguage(source, tools.reader);
  const languages = chooseLanguages(layouts, settings.lang, guessed);
  const sorting = { languages, single: settings.single };
  const tree = await sortPages(source, rendererOf(source, tools, settings), sorting);
  const { languages: latestPages } = tree;
  if (latestPages.length === 0) throw noPagesError(source, tree, languages);
  const paths = createTreePaths(tools.reader, latest.rootTree);
  const { find } = paths;
  const head = versions.find(({ ref }) => ref.name === repository.head && ref.kind === 'branch');
  const editable = head ? await attempt(head.ref.name, failures, () => listEditable(head, sources)) : new Set<string>();
  const settled = head ?? latest;
  const themed = await attempt(latest.ref.name, failures, () => readBrand(input, { source, paths, settled }));
  if (!themed || !editable) return undefined;
  const title = settings.title ?? (await tools.readTitle(source, find)) ?? settings.repositoryTitle;
  const evergreen = settings.evergreen && collectEvergreen(source, settings.evergreen);
  const settledBy = settled.ref.name;
  const site = createSite({
    repository,
    tools,
    languages,
    editable,
    brand: themed.brand,
    settledBy,
    latest: latestPages,
    realPath: source.realPath,
    versions: versions.length,
    latestRef: latest.ref.name,
    // What these files are decides all versions.
    settings: { ...settings, title, evergreen: evergreen && [...settings.evergreen!, evergreen.key] },
  });
  return {
    site,
    takeEvergreen: (one) => evergreen?.apply(one) ?? one,
    source,
    tree,
    warnings: [
      ...themed.warnings,
      ...warnOfLanguages(source, { languages, guessed }),
      ...(await warnOfReadme(source, tools)),
    ],
  };
}

/** Reads the files and colours of the theme. What is wrong with them is told with the lines of the project file that names them. */
async function readBrand(
  { settings, tools }: SiteInput,
  { source, paths, settled }: { readonly source: VersionSource; readonly paths: TreePaths; readonly settled: Version },
): Promise<{ readonly brand: Brand; readonly warnings: readonly Warning[] }> {
  const { brand, problems } = await readTheme(settings.theme, {
    ...tools,
    paths,
    sourceFolder: source.sourceFolder,
    allowedHosts: listAllowedHosts(settings),
    scripts: placeOfScripts(settings),
  });
  if (problems.length === 0) return { brand, warnings: [] };
  const text = await readProjectText(tools.reader, settled.rootTree);
  const warnings = problems.map(async ({ at, code, message }): Promise<Warning> => {
    if ('file' in at) return { ref: source.version.ref.name, ...at, code, message };
    const line = await findProjectLine(text, at);
    return { ref: settled.ref.name, file: PROJECT_FILE_NAME, line, code, message };
  });
  return { brand, warnings: await Promise.all(warnings) };
}

/** Scripts of authors need a host of the site's own, and a preview tells nobody that it is read. */
function placeOfScripts({ liveScript, alsoBelow, baseUrl }: SiteSettings): 'run' | 'preview' | 'shared-host' {
  const isShared = alsoBelow !== undefined && baseUrl !== undefined && new URL(baseUrl).pathname.endsWith(alsoBelow);
  return isShared ? 'shared-host' : liveScript === undefined ? 'run' : 'preview';
}

/**
 * Finds out since when the sections of all versions are there, before any of them is planned: pages say so. Versions whose pages are
 * not those of the last build are rendered for it; planning finds them rendered.
 */
async function readBadges(
  input: SiteInput & { readonly survey: Survey; readonly shownNames: ReadonlyMap<string, string> },
  failures: Failures,
): Promise<SectionBadges> {
  const { versions, survey, tools, settings, previous, clock } = input;
  const { site } = survey;
  const known = new Map<string, Pick<AgedVersion, 'lists' | 'moved'>>();
  const isKept = ({ key }: { readonly key: string }): boolean => key === '' || tools.searchEntries.has(key);
  for (const version of versions) {
    const notes = previous && own(previous.notes.versions, version.ref.name);
    if (notes?.listed !== keyOfLists(site, version)) continue;
    if (Object.values(notes.search).every(({ pages }) => pages.every(isKept))) {
      known.set(version.ref.name, { lists: notes.search, moved: notes.moved });
    }
  }
  const unknown = versions.filter(({ ref }) => !known.has(ref.name));
  clock.enter('render');
  for await (const batch of readVersions(unknown, { skip() {} }, input, failures)) {
    const sorting = { reader: tools.reader, languages: site.languages, single: settings.single };
    const { versions: rendered, finished } = await renderVersions(batch, sorting, clock.progress, failures);
    await finished;
    for (const { source, tree, rendered: pages } of rendered) {
      const lists = tree.languages.map(
        (language) => [language.language.code, listReleasePages(language, pages)] as const,
      );
      known.set(source.version.ref.name, { lists: Object.fromEntries(lists), moved: collectMoved(tree) });
    }
  }
  return planBadges({
    versions: versions.map(({ ref }) => ({
      ref,
      name: input.shownNames.get(ref.name)!,
      ...(known.get(ref.name) ?? { lists: {} }),
    })),
    languages: site.languages,
    ...createComparer(tools.searchEntries),
  });
}

/** If only the README of the latest version is shown, the warning names the folders that were not used. */
async function warnOfReadme(
  { isReadmeOnly, version }: VersionSource,
  { sources }: BuildTools,
): Promise<readonly Warning[]> {
  const candidates = isReadmeOnly ? await sources.listCandidates(version.rootTree) : [];
  if (candidates.length === 0) return [];
  const message = `Only the README is shown${describeCandidates(candidates)}: name the folder of the documentation with ${markOptions('sourceDir')} or as "sourceDir" in ${PROJECT_FILE_NAME}`;
  return [{ ref: version.ref.name, file: '', line: 0, code: 'source-folder', message }];
}

/** A site that has more files to plan than this is a large one. */
const MANY_FILES = 10_000;

/** Files of versions that are rendered and planned together. */
const FILES_AT_ONCE = 6_000;

/** Reads the changed versions in batches that fit into memory; versions without documentation are noted in the plan. */
async function* readVersions(
  stale: readonly ChosenVersion[],
  plan: Pick<SitePlan, 'skip'>,
  { sources, tools, settings, survey }: SiteInput & { readonly survey: Survey },
  failures: Failures,
): AsyncGenerator<readonly VersionToRender[]> {
  let read: VersionToRender[] = [];
  let files = 0;
  for (const version of stale) {
    const source = await attempt(version.ref.name, failures, () => sources.read(version));
    if (!source) continue;
    if (!hasSource(source)) {
      plan.skip(version, source);
      continue;
    }
    const tree = source === survey.source ? survey.tree : undefined;
    read.push({ source: survey.takeEvergreen(source), renderer: rendererOf(source, tools, settings), tree });
    files += source.listing.files.length;
    if (files < FILES_AT_ONCE) continue;
    yield read;
    read = [];
    files = 0;
  }
  yield read;
}

function rendererOf({ project }: VersionSource, tools: BuildTools, settings: SiteSettings): PageRenderer {
  const { html = 'raw', emoji = true, math = true, mermaid = true } = project.markdown ?? {};
  return tools.rendererFor({ html, emoji, math, mermaid, allowedHosts: listAllowedHosts(settings) });
}
