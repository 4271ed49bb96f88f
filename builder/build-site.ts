import { fileURLToPath } from 'node:url';
import { BuildError } from './build-error.ts';
import { type Composer, createComposer } from './compose/create-composer.ts';
import { readEngineVersion } from './engine-version.ts';
import { contentKey } from './fragments/content-key.ts';
import { openRepository } from './git/open-repository.ts';
import type { Ref, Repository, Warning } from './model.ts';
import { type BuildNotes, listWarnings, readNotes } from './pipeline/build-notes.ts';
import { type BuildOptions, type BuildSummary, DEFAULT_LIMITS } from './pipeline/build-options.ts';
import { checkStrict } from './pipeline/check-strict.ts';
import { type PlannedSite, planSite } from './pipeline/plan-site.ts';
import { createPathFinder, readProjectFile, type Version } from './pipeline/read-version.ts';
import { joinSettings, type SiteSettings, titleFromLocation } from './pipeline/site-settings.ts';
import { createStageClock, type StageClock } from './pipeline/stage-clock.ts';
import { createWorkshop } from './pipeline/workshop.ts';
import { type Output, openOutput } from './publish/open-output.ts';
import type { SiteFiles } from './publish/site-files.ts';
import { chooseLatest } from './refs/choose-latest.ts';
import { selectRefs } from './refs/select-refs.ts';
import { sortVersions } from './refs/sort-versions.ts';

/**
 * Builds the site of a repository: all chosen refs in all languages, published to the output folder in one step.
 * Throws `BuildError` for everything the user can do something about; the published site then stays as it was.
 */
export async function buildSite(options: BuildOptions): Promise<BuildSummary> {
  const clock = createStageClock(options.onProgress);
  clock.enter('open');
  const output = openOutput(options.out, {
    force: options.force ?? false,
    protect: [options.cacheFolder, process.cwd(), ...localFolders(options.repository)],
  });
  try {
    const repository = await openRepository(options.repository, {
      cacheFolder: options.cacheFolder,
      environment: options.environment ?? {},
      maxFetchBytes: options.limits?.maxFetchBytes ?? DEFAULT_LIMITS.maxFetchBytes,
    });
    try {
      return await build({ options, clock, output, repository });
    } finally {
      await repository.close();
    }
  } finally {
    output.close();
  }
}

interface Build {
  readonly options: BuildOptions;
  readonly clock: StageClock;
  readonly output: Output;
  readonly repository: Repository;
}

async function build({ options, clock, output, repository }: Build): Promise<BuildSummary> {
  const engineVersion = readEngineVersion();
  const inputs = hashInputs(options, repository, engineVersion);
  const published = readNotes(output.published?.notes);
  if (published?.inputs === inputs) {
    const warnings = listWarnings(published);
    if (options.strict) checkStrict(warnings);
    return { ...published.summary, warnings, rendered: 0, reused: published.summary.pages, ...clock.finish() };
  }
  const workshop = createWorkshop(options, repository, engineVersion);
  try {
    const settings = await readSettings(repository, options, clock);
    const refs = selectRefs(repository.refs, { include: settings.refs, exclude: settings.exclude });
    await fetchRefs(repository, refs, clock);
    clock.enter('read', refs.length);
    const { versions: read, skipped } = await readVersions(repository, refs, published);
    const versions = orderVersions(read, settings, repository.head);
    const settingsKey = contentKey(engineVersion, JSON.stringify([settings, options.sourceDir]));
    const previous =
      published?.settingsKey === settingsKey ? { notes: published, site: output.published!.site } : undefined;
    const { sourceDir } = options;
    const site = await planSite({
      repository,
      settings,
      sourceDir,
      versions,
      workshop,
      composer: getComposer(),
      engineVersion,
      previous,
      clock,
    });
    clock.enter('publish', countFiles(site.files));
    const counts = countSite(site);
    const { versions: versionNotes } = site;
    const siteWarnings = [...skipped, ...site.siteWarnings];
    const warnings = listWarnings({ siteWarnings, versions: versionNotes });
    if (options.strict) checkStrict(warnings);
    const { bytes } = await output.publish(site.files, {
      produce: site.produce,
      notes: (size): BuildNotes => ({
        format: 2,
        inputs,
        settingsKey,
        summary: { ...counts, bytes: size },
        siteWarnings,
        versions: versionNotes,
      }),
      maxBytes: workshop.limits.maxOutputBytes,
    });
    const rendered = workshop.renderedCount();
    const reused = Math.max(0, counts.pages - rendered);
    return { ...counts, rendered, reused, warnings, bytes, ...clock.finish() };
  } finally {
    await workshop.close();
  }
}

