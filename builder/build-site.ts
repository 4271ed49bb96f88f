import { type BuildLimits, DEFAULT_LIMITS } from './build-limits.ts';
import { type Composer, createComposer } from './compose/create-composer.ts';
import { readEngineVersion } from './engine-version.ts';
import { contentKey } from './fragments/content-key.ts';
import { openRepository } from './git/open-repository.ts';
import type { Ref, Repository } from './model.ts';
import { type BuildNotes, listErrors, listSources, listWarnings, readNotes } from './pipeline/build-notes.ts';
import type { BuildOptions, BuildSummary } from './pipeline/build-options.ts';
import { checkStrict } from './pipeline/check-strict.ts';
import { findLostVersions } from './pipeline/find-lost-versions.ts';
import { hashInputs } from './pipeline/hash-inputs.ts';
import { listLocalFolders } from './pipeline/local-folders.ts';
import { type PlannedSite, planSite } from './pipeline/plan-site.ts';
import { fetchRefs, orderVersions, readSettings, readVersions } from './pipeline/read-versions.ts';
import { contentLimits } from './pipeline/site-key.ts';
import type { SiteSettings } from './pipeline/site-settings.ts';
import { createStageClock, type StageClock } from './pipeline/stage-clock.ts';
import { createWorkshop } from './pipeline/workshop.ts';
import type { Output } from './publish/open-output.ts';
import { countFiles } from './publish/site-files.ts';
import { waitForOutput } from './publish/wait-for-output.ts';
import { selectRefs } from './refs/select-refs.ts';
import { freezeRefs, type RefUpdate, updateRefs } from './refs/update-refs.ts';

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

/** Builds all versions, or updates some; of the others those that cannot stay as they are are built as they are now. */
async function buildVersions({ repository, options, ...rest }: Build): Promise<BuildSummary> {
  const { refUpdate } = options;
  if (!refUpdate) return build({ ...rest, options, repository });
  const update = (updated: RefUpdate): Promise<BuildSummary> => {
    const refs = freezeRefs(repository.refs, repository.head, updated);
    return build({ ...rest, options: { ...options, refUpdate: updated }, repository: { ...repository, refs } });
  };
  try {
    return await update(refUpdate);
  } catch (error) {
    const lost = await findLostVersions(repository, refUpdate, error);
    if (lost.length === 0) throw error;
    return update({ ...refUpdate, update: [...refUpdate.update, ...lost] });
  }
}

async function build({ options, clock, output, repository }: Build): Promise<BuildSummary> {
  const engineVersion = readEngineVersion();
  const inputs = hashInputs(options, repository, engineVersion);
  const published = readNotes(output.published?.notes);
  if (published?.inputs === inputs) {
    const problems = { errors: listErrors(published), warnings: listWarnings(published) };
    if (options.strict) checkStrict(problems);
    options.onPublished?.(listPublished(published.versions, repository.refs));
    return { ...published.summary, ...problems, rendered: 0, reused: published.summary.pages, ...clock.finish() };
  }
  const workshop = createWorkshop(options, repository, engineVersion);
  try {
    const settings = await readSettings(repository, options, clock);
    const refs = options.refUpdate
      ? updateRefs(repository.refs, options.refUpdate, settings.exclude ?? '')
      : selectRefs(repository.refs, { include: settings.refs, exclude: settings.exclude });
    if (refs.length === 0) {
      // The last version's ref is gone.
      output.takeDown();
      options.onPublished?.([]);
      return { ...NOTHING, ...clock.finish() };
    }
    await fetchRefs(repository, refs, clock);
    clock.enter('read', refs.length);
    const { versions: read, skipped } = await readVersions(repository, refs, published);
    const versions = orderVersions(read, placeLatest(settings, refs, options), repository.head);
    const settingsKey = contentKey(
      engineVersion,
      JSON.stringify([settings, options.sourceDir, contentLimits(options.limits)]),
    );
    const previous =
      published?.settingsKey === settingsKey ? { notes: published, site: output.published!.site } : undefined;
    const { sourceDir } = options;
    const site = await planSite({
      repository,
      settings,
      sourceDir,
      hideGit: options.hideGit,
      versions,
      workshop,
      composer: getComposer(),
      engineVersion,
      previous,
      clock,
      onUnreadable: options.strict ? (errors) => checkStrict({ errors, warnings: [] }) : undefined,
    });
    clock.enter('publish', countFiles(site.files));
    const counts = countSite(site);
    const { versions: versionNotes } = site;
    const siteWarnings = [...skipped, ...site.siteWarnings];
    const problems = {
      errors: listErrors({ versions: versionNotes }),
      warnings: listWarnings({ siteWarnings, versions: versionNotes }),
    };
    if (options.strict) checkStrict(problems);
    const { bytes } = await output.publish(site.files, {
      produce: site.produce,
      notes: (size): BuildNotes => ({
        format: 4,
        inputs,
        settingsKey,
        summary: { ...counts, bytes: size },
        siteWarnings,
        versions: versionNotes,
      }),
      maxBytes: workshop.limits.maxOutputBytes,
      onFile: clock.advance,
    });
    options.onPublished?.(listPublished(versionNotes, refs));
    const rendered = workshop.renderedCount();
    const reused = Math.max(0, counts.pages - rendered);
    return { ...counts, rendered, reused, ...problems, bytes, ...clock.finish() };
  } finally {
    await workshop.close();
  }
}

/** Where versions come one by one, the one that `latest` is to stand for may not be there yet, or no more. */
function placeLatest(settings: SiteSettings, refs: readonly Ref[], { refUpdate }: BuildOptions): SiteSettings {
  const isThere = settings.latest === undefined || refs.some(({ name }) => name === settings.latest);
  return refUpdate && !isThere ? { ...settings, latest: undefined } : settings;
}

/** Gives the refs whose versions are published. */
function listPublished(versions: BuildNotes['versions'], refs: readonly Ref[]): readonly Ref[] {
  return refs.filter(
    ({ name, oid }) => Object.hasOwn(versions, name) && versions[name]!.oid === oid && versions[name]!.pages > 0,
  );
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
