export { BuildError, type BuildErrorCode, formatBuildError, type SourceLocation } from './build-error.ts';
export {
  type BuildLimits,
  DEFAULT_LIMITS,
  describeLimit,
  LIMIT_SETTINGS,
  type LimitSetting,
  type LimitValues,
  readLimits,
} from './build-limits.ts';
export { buildSite } from './build-site.ts';
export type { Ref, SourceError, Warning, WarningCode } from './model.ts';
export { packageFile } from './package-file.ts';
export { readPackageVersion } from './package-version.ts';
export {
  type BuildOptions,
  type BuildSummary,
  type Progress,
  STAGE_LABELS,
  STAGES,
  type Stage,
  type UsedSource,
} from './plan/build-options.ts';
export { formatProblem } from './plan/check-strict.ts';
export { describeSources } from './plan/describe-sources.ts';
export { createTimeError } from './plan/stage-clock.ts';
export { createStageLines, describeProgress, formatBytes } from './plan/stage-lines.ts';
export { isWholeSite } from './publish/is-whole-site.ts';
export { createRefMatcher } from './refs/match-ref.ts';
export { isLanguageCode } from './source/language-tag.ts';