/** Reads what the default branch's `.docbuild.yml` says about the site. */
async function readSettings(repository: Repository, options: BuildOptions, clock: StageClock): Promise<SiteSettings> {
  const title = titleFromLocation(repository.label);
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return joinSettings(options, {}, title);
  await fetchRefs(repository, [head], clock);
  clock.enter('read');
  const { tree } = await repository.readCommit(head.oid);
  try {
    return joinSettings(options, await readProjectFile(repository, createPathFinder(repository, tree)), title);
  } catch (error) {
    throw error instanceof BuildError ? error.at({ ref: head.name }) : error;
  }
}

async function fetchRefs(repository: Repository, refs: readonly Ref[], clock: StageClock): Promise<void> {
  clock.enter('fetch', refs.length);
  await repository.fetch(refs, () => clock.advance());
}

/**
 * Reads the commits of refs; what is known from the last build is not read again. A tag that leads to no commit is
 * skipped with a warning.
 */
async function readVersions(
  repository: Repository,
  refs: readonly Ref[],
  known: BuildNotes | undefined,
): Promise<{ readonly versions: readonly Version[]; readonly skipped: readonly Warning[] }> {
  const versions: Version[] = [];
  const skipped: Warning[] = [];
  for (const ref of refs) {
    const notes = known && Object.hasOwn(known.versions, ref.name) ? known.versions[ref.name] : undefined;
    if (notes?.oid === ref.oid) {
      versions.push({ ref, rootTree: notes.tree, time: notes.time });
      continue;
    }
    try {
      const { tree, time } = await repository.readCommit(ref.oid);
      versions.push({ ref, rootTree: tree, time });
    } catch (error) {
      if (!(error instanceof BuildError && error.code === 'no-such-ref')) throw error;
      skipped.push({ ref: ref.name, file: '', line: 0, code: 'skipped-ref', message: `Skipped: ${error.message}` });
    }
  }
  if (versions.length === 0) throw new BuildError('no-refs', 'None of the chosen refs leads to a commit');
  return { versions, skipped };
}

/** Gives the versions in readers' order, the latest first; only that one when the site has a single version. */
function orderVersions(
  versions: readonly Version[],
  settings: SiteSettings,
  head: string | undefined,
): readonly Version[] {
  const dated = versions.map((version) => ({ ...version.ref, time: version.time, version }));
  const latest = chooseLatest(dated, { asked: settings.latest, head });
  return settings.single ? [latest.version] : sortVersions(dated, latest.name).map(({ version }) => version);
}

/** Gives a hash of everything a build looks at from outside. */
function hashInputs(options: BuildOptions, repository: Repository, engineVersion: string): string {
  const { repository: location, sourceDir, lang, refs, exclude, latest, single, title, baseUrl } = options;
  return contentKey(
    engineVersion,
    JSON.stringify([location, sourceDir, lang, refs, exclude, latest, single, title, baseUrl, options.limits ?? {}]),
    JSON.stringify([repository.head, repository.webUrl]),
    repository.refs.map(({ name, kind, oid }) => `${kind} ${name} ${oid}`).join('\n'),
  );
}

function countSite(site: PlannedSite): Pick<BuildSummary, 'versions' | 'languages' | 'pages' | 'fallbacks'> {
  const versions = Object.values(site.versions);
  return {
    versions: versions.filter((version) => version.pages > 0).length,
    languages: site.languages,
    pages: versions.reduce((sum, version) => sum + version.pages, 0),
    fallbacks: versions.reduce((sum, version) => sum + version.fallbacks, 0),
  };
}

function countFiles(files: SiteFiles): number {
  let count = 0;
  for (const { list } of files.values()) count += list.files.length;
  return count;
}

/** Folders that an output folder must not hold, of a repository that lies on this machine. */
function localFolders(location: string): readonly string[] {
  if (/^https?:\/\//i.test(location)) return [];
  return [location.startsWith('file://') ? fileURLToPath(location) : location];
}

let composer: Composer | undefined;

/** The compiled templates serve all builds of a process. */
function getComposer(): Composer {
  composer ??= createComposer();
  return composer;
}
