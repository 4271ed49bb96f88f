/*
 * Types of the engine for users of the package; its functions are in `cli/library.ts`. It imports little, so that the types
 * that are shipped are few.
 */
export { BuildError, type BuildErrorCode, type SourceLocation } from './build-error.ts';
export type { BuildLimits } from './build-limits.ts';
export type {
  CodeTheme,
  Component,
  ComponentCall,
  Config,
  Extension,
  ExtensionCost,
  Grammar,
  MadeFile,
  PageSource,
  PlannedContent,
  VersionFiles,
} from './extension.ts';
export type {
  FoundDocumentation,
  MissingDocumentation,
  ReportedRef,
  RepositoryReport,
  UnknownDocumentation,
} from './inspect-repository.ts';
export type { Ref, SourceError, Warning, WarningCode } from './model.ts';
export {
  type BuildSummary,
  formatProblem,
  type LeftOutBranches,
  type Translated,
  type Untranslated,
  type UsedSource,
} from './plan/build-summary.ts';
export type { Progress, Stage } from './plan/progress.ts';
