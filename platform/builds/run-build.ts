import { basename, dirname, join } from 'node:path';
import {
  BuildError,
  type BuildLimits,
  type ConfigFile,
  countNoun,
  describeLeftOut,
  describeLimit,
  describeSources,
  formatBytes,
  type HostUrlPatterns,
  KEY_WORDS,
  type OptionWords,
  type OwnTemplates,
  readConfigFile,
  readOwnTemplates,
  wordLimits,
  wordOptions,
} from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { Build, BuildResult } from '../../data/records/build.ts';
import type { FailingVersion, Project, PublishedVersion } from '../../data/records/project.ts';
import { findMachineError } from '../../lib/system-error.ts';
import { type SiteStorage, siteFolder } from '../sites/site-storage.ts';
import { describePublished, listFailing, listProblems, listVersions, logProblems, toResult } from './build-findings.ts';
import type { BuildProblem } from './build-logs.ts';
import type { BuildProcesses } from './build-processes.ts';
import { CANCELLED, timedOut } from './build-reasons.ts';
import { excludedRefs } from './excluded-refs.ts';
import type { HookRecords } from './hook-records.ts';
import { runHook } from './run-hook.ts';
import { runWithoutFatalPages } from './run-without-fatal-pages.ts';
import { endFor, type FailedBuild, mayCrash } from './whose-fault.ts';

/** Folders and limits of builds. */
export interface BuildSettings {
  readonly sitesFolder: string;
  readonly cacheFolder: string;
  readonly limits: BuildLimits;
  /** Folder of templates that take the place of docbuild's own; '' = none. */
  readonly templatesFolder: string;
  /** File of the operator's extensions; '' = none. */
  readonly extensionsFile: string;
  /** URLs of files at code hosts. */
  readonly codeHosts: readonly HostUrlPatterns[];
  /** See `SiteStorage`. */
  readonly isShared: boolean;
  /** URL of the nav button's script and of a project's description. */
  readonly buttonOf: (project: string) => { readonly script: string; readonly api: string };
  /** Returns the URL of a project's site, with a final slash; undefined where the server does not know its own. */
  readonly siteUrlOf: (project: Project) => string | undefined;
  readonly now: () => Date;
}

/** How long to wait for a build that outlived a killed server. */
const ORPHAN_MS = 60_000;

/** A build ends itself when its time is up, and is killed if it does not. */
const GRACE_MS = 3_000;

/** How a build ended. */
export type BuildOutcome =
  | {
      readonly status: 'passing';
      readonly result: BuildResult;
      readonly versions: readonly PublishedVersion[];
      /** Versions with errors. */
      readonly failing: readonly FailingVersion[];
      readonly problems: readonly BuildProblem[];
      /** The build was for a branch that is no version, see `isVersionRef`. */
      readonly isLeftOut: boolean;
    }
  | FailedBuild;

type PublishOrder = Parameters<SiteStorage['publish']>[0];

/** A build to run. */
interface BuildOrder {
  readonly build: Build;
  readonly project: Project;
  /** A person asks for it: its branch is published whatever it is called. */
  readonly isAsked: boolean;
}

