import { resolve } from 'node:path';
import { BuildError } from './build-error.ts';
import { type BuildLimits, DEFAULT_LIMITS } from './build-limits.ts';
import { readEngineVersion } from './engine-version.ts';
import type { Ref, Repository } from './model.ts';
import { openRepository } from './open-repository.ts';
import { describeLimit, markOptions, type OptionWords } from './option-marks.ts';
import { type BuildSummary, checkStrict } from './plan/build-summary.ts';
import { type BuildTools, createBuildTools } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild } from './plan/option-words.ts';
import { planSite } from './plan/plan-site.ts';
import { createStageClock, formatBytes, type StageClock } from './plan/progress.ts';
import { openSafeOutput } from './plan/safe-output.ts';
import {
  type BuildOptions,
  fingerprintInputs,
  fingerprintSettings,
  joinSettings,
  type SiteSettings,
} from './plan/site-options.ts';
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
import { type FetchedHistory, fetchHistory } from './plan/versions/fetch-history.ts';
import { readNotes, storeNotes } from './plan/versions/stored-notes.ts';
import { chooseVersions, mayRecover, orderVersions, type VersionChoices } from './plan/versions/version-choices.ts';
import { type Failures, toVersionError } from './plan/versions/version-failures.ts';
import { createVersionSources, readProjectFile } from './plan/versions/version-source.ts';
import type { Misfits } from './publish/find-misfits.ts';
import type { Output } from './publish/open-output.ts';
import { countFiles } from './publish/site-files.ts';
import { selectRefs } from './refs/select-refs.ts';
import { freezeRefs, updateRefs } from './refs/update-refs.ts';

/** Does what `buildSite` of index.ts says. */
export async function buildSite(given: BuildOptions, words: OptionWords = FLAG_WORDS): Promise<BuildSummary> {
  return wordBuild(words, () => openAndBuild(completeOptions(given)));
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
    });
    try {
      return await buildFrom({ options, clock, output, repository });
    } finally {
      await repository.close();
    }
  } finally {
    output.close();
  }
}

export type CompleteOptions = BuildOptions & { readonly limits: BuildLimits };

/** Fills in the limits that are not given. */
export function completeOptions(given: BuildOptions): CompleteOptions {
  return { ...given, limits: { ...DEFAULT_LIMITS, ...given.limits } };
}

/** Starts to measure a build. */
export function startClock({ onProgress, limits }: CompleteOptions): StageClock {
  const clock = createStageClock(onProgress, { timeoutMs: limits.timeoutMs });
  clock.enter('open');
  return clock;
}

/** What a build works with from its beginning to its end. */
interface Build {
  readonly options: CompleteOptions;
  readonly clock: StageClock;
  readonly output: Pick<Output, 'published' | 'publish' | 'takeDown'>;
  readonly repository: Repository;
  /** Those of an earlier build of the same repository, which stay open. */
  readonly tools?: BuildTools;
}

/** Builds all versions, or updates some and leaves the others as they are. Does nothing where nothing has changed. */
export async function buildFrom(build: Build): Promise<BuildSummary> {
  const { options, output, repository } = build;
  const { refUpdate } = options;
  const refs = refUpdate ? freezeRefs(repository.refs, repository.head, refUpdate) : repository.refs;
  const frozen = { ...repository, refs };
  const engineVersion = readEngineVersion();
  const inputs = fingerprintInputs(options, { ...frozen, title: titleOfRepository(frozen) }, engineVersion);
  const known = readNotes(output.published?.notes);
  if (known?.inputs === inputs) return reportUnchanged(build, known);
  const tools = build.tools ?? createBuildTools(options, frozen, engineVersion);
  try {
    return await buildAnew({ ...build, repository: frozen }, { tools, inputs, known, currentRefs: repository.refs });
  } finally {
    if (!build.tools) await tools.close();
  }
}

function reportUnchanged({ options, clock }: Build, known: BuildNotes): BuildSummary {
  const problems = { errors: listErrors(known), warnings: listWarnings(known) };
  if (options.strict) checkStrict(problems);
  options.onPublished?.(listPublished(known));
  return { ...known.summary, ...problems, rendered: 0, reused: known.summary.pages, ...clock.finish() };
}

/** Reads, plans and publishes the site; what did not change since the last build is taken over. */
async function buildAnew(
  build: Build,
  context: {
    readonly tools: BuildTools;
    /** See `BuildNotes`. */
    readonly inputs: string;
    readonly known: BuildNotes | undefined;
    /** What the refs lead to now, where those of the repository lead to what they led to before. */
    readonly currentRefs: readonly Ref[];
  },
): Promise<BuildSummary> {
  const { options, clock, output, repository } = build;
  const { refUpdate } = options;
  const { tools, inputs, known, currentRefs } = context;
  const settings = await readSettings(build);
  const refs = refUpdate
    ? updateRefs(repository.refs, refUpdate, settings)
    : selectRefs(repository.refs, { include: settings.refs, exclude: settings.exclude });
  if (refs.length === 0) return takeDown(build);
  const settingsKey = fingerprintSettings(settings, options.limits, tools.engineVersion);
  const previous = known?.settingsKey === settingsKey ? { notes: known, site: output.published!.site } : undefined;
  const placed = placeLatest(settings, refs, options);
  clock.enter('fetch', refs.length);
  const choices = await chooseVersions({
    ...{ repository, refs, currentRefs, known, canKeepFiles: previous !== undefined, listener: clock.fetchListener },
    latest: placed.latest ?? refs.find(({ name }) => name === repository.head)?.name,
    update: refUpdate && [...refUpdate.update, ...(refUpdate.remove ?? [])],
  });
  const history = await fetchHistory(repository, settings, choices, clock.fetchListener);
  const findNotes = (name: string) => previous && own(previous.notes.versions, name);
  const { sourceDir, lang } = settings;
  const sources = createVersionSources({ tools, sourceDir, lang, findNotes });
  // What is published keeps its address when a version comes that wants it, too.
  const holders = new Set(refUpdate?.published.map(({ name }) => name));
  // Without a version that cannot be built the site is a different one and must be planned again.
  for (;;) {
    clock.enter('read', refs.length);
    const versions = orderVersions(choices.versions, { ...placed, latest: choices.latest }, repository.head);
    choices.setLatest(versions[0]!.ref.name);
    const site = await planSite({ repository, settings, versions, sources, holders, tools, previous, clock });
    const outcome =
      'failures' in site
        ? site
        : await publish(site, build, { tools, choices, history, settings, settingsKey, inputs });
    if (!('failures' in outcome)) return outcome;
    await choices.reject(outcome.failures);
  }
}

