export { countNoun } from '../lib/count-noun.ts';
export { packageFile, readPackageVersion } from '../lib/package-file.ts';
export { BuildError, type BuildErrorCode, formatBuildError, type SourceLocation } from './build-error.ts';
export {
  type BuildLimits,
  DEFAULT_LIMITS,
  LIMIT_SETTINGS,
  type LimitSetting,
  type LimitValues,
  readLimits,
} from './build-limits.ts';
export { buildSite } from './build-site.ts';
export { type OwnTemplates, readOwnTemplates } from './compose/own-templates.ts';
export { type InspectionOptions, inspectRepository, type RepositoryReport } from './inspect-repository.ts';
export type { Ref, SourceError, Warning, WarningCode } from './model.ts';
export { openPreview, type Preview } from './open-preview.ts';
export { describeLimit, type OptionWords, wordOptions } from './option-marks.ts';
export {
  type BuildSummary,
  describeSources,
  describeUntranslated,
  formatProblem,
  formatProblems,
  type UsedSource,
} from './plan/build-summary.ts';
export type { HostUrlPatterns } from './plan/links/host-urls.ts';
export type { Migration } from './plan/migration/create-migration.ts';
export { wordLimits } from './plan/option-words.ts';
export {
  createStageLines,
  createTimeError,
  describeProgress,
  formatBytes,
  type Progress,
  STAGE_LABELS,
  STAGES,
  type Stage,
} from './plan/progress.ts';
export { type BuildOptions, parseCount, SITE_OPTIONS, type SiteOption } from './plan/site-options.ts';
export { planMigration } from './plan-migration.ts';
export { type CopiedSite, publishCopy } from './publish/publish-copy.ts';
export { isWholeSite, readSite } from './publish/site-manifest.ts';
export { createRefMatcher } from './refs/match-ref.ts';
export { isLanguageCode, looksLikeLanguage } from './source/language-tag.ts';
