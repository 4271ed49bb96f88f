import { type BuildLimits, DEFAULT_LIMITS } from './build-limits.ts';
import { contentKey } from './cache/content-key.ts';
import { type Composer, createComposer } from './compose/create-composer.ts';
import { readEngineVersion } from './engine-version.ts';
import { openRepository } from './git/open-repository.ts';
import type { Ref, Repository } from './model.ts';
import { type BuildSummary, checkStrict } from './plan/build-summary.ts';
import { createBuildTools } from './plan/build-tools.ts';
import { listLocalFolders } from './plan/local-folders.ts';
import { type PlannedSite, planSite, type SiteInput } from './plan/plan-site.ts';
import { createStageClock, type StageClock } from './plan/progress.ts';
import { orderVersions, readSettings } from './plan/read-versions.ts';
import { contentLimits } from './plan/site.ts';
import { type BuildOptions, fingerprintInputs, type SiteSettings } from './plan/site-options.ts';
import {
  type BuildNotes,
  listErrors,
  listPublished,
  listSources,
  listWarnings,
  noteVersions,
  own,
  readNotes,
} from './plan/versions/build-notes.ts';
import { chooseVersions, type Failures, mayRecover, toVersionError } from './plan/versions/version-choices.ts';
import { createVersionSources } from './plan/versions/version-source.ts';
import { type Output, waitForOutput } from './publish/open-output.ts';
import { countFiles } from './publish/site-files.ts';
import { selectRefs } from './refs/select-refs.ts';
import { freezeRefs, updateRefs } from './refs/update-refs.ts';

/**
 * Builds the site of a repository: all chosen refs in all languages, published to the output folder in one step.
 * Throws `BuildError` for everything the user can do something about; the published site then stays as it was.
 */
export async function buildSite(given: BuildOptions): Promise<BuildSummary> {
  const options = { ...given, limits: { ...DEFAULT_LIMITS, ...given.limits } };
  const clock = createStageClock(options.onProgress, { timeoutMs: options.limits.timeoutMs });
  clock.enter('open');
  const output = await waitForOutput(options.out, {
    waitMs: options.outputWaitMs ?? 0,
    force: options.force ?? false,
    protect: [options.cacheFolder, process.cwd(), ...listLocalFolders(options)],
  });
  try {
    const repository = await openRepository(options.repository, {
      cacheFolder: options.cacheFolder,
      environment: options.environment ?? {},
      maxFetchBytes: options.limits.maxFetchBytes,
      timeoutMs: options.limits.timeoutMs,
    });
    try {
      return await buildVersions({ options, clock, output, repository });
    } finally {
      await repository.close();
    }
  } finally {
    output.close();
  }
}

const NOTHING = {
  sources: [],
  versions: 0,
  languages: 0,
  pages: 0,
  fallbacks: 0,
  rendered: 0,
  reused: 0,
  bytes: 0,
  errors: [],
  warnings: [],
};

interface Build {
  readonly options: BuildOptions & { readonly limits: BuildLimits };
  readonly clock: StageClock;
  readonly output: Output;
  readonly repository: Repository;
}

/** Builds all versions, or updates some and leaves the others as they are. */
async function buildVersions({ repository, options, ...rest }: Build): Promise<BuildSummary> {
  const { refUpdate } = options;
  const refs = refUpdate ? freezeRefs(repository.refs, repository.head, refUpdate) : repository.refs;
  return build({ ...rest, options, repository: { ...repository, refs }, currentRefs: repository.refs });
}

