import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../lib/package-file.ts';
import { type BuildLimits, DEFAULT_LIMITS } from './build-limits.ts';
import { loadConfig } from './extensions/config-file.ts';
import type { Ref, Repository, Warning } from './model.ts';
import { openRepository } from './open-repository.ts';
import type { OptionWords } from './option-marks.ts';
import { isPageFile } from './page-path.ts';
import { parseLocation } from './parse-location.ts';
import {
  type BuildSummary,
  checkStrict,
  countLeftOut,
  type PendingSummary,
  type Problems,
} from './plan/build-summary.ts';
import { type BuildTools, createBuildTools } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild, wordProblem } from './plan/option-words.ts';
import { planSite } from './plan/plan-site.ts';
import { createInterruption, createStageClock, type StageClock } from './plan/progress.ts';
import { placeLatest, readSettings, titleOfRepository } from './plan/read-settings.ts';
import { type BuildOptions, fingerprintInputs, fingerprintSettings, type SiteSettings } from './plan/site-options.ts';
import type { PlannedSite } from './plan/site-plan.ts';
import {
  type BuildNotes,
  listErrors,
  listPublished,
  listSources,
  listWarnings,
  noteVersions,
  own,
} from './plan/versions/build-notes.ts';
import { readNotes, storeNotes } from './plan/versions/stored-notes.ts';
import {
  chooseVersions,
  type FetchedHistory,
  fetchHistory,
  mayRecover,
  orderVersions,
  type VersionChoices,
} from './plan/versions/version-choices.ts';
import { type Failures, leaveOut, toVersionError } from './plan/versions/version-failures.ts';
import { createVersionSources } from './plan/versions/version-source.ts';
import { type Output, waitForOutput } from './publish/open-output.ts';
import { countFiles } from './publish/site-files.ts';
import { readMarker } from './publish/site-manifest.ts';
import { selectRefs } from './refs/select-refs.ts';
import { COMMON_FOLDERS } from './source/sites/find-source.ts';

/** `buildSite` of index.ts. */
export async function buildSite(given: BuildOptions, words: OptionWords = FLAG_WORDS): Promise<BuildSummary> {
  const { onProblems } = given;
  const tellWorded = (found: Problems): void =>
    onProblems?.({
      errors: found.errors.map((problem) => wordProblem(problem, words)),
      warnings: found.warnings.map((problem) => wordProblem(problem, words)),
    });
  try {
    return await wordBuild(words, () =>
      openAndBuild(completeOptions({ ...given, ...(onProblems && { onProblems: tellWorded }) })),
    );
  } catch (error) {
    // Whatever was waited for ends in its own way.
    throw given.signal?.aborted ? createInterruption() : error;
  }
}

async function openAndBuild(options: CompleteOptions): Promise<BuildSummary> {
  const clock = startClock(options);
  const output = await openSafeOutput(options);
  try {
    const repository = await openRepository(options.repository, {
      cacheFolder: options.cacheFolder,
      environment: options.environment ?? {},
      maxFetchBytes: options.limits.maxFetchBytes,
      timeoutMs: options.limits.timeoutMs,
      signal: options.signal,
    });
    try {
      const { listTranslations, ...summary } = await buildFrom({ options, clock, output, repository });
      return { ...summary, translations: listTranslations() };
    } finally {
      await repository.close();
    }
  } finally {
    output.close();
  }
}

export type CompleteOptions = BuildOptions & { readonly limits: BuildLimits };

export function completeOptions(given: BuildOptions): CompleteOptions {
  return { ...given, limits: { ...DEFAULT_LIMITS, ...given.limits } };
}

export function startClock({ onProgress, limits, signal }: CompleteOptions): StageClock {
  const clock = createStageClock(onProgress, { timeoutMs: limits.timeoutMs, signal });
  clock.enter('open');
  return clock;
}

interface Build {
  readonly options: CompleteOptions;
  readonly clock: StageClock;
  readonly output: Pick<Output, 'published' | 'publish' | 'prepareNext' | 'takeDown'>;
  readonly repository: Repository;
  /** Those of an earlier build of the same repository, which stay open. */
  readonly tools?: BuildTools;
  /** Receives the site that was published, if it is another one. */
  readonly onSite?: (site: PlannedSite) => void;
}

/** Builds all versions, or updates some and leaves the others as they are. Does nothing where nothing has changed. */
export async function buildFrom(build: Build): Promise<PendingSummary> {
  const { options, output, repository } = build;
  const engineVersion = readEngineVersion();
  const inputs = fingerprintInputs(options, { ...repository, title: titleOfRepository(repository) }, engineVersion);
  const known = readNotes(output.published?.notes);
  if (known?.inputs === inputs) return reportUnchanged(build, known);
  const tools = build.tools ?? createBuildTools(options, repository, engineVersion, await loadConfig(options.config));
  try {
    return await buildAnew(build, { tools, inputs, known });
  } finally {
    if (!build.tools) await tools.close();
  }
}