/** Runs one build: hook, engine, hook. Never throws for errors of a repository or hook. */
export async function runBuild(
  { build, project, isAsked }: BuildOrder,
  context: {
    readonly settings: BuildSettings;
    readonly sites: Pick<SiteStorage, 'publish'>;
    readonly processes: BuildProcesses;
    readonly hookRecords: HookRecords;
    readonly signal: AbortSignal;
    readonly log: (line: string) => void;
    /** Returns whether the build may publish, right before it does; undefined where nobody else can have begun it again. */
    readonly mayPublish?: (() => Promise<boolean>) | undefined;
    readonly isCurrent?: PublishOrder['isCurrent'];
    /** Called when the site is published. */
    readonly onPublished: () => void;
  },
): Promise<BuildOutcome> {
  const { processes, hookRecords: records, signal, log, mayPublish } = context;
  const settings = withOwnTimeout(context.settings, project);
  const { timeoutMs } = settings.limits;
  const words = wordProject(project);
  const own = readOwnFiles(settings);
  if ('status' in own) return { ...own, reason: hidePaths(own.reason, project, settings) };
  const folder = dirname(siteFolder(settings.sitesFolder, project.name));
  const hook = { folder, build, signal, timeoutMs, records, log };
  const refused =
    project.before === '' ? undefined : await runHook({ ...hook, command: project.before, name: 'before' });
  if (refused) return refused;
  const options = createOptions({ build, project, isAsked }, { ...settings, ...own });
  const order = { options, words, isAsking: mayPublish !== undefined };
  const outcome = await runWithoutFatalPages(processes, order, {
    signal,
    timeoutMs: timeoutMs + GRACE_MS,
    onProgress: log,
    mayPublish,
    isPatient: mayCrash(build),
  });
  if (outcome.kind === 'cancelled') return { status: 'cancelled', reason: String(CANCELLED) };
  if (outcome.kind === 'timeout') {
    const reason = String(timedOut(describeLimit('timeoutMs', timeoutMs)));
    return { status: 'failing', reason: wordOptions(reason, words) };
  }
  if (outcome.kind === 'failed') {
    const { message, code, isCrash = false } = outcome;
    const reason = hidePaths(message, project, settings);
    return isCrash && mayCrash(build) ? { status: 'deferred', reason, isCrash } : endFor(code, reason);
  }
  if (mayPublish && !(await mayPublish())) return { status: 'cancelled', reason: String(CANCELLED) };
  context.onPublished();
  const published = {
    versions: listVersions(project, outcome.refs, settings.now()),
    failing: listFailing(outcome.summary.errors, build.id),
  };
  const refusal = await publish(build, { ...context, timeoutMs, changeProject: describePublished(build, published) });
  if (refusal) {
    const isCancelled = signal.aborted || refusal.code === 'taken';
    return isCancelled ? { status: 'cancelled', reason: String(CANCELLED) } : endFor(refusal.code, refusal.message);
  }
  const { leftOut } = outcome.summary;
  for (const row of describeLeftOut(leftOut, 'include them with "refs" in .docbuild.yml')) log(row);
  log(`Documentation: ${describeSources(outcome.summary.sources)}`);
  logProblems(outcome.summary, log);
  const failed = project.after === '' ? undefined : await runHook({ ...hook, command: project.after, name: 'after' });
  if (failed !== undefined) log(`${failed.reason}; the site was still published`);
  return {
    status: 'passing',
    result: toResult(outcome.summary),
    ...published,
    problems: listProblems(outcome.summary),
    isLeftOut: leftOut.names.includes(build.ref),
  };
}