/** Reads what the default branch's `.docbuild.yml` says about the site. */
async function readSettings({ repository, options, clock }: Build): Promise<SiteSettings> {
  const title = titleOfRepository(repository);
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return joinSettings(options, {}, title);
  clock.enter('fetch', 1);
  await repository.fetch([head], clock.fetchListener);
  clock.enter('read');
  const { tree } = await repository.readCommit(head.oid);
  const { project, errors } = await readProjectFile(repository, tree);
  const [first, ...others] = errors;
  // Wrong settings would change the whole site, and what is excluded could be published.
  if (first) {
    const { file, line, code } = first;
    const message = [first.message, ...others.map((error) => `line ${error.line}: ${error.message}`)].join('; ');
    throw new BuildError(code, message, { location: { ref: head.name, file, ...(line > 0 && { line }) } });
  }
  // A plain folder has one version, whatever its file says of those of the repository that it came from.
  const said = repository.kind === 'folder' ? { ...project, latest: undefined, excluded: undefined } : project;
  return joinSettings(options, said, title);
}

/** Returns a title from a repository's location: `https://host/o/my-docs.git` → `My docs`; `.` is the folder it leads to. */
function titleOfRepository({ kind, label }: Pick<Repository, 'kind' | 'label'>): string {
  const name = (kind === 'remote' ? label : resolve(label))
    .replace(/[/\\]+$/, '')
    .replace(/(?:\/|^)\.git$/, '')
    .split(/[/\\:]/)
    .pop()!
    .replace(/\.(?:git|bundle)$/, '');
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? 'Documentation' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where versions come one by one, the one that `latest` is to stand for may not be there yet, or no more. */
function placeLatest(settings: SiteSettings, refs: readonly Ref[], { refUpdate }: BuildOptions): SiteSettings {
  const isThere = settings.latest === undefined || refs.some(({ name }) => name === settings.latest);
  return refUpdate && !isThere ? { ...settings, latest: undefined } : settings;
}

/** Removes the site whose last version is gone. */
async function takeDown({ options, clock, output }: Build): Promise<BuildSummary> {
  await options.beforePublish?.();
  output.takeDown();
  options.onPublished?.([]);
  const counts = { versions: 0, languages: 0, pages: 0, fallbacks: 0, rendered: 0, reused: 0, bytes: 0 };
  return { sources: [], ...counts, untranslated: [], errors: [], warnings: [], ...clock.finish() };
}

/** Publishes a planned site. Where contents cannot be made, returns the versions that hold them instead. */
async function publish(
  site: PlannedSite,
  { options, clock, output }: Build,
  context: {
    readonly tools: BuildTools;
    readonly choices: VersionChoices;
    readonly history: FetchedHistory;
    readonly settings: SiteSettings;
    /** See `BuildNotes`. */
    readonly settingsKey: string;
    readonly inputs: string;
  },
): Promise<BuildSummary | { readonly failures: Failures }> {
  const { tools, choices, history, settings, settingsKey, inputs } = context;
  clock.enter('publish', countFiles(site.files));
  const counts = countSite(site);
  const found = {
    siteWarnings: [...choices.warnings, ...history.warnings, ...site.siteWarnings],
    ...noteVersions(site.versions, choices, settings.single),
  };
  const problems = { errors: listErrors(found), warnings: listWarnings(found) };
  if (options.strict) checkStrict(problems);
  const isFinal = history.isFinal && !mayRecover(found);
  const notes = { format: 7, inputs: isFinal ? inputs : '', settingsKey, ...found, search: site.search } as const;
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
      notes: (size) => storeNotes({ ...notes, summary: { ...counts, bytes: size } }),
      maxBytes: tools.limits.maxOutputBytes,
      beforeExchange: options.beforePublish,
      onFile: clock.advance,
    });
    if ('misfits' in published) return { failures: leaveOut(published.misfits, tools.limits.maxOutputBytes) };
    const { bytes } = published;
    options.onPublished?.(listPublished(found));
    const rendered = tools.renderedCount();
    const reused = Math.max(0, counts.pages - rendered);
    return { ...counts, rendered, reused, ...problems, bytes, ...clock.finish() };
  } catch (error) {
    if (failures.size === 0) throw error;
    return { failures };
  }
}

/** Returns the error of each version for which the site has no room. */
function leaveOut({ names, bytes }: Misfits, maxBytes: number): Failures {
  const whole = `With all its versions the site would take about ${formatBytes(bytes)}`;
  const message = `${whole}, more than ${describeLimit('maxOutputBytes', maxBytes)}, or choose versions with ${markOptions('refs', 'exclude')}`;
  return new Map(names.map((ref) => [ref, new BuildError('output-limit', message, { location: { ref } })]));
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