function reportUnchanged({ options, clock }: Build, known: BuildNotes): PendingSummary {
  const problems = { errors: listErrors(known), warnings: listWarnings(known) };
  options.onProblems?.(problems);
  if (options.strict) checkStrict(problems);
  options.onPublished?.(listPublished(known));
  const { summary } = known;
  const counts = { rendered: 0, reused: summary.pages, extensions: [] };
  return { ...summary, listTranslations: () => summary.translations, ...problems, ...counts, ...clock.finish() };
}

/** Reads, plans and publishes the site; what did not change since the last build is taken over. */
async function buildAnew(
  build: Build,
  context: {
    readonly tools: BuildTools;
    readonly inputs: string;
    readonly known: BuildNotes | undefined;
  },
): Promise<PendingSummary> {
  const { options, clock, output, repository } = build;
  const { refUpdate } = options;
  const { tools, inputs, known } = context;
  const { settings, failure } = await readSettings(build);
  const { latest, warnings } = placeLatest(settings, repository, options);
  const choice = { include: settings.refs, exclude: settings.exclude, latest, head: repository.head };
  const { refs, leftOut } = selectRefs(repository.refs, choice, refUpdate);
  if (refs.length === 0) return takeDown(build);
  const settingsKey = fingerprintSettings(settings, options.limits, tools.engineVersion);
  const previous = known?.settingsKey === settingsKey ? { notes: known, site: output.published!.site } : undefined;
  clock.enter('fetch', refs.length);
  const choices = await chooseVersions({
    repository,
    refs,
    known,
    canKeepFiles: previous !== undefined,
    listener: clock.fetchListener,
    latest: latest ?? refs.find(({ name }) => name === repository.head)?.name,
    published: refUpdate?.published ?? [],
    isShared: refUpdate?.isShared,
    rejected: failure && [failure],
    update: refUpdate?.update,
  });
  const history = await fetchHistory(repository, settings, choices, clock.fetchListener);
  const findNotes = (name: string) => previous && own(previous.notes.versions, name);
  const { sourceDir, lang } = settings;
  const sources = createVersionSources({ tools, sourceDir, lang, findNotes });
  // A published version keeps its address when another one comes that wants it, too.
  const holders = new Set(refUpdate?.update && refUpdate.published.map(({ name }) => name));
  // Without a version that cannot be built the site is a different one and must be planned again.
  for (;;) {
    clock.enter('read', refs.length);
    const versions = orderVersions(choices.versions, { ...settings, latest: choices.latest }, repository.head);
    choices.setLatest(versions[0]!.ref.name);
    const site = await planSite({ repository, settings, versions, sources, holders, tools, previous, clock });
    const outcome =
      'failures' in site
        ? site
        : await publish(site, build, { tools, choices, history, leftOut, warnings, settings, settingsKey, inputs });
    if (!('failures' in outcome)) return outcome;
    await choices.reject(outcome.failures);
  }
}

/** Removes the site whose last version is gone. */
async function takeDown({ options, clock, output }: Build): Promise<PendingSummary> {
  await options.beforePublish?.();
  output.takeDown();
  options.onPublished?.([]);
  const counts = { versions: 0, languages: 0, pages: 0, fallbacks: 0, rendered: 0, reused: 0, bytes: 0 };
  return {
    sources: [],
    ...counts,
    untranslated: [],
    listTranslations: () => [],
    leftOut: { count: 0, names: [] },
    extensions: [],
    errors: [],
    warnings: [],
    ...clock.finish(),
  };
}

