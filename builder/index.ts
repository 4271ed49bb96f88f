import type { InspectionOptions, RepositoryReport } from './inspect-repository.ts';
import type { Ref } from './model.ts';
import type { Preview, PreviewOptions } from './open-preview.ts';
import type { OptionWords } from './option-marks.ts';
import type { BuildSummary } from './plan/build-summary.ts';
import type { Migration } from './plan/migration/create-migration.ts';
import type { BuildOptions } from './plan/site-options.ts';
import type { CopiedSite } from './publish/open-output.ts';

export { countNoun } from '../lib/count-noun.ts';
export { formatBytes } from '../lib/format-bytes.ts';
export { packageFile, readPackageVersion } from '../lib/package-file.ts';
export { BuildError, type BuildErrorCode, formatBuildError, type SourceLocation } from './build-error.ts';
export {
  type BuildLimits,
  DEFAULT_LIMITS,
  LIMIT_SETTINGS,
  type LimitSetting,
  type LimitValues,
  parseCount,
  readLimits,
} from './build-limits.ts';
export { OVERRIDABLE, type OwnTemplates, readOwnTemplates } from './compose/own-templates.ts';
export { TEMPLATE_VARIABLES, TEMPLATES } from './compose/template-variables.ts';
export type { Component, ComponentCall, Config, Extension, ExtensionCost } from './extension.ts';
export { type ConfigFile, findConfigFile, listConfigFiles, readConfigFile } from './extensions/config-file.ts';
export type { InspectionOptions, RepositoryReport } from './inspect-repository.ts';
export { isLanguageCode, looksLikeLanguage } from './language-tag.ts';
export type { Ref, SourceError, Warning, WarningCode } from './model.ts';
export type { Preview } from './open-preview.ts';
export { describeLimit, type OptionWords, wordOptions } from './option-marks.ts';
export { stripCredentials } from './parse-location.ts';
export {
  type BuildSummary,
  countsAsStrict,
  describeLeftOut,
  describeSources,
  describeTranslations,
  describeUntranslated,
  formatProblem,
  formatProblems,
  type Problems,
  type UsedSource,
} from './plan/build-summary.ts';
export type { HostUrlPatterns } from './plan/links/host-urls.ts';
export type { Migration } from './plan/migration/create-migration.ts';
export { FLAG_WORDS, KEY_WORDS, wordLimits } from './plan/option-words.ts';
export {
  createStageLines,
  createTimeError,
  describeProgress,
  type Progress,
  STAGE_LABELS,
  STAGES,
  type Stage,
} from './plan/progress.ts';
export { type BuildOptions, SITE_OPTIONS, type SiteOption } from './plan/site-options.ts';
export { findFormer, withoutFormer } from './publish/former-files.ts';
export { hasPublished, identifySite, isSameSite, isWholeSite, readSite } from './publish/site-manifest.ts';
export { createRefMatcher } from './refs/match-ref.ts';
export { isVersionRef } from './refs/select-refs.ts';
export { findBasePath } from './site/sitemap.ts';

// The engine is loaded when it is first used: a server leaves it to the processes that build, most commands need none of it.

/**
 * Builds the site of a repository: all chosen refs in all languages, published to the output folder in one step.
 * Throws `BuildError` for everything the user can do something about; the published site then stays as it was. `words` are what
 * messages call options.
 */
export async function buildSite(options: BuildOptions, words?: OptionWords): Promise<BuildSummary> {
  const engine = await import('./build-site.ts');
  return engine.buildSite(options, words);
}

/** Opens the folder `repository` for a preview: one version, committed or not. Throws `not-a-repository`. */
export async function openPreview(options: PreviewOptions): Promise<Preview> {
  const engine = await import('./open-preview.ts');
  return engine.openPreview(options);
}

/**
 * Looks at a repository without building it: its refs, and in its default branch the folder of the documentation with its
 * languages. Of a remote one, folders are fetched, and of files only configurations. Throws `BuildError`.
 */
export async function inspectRepository(options: InspectionOptions): Promise<RepositoryReport> {
  const engine = await import('./inspect-repository.ts');
  return engine.inspectRepository(options);
}

/**
 * Reads a folder with the documentation of another generator, whatever its own project file says, and writes a project file
 * that means the same. Nothing of the folder is run, and nothing is written to it. Throws `no-source` where no generator
 * is recognised.
 */
export async function planMigration(
  options: Pick<BuildOptions, 'repository' | 'cacheFolder' | 'sourceDir' | 'codeHosts'>,
): Promise<Migration> {
  const engine = await import('./plan-migration.ts');
  return engine.planMigration(options);
}

/**
 * Lists the branches and tags of a repository by one request, and its default branch; a plain folder has none. Throws `BuildError` like
 * `buildSite`.
 */
export async function listRefs(
  repository: string,
  options: { readonly cacheFolder: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<{ readonly refs: readonly Ref[]; readonly head: string | undefined }> {
  const { openRepository } = await import('./open-repository.ts');
  const opened = await openRepository(repository, { ...options, environment: {} });
  await opened.close();
  return { refs: opened.refs.filter(({ kind }) => kind !== 'worktree'), head: opened.head };
}

/** Publishes a site that was built elsewhere to a folder, as its build did. Throws `foreign-output`, `output-busy`, `unwritable`. */
export async function publishCopy(folder: string, site: CopiedSite): Promise<void> {
  const engine = await import('./publish/open-output.ts');
  await engine.publishCopy(folder, site);
}
