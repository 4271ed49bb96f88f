export { BuildError, type BuildErrorCode, formatBuildError, type SourceLocation } from './build-error.ts';
export { buildSite } from './build-site.ts';
export type { Warning, WarningCode } from './model.ts';
export { readPackageVersion } from './package-version.ts';
export {
  type BuildLimits,
  type BuildOptions,
  type BuildSummary,
  DEFAULT_LIMITS,
  type Progress,
  STAGE_LABELS,
  STAGES,
  type Stage,
} from './pipeline/build-options.ts';
export { formatWarning } from './pipeline/check-strict.ts';
export { isLanguageCode } from './source/language-tag.ts';