/** Publishes a planned site. Where contents cannot be made, returns the versions that hold them instead. */
async function publish(
  site: PlannedSite,
  { options, clock, output, onSite }: Build,
  context: {
    readonly tools: BuildTools;
    readonly choices: VersionChoices;
    readonly history: FetchedHistory;
    readonly leftOut: readonly Ref[];
    readonly warnings: readonly Warning[];
    readonly settings: SiteSettings;
    readonly settingsKey: string;
    readonly inputs: string;
  },
): Promise<PendingSummary | { readonly failures: Failures }> {
  const { tools, choices, history, leftOut, settings, settingsKey, inputs } = context;
  const { listTranslations } = site;
  clock.enter('publish', countFiles(site.files));
  const counts = { ...countSite(site), leftOut: countLeftOut(leftOut, options.refUpdate?.update) };
  const found = {
    siteWarnings: [...context.warnings, ...choices.warnings, ...history.warnings, ...site.siteWarnings],
    ...noteVersions(site.versions, choices, settings.single),
  };
  const problems = { errors: listErrors(found), warnings: listWarnings(found) };
  options.onProblems?.(problems);
  if (options.strict) checkStrict(problems);
  // Others may publish another commit in the place of what cannot be built.
  const mayDiffer = options.refUpdate?.isShared === true && choices.failed.size > 0;
  const isFinal = history.isFinal && !mayRecover(found) && !mayDiffer;
  const { search, history: pageHistory } = site;
  const known = { inputs: isFinal ? inputs : '', settingsKey, ...found, search, history: pageHistory };
  const notes = { format: 8, ...known } as const;
  const failures: Failures = new Map();
  const produce = async (key: string): Promise<Uint8Array> => {
    try {
      return await site.produce(key);
    } catch (error) {
      for (const name of site.findUsers(key)) failures.set(name, toVersionError(error).at({ ref: name }));
      throw error;
    }
  };
  try {
    const published = await output.publish(site.files, {
      produce,
      canProduce: site.canProduce,
      parts: site.groupsOf,
      rules: site.rules,
      notes: (size) => storeNotes({ ...notes, summary: noteSummary({ ...counts, bytes: size }, listTranslations) }),
      maxBytes: tools.limits.maxOutputBytes,
      beforeExchange: async () => {
        await withSignal(tools.askBeforePublish({ ...counts, ...problems }), options.signal);
        await options.beforePublish?.();
      },
      onFile: clock.advance,
    });
    if ('misfits' in published) return { failures: leaveOut(published.misfits, tools.limits.maxOutputBytes) };
    const { bytes } = published;
    onSite?.(site);
    options.onPublished?.(listPublished(found));
    if (options.preparesNext) await output.prepareNext();
    const rendered = tools.renderedCount();
    const reused = Math.max(0, counts.pages - rendered);
    const extensions = tools.meters.list();
    return { ...counts, listTranslations, rendered, reused, extensions, ...problems, bytes, ...clock.finish() };
  } catch (error) {
    if (failures.size === 0) throw error;
    return { failures };
  }
}

/** Returns a summary for the notes, in which translations are what is found out when the notes are written, or read. */
function noteSummary(
  counts: Omit<BuildNotes['summary'], 'translations'>,
  listTranslations: PlannedSite['listTranslations'],
): BuildNotes['summary'] {
  return {
    ...counts,
    get translations() {
      return listTranslations();
    },
  };
}

/** Waits for what may take any time, but not when a signal fires: rejects with its reason then, and the work goes on for nothing. */
async function withSignal(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function countSite(
  site: PlannedSite,
): Pick<BuildSummary, 'sources' | 'versions' | 'languages' | 'pages' | 'fallbacks' | 'untranslated'> {
  const versions = Object.values(site.versions);
  return {
    sources: listSources(site.versions),
    versions: versions.filter((version) => version.pages > 0).length,
    languages: site.languages,
    pages: versions.reduce((sum, version) => sum + version.pages, 0),
    fallbacks: versions.reduce((sum, version) => sum + version.fallbacks, 0),
    untranslated: versions.flatMap(({ untranslated = [] }) => untranslated),
  };
}

/** Number of folders and files that are checked to find out whether a folder contains pages. */
const MAX_ENTRIES = 2_000;

/** Opens the output folder of a build, which must not hold what the site is made from. Throws as `openOutput` does. */
function openSafeOutput(options: BuildOptions): Promise<Output> {
  return waitForOutput(options.out, {
    waitMs: options.outputWaitMs ?? 0,
    force: options.force ?? false,
    protect: [options.cacheFolder, process.cwd(), ...listLocalFolders(options)],
  });
}

/** Returns the folders of a local repository that the output must not replace: itself, its git folder, its pages. */
function listLocalFolders({ repository, sourceDir }: BuildOptions): readonly string[] {
  const parsed = parseLocation(repository);
  if (parsed.kind !== 'path') return [];
  const { path } = parsed;
  const named = join(path, sourceDir ?? 'docs');
  const usual = sourceDir === undefined ? COMMON_FOLDERS.map((folder) => join(path, folder)) : [];
  const sources = usual.filter((folder) => isOwn(folder) && holdsPages(folder));
  return [path, join(path, '.git'), ...(isOwn(named) ? [named] : []), ...sources];
}

/** Returns whether a folder contains anything that was not published by an earlier build. */
function isOwn(folder: string): boolean {
  return existsSync(join(folder, '.')) && readMarker(folder) === undefined && readdirSync(folder).length > 0;
}

function holdsPages(folder: string): boolean {
  const folders = [folder];
  let left = MAX_ENTRIES;
  for (let at = folders.pop(); at !== undefined && left > 0; at = folders.pop()) {
    const entries: readonly Dirent[] = readdirSync(at, { withFileTypes: true });
    if (entries.some((entry) => entry.isFile() && isPageFile(entry.name))) return true;
    left -= entries.length;
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(join(at, entry.name));
  }
  return false;
}

/** Returns the engine's version as keys of the cache use it: code, packages, and the Unicode data of this Node. */
export function readEngineVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('dist/engine.json'), 'utf8')) as {
    version: string;
  };
  return `${version}/${process.versions.icu ?? ''}`;
}