async function build({
  options,
  clock,
  output,
  repository,
  currentRefs,
}: Build & { readonly currentRefs: readonly Ref[] }): Promise<BuildSummary> {
  const { refUpdate, sourceDir, strict } = options;
  const engineVersion = readEngineVersion();
  const inputs = fingerprintInputs(options, repository, engineVersion);
  const known = readNotes(output.published?.notes);
  if (known?.inputs === inputs) {
    const problems = { errors: listErrors(known), warnings: listWarnings(known) };
    if (strict) checkStrict(problems);
    options.onPublished?.(listPublished(known.versions));
    return { ...known.summary, ...problems, rendered: 0, reused: known.summary.pages, ...clock.finish() };
  }
  const tools = createBuildTools(options, repository, engineVersion);
  try {
    const settings = await readSettings(repository, options, clock);
    const refs = refUpdate
      ? updateRefs(repository.refs, refUpdate, settings.exclude ?? '')
      : selectRefs(repository.refs, { include: settings.refs, exclude: settings.exclude });
    if (refs.length === 0) {
      // The last version's ref is gone.
      output.takeDown();
      options.onPublished?.([]);
      return { ...NOTHING, ...clock.finish() };
    }
    const settingsKey = contentKey(engineVersion, JSON.stringify([settings, sourceDir, contentLimits(options.limits)]));
    const previous = known?.settingsKey === settingsKey ? { notes: known, site: output.published!.site } : undefined;
    const placed = placeLatest(settings, refs, options);
    clock.enter('fetch', refs.length);
    const choices = await chooseVersions({
      ...{ repository, refs, currentRefs, known, canKeepFiles: previous !== undefined, listener: clock.fetchListener },
      latest: placed.latest ?? refs.find(({ name }) => name === repository.head)?.name,
      update: refUpdate && [...refUpdate.update, ...(refUpdate.remove ?? [])],
    });
    const findNotes = (name: string) => previous && own(previous.notes.versions, name);
    const input: Omit<SiteInput, 'versions'> = {
      ...{ repository, settings, sourceDir, hideGit: options.hideGit, tools, engineVersion, previous, clock },
      composer: getComposer(),
      sources: createVersionSources({ tools, sourceDir, lang: settings.lang, findNotes }),
      // What is published keeps its address when a version comes that wants it, too.
      holders: new Set(refUpdate?.published.map(({ name }) => name)),
    };
    // Without a version that cannot be built the site is a different one and must be planned again.
    for (;;) {
      clock.enter('read', refs.length);
      const versions = orderVersions(choices.versions, { ...placed, latest: choices.latest }, repository.head);
      choices.setLatest(versions[0]!.ref.name);
      const planned = await planSite({ ...input, versions });
      const outcome = 'failures' in planned ? planned : await publish(planned);
      if (!('failures' in outcome)) return outcome;
      await choices.reject(outcome.failures);
    }

    async function publish(site: PlannedSite): Promise<BuildSummary | { readonly failures: Failures }> {
      clock.enter('publish', countFiles(site.files));
      const counts = countSite(site);
      const found = {
        siteWarnings: [...choices.warnings, ...site.siteWarnings],
        ...noteVersions(site.versions, choices, settings.single),
      };
      const problems = { errors: listErrors(found), warnings: listWarnings(found) };
      if (strict) checkStrict(problems);
      const notes = { format: 4, inputs: mayRecover(found) ? '' : inputs, settingsKey, ...found } as const;
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
        const { bytes } = await output.publish(site.files, {
          produce,
          notes: (size): BuildNotes => ({ ...notes, summary: { ...counts, bytes: size } }),
          maxBytes: tools.limits.maxOutputBytes,
          onFile: clock.advance,
        });
        options.onPublished?.(listPublished(site.versions));
        const rendered = tools.renderedCount();
        const reused = Math.max(0, counts.pages - rendered);
        return { ...counts, rendered, reused, ...problems, bytes, ...clock.finish() };
      } catch (error) {
        if (failures.size === 0) throw error;
        return { failures };
      }
    }
  } finally {
    await tools.close();
  }
}

/** Where versions come one by one, the one that `latest` is to stand for may not be there yet, or no more. */
function placeLatest(settings: SiteSettings, refs: readonly Ref[], { refUpdate }: BuildOptions): SiteSettings {
  const isThere = settings.latest === undefined || refs.some(({ name }) => name === settings.latest);
  return refUpdate && !isThere ? { ...settings, latest: undefined } : settings;
}

function countSite(
  site: PlannedSite,
): Pick<BuildSummary, 'sources' | 'versions' | 'languages' | 'pages' | 'fallbacks'> {
  const versions = Object.values(site.versions);
  return {
    sources: listSources(site.versions),
    versions: versions.filter((version) => version.pages > 0).length,
    languages: site.languages,
    pages: versions.reduce((sum, version) => sum + version.pages, 0),
    fallbacks: versions.reduce((sum, version) => sum + version.fallbacks, 0),
  };
}

let composer: Composer | undefined;

/** The compiled templates serve all builds of a process. */
function getComposer(): Composer {
  composer ??= createComposer();
  return composer;
}