/** Shows readers what a build has left in its folder; returns the error that says why that cannot be. */
async function publish(
  { project, id, ref, kind }: Build,
  context: {
    readonly sites: Pick<SiteStorage, 'publish'>;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly isCurrent?: PublishOrder['isCurrent'];
    readonly changeProject: PublishOrder['changeProject'];
    readonly log: (line: string) => void;
  },
): Promise<DataError | undefined> {
  const { sites, timeoutMs, signal, isCurrent, changeProject, log } = context;
  const isThorough = ref === '' && kind !== 'remove';
  try {
    const upload = await sites.publish({
      project,
      build: id,
      timeoutMs,
      signal,
      isCurrent,
      changeProject,
      isThorough,
    });
    if (upload) log(`Uploaded ${countNoun(upload.objects, 'object')}, ${formatBytes(upload.bytes)}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return error;
  }
}

/** Removes paths of this machine, since the reason is public. */
function hidePaths(text: string, { url }: Project, settings: BuildSettings): string {
  const { sitesFolder, cacheFolder, templatesFolder, extensionsFile } = settings;
  // A script at the root of the file system leaves paths as they are.
  const folders = [
    [sitesFolder, '…/sites'],
    [cacheFolder, '…/cache'],
    [templatesFolder, '…/templates'],
    [extensionsFile && join(dirname(extensionsFile), '/'), '…/'],
  ] as const;
  const shown = folders.reduce(
    (said, [folder, name]) => (folder.length <= 1 ? said : said.replaceAll(folder, name)),
    text,
  );
  return url.startsWith('/') ? shown.replaceAll(url, `…/${basename(url)}`) : shown;
}

function withOwnTimeout(settings: BuildSettings, { timeout = 0 }: Project): BuildSettings {
  return timeout === 0 ? settings : { ...settings, limits: { ...settings.limits, timeoutMs: timeout * 1_000 } };
}

/** Templates and extensions that the operator has all sites built with. */
interface OwnFiles {
  readonly templates: OwnTemplates | undefined;
  readonly config: ConfigFile | undefined;
}

/** Reads the templates and extensions of the server anew for each build; those that cannot be used are no repository's fault. */
function readOwnFiles({ templatesFolder, extensionsFile }: BuildSettings): OwnFiles | FailedBuild {
  let what = 'templates';
  try {
    const templates = templatesFolder === '' ? undefined : readOwnTemplates(templatesFolder);
    what = 'extensions';
    return { templates, config: extensionsFile === '' ? undefined : readConfigFile(extensionsFile) };
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return endFor(
      findMachineError(error) && 'unwritable',
      `Cannot use the ${what} of the server (builds.${what}): ${error.message}`,
    );
  }
}

function createOptions(
  { build, project, isAsked }: BuildOrder,
  { templates, config, ...settings }: BuildSettings & OwnFiles,
) {
  const published = project.versions.map(({ ref, kind, oid }) => ({ name: ref, kind, oid }));
  return {
    repository: project.url,
    out: siteFolder(settings.sitesFolder, project.name),
    cacheFolder: settings.cacheFolder,
    sourceDir: project.sourceDir === '' ? undefined : project.sourceDir,
    lang: project.lang.length > 0 ? project.lang : undefined,
    latest: project.latest === '' ? undefined : project.latest,
    single: project.single || undefined,
    exclude: excludedRefs(project),
    limits: settings.limits,
    hideGit: project.hideGit,
    // Nobody else writes there; anything that is not a valid site comes from copying the folder.
    force: true,
    // A killed server may leave a build that is still publishing.
    outputWaitMs: ORPHAN_MS,
    baseUrl: settings.siteUrlOf(project),
    // The server puts it together from the pages.
    llmsFull: 'none' as const,
    alsoBelow: `/docs/${project.name}/`,
    codeHosts: settings.codeHosts,
    templates,
    config,
    button: project.showNav ? settings.buttonOf(project.name) : (false as const),
    refUpdate: {
      published,
      isShared: settings.isShared,
      update: build.kind === 'build' && build.ref !== '' ? [build.ref] : build.kind === 'remove' ? [] : undefined,
      remove: build.kind === 'remove' ? [build.ref] : undefined,
      isAsked,
    },
  };
}

/** Returns how operator and authors change what messages advise to. */
function wordProject({ name, timeout = 0 }: Project): OptionWords {
  const set = (change: string): string => `"docbuild project update -t ${change}… ${name}"`;
  const words = wordLimits(({ key }) => `"builds.${key}" in the server's configuration`);
  return {
    ...words,
    ...KEY_WORDS,
    cacheFolder: `"base_dir" in the server's configuration`,
    timeoutMs: timeout === 0 ? `${words.timeoutMs} or ${set('timeout:')}` : set('timeout:'),
    sourceDir: set('sourceDir:'),
    latest: `${set('latest:')} or ${KEY_WORDS.latest}`,
    exclude: `${set('meta:excluded_branch=')} or ${KEY_WORDS.exclude}`,
  };
}
