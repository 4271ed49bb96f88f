import { type BuildSummary, formatProblems, type Ref, type SourceError, type Warning } from '../../builder/index.ts';
import type { Build, BuildResult } from '../../data/records/build.ts';
import type { FailingVersion, Project, PublishedVersion } from '../../data/records/project.ts';
import type { BuildProblem } from './build-logs.ts';

/** Limit of errors, and of warnings, in a log. */
const MAX_LOGGED = 200;
/** Limit of errors, and of warnings, that are stored for programs. */
const MAX_KEPT = 500;
/** A build's change of its project. */
export type ProjectChange = (project: Project) => Project;

/** Returns what a build that has published changes in its project's record. */
export function describePublished(
  { id }: Build,
  { versions, failing }: Pick<Project, 'versions' | 'failing'>,
): ProjectChange {
  return (project) => ({ ...project, versions, failing, publishedBy: id });
}

/** Returns the versions that a build has published; those that are as they were keep their time. */
export function listVersions(before: Project, refs: readonly Ref[], time: Date): readonly PublishedVersion[] {
  const builtAt = time.toISOString();
  const known = new Map(before.versions.map((version) => [`${version.ref} ${version.oid}`, version]));
  return refs.map(({ name, kind, oid }) => known.get(`${name} ${oid}`) ?? { ref: name, kind, oid, builtAt });
}

/** Limit of the reason stored for a version, in characters. */
const MAX_REASON = 300;
const MAX_FAILING = 1_000;

/** Returns the versions that have errors, each with its first one. */
export function listFailing(errors: readonly SourceError[], build: string): readonly FailingVersion[] {
  const failing = new Map<string, FailingVersion>();
  for (const error of errors) {
    const { ref } = error;
    const known = failing.get(ref);
    const reason = known?.reason ?? describeError(error);
    if (known || failing.size < MAX_FAILING) failing.set(ref, { ref, build, errors: (known?.errors ?? 0) + 1, reason });
  }
  return [...failing.values()];
}

/** Returns an error with its file and line, shortened. */
function describeError({ file, line, message }: SourceError): string {
  const place = file === '' ? '' : `${file}${line > 0 ? `:${line}` : ''}: `;
  return shorten(place + message);
}

function shorten(text: string): string {
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON - 1)}…` : text;
}

/** Returns the first problems of each kind, errors first. */
export function listProblems({ errors, warnings }: BuildSummary): readonly BuildProblem[] {
  const list = (severity: BuildProblem['severity'], problems: readonly (SourceError | Warning)[]) =>
    problems
      .slice(0, MAX_KEPT)
      .map(({ ref, file, line, code, message }) => ({ severity, ref, file, line, code, message }));
  return [...list('error', errors), ...list('warning', warnings)];
}

/** Writes errors, then warnings, and how many were left out. */
export function logProblems({ errors, warnings }: BuildSummary, log: (line: string) => void): void {
  for (const [label, problems] of [
    ['Error', errors],
    ['Warning', warnings],
  ] as const) {
    const { rows, left } = formatProblems(problems, MAX_LOGGED);
    for (const row of rows) log(`${label}: ${row}`);
    if (left > 0) log(`${label}: and ${left} more`);
  }
}

/** Returns what is stored of what a build made and found. */
export function toResult(summary: BuildSummary): BuildResult {
  const { versions, languages, pages, rendered, reused, bytes, ms } = summary;
  return {
    versions,
    languages,
    pages,
    rendered,
    reused,
    bytes,
    errors: summary.errors.length,
    firstError: summary.errors[0] && describeError(summary.errors[0]),
    warnings: summary.warnings.length,
    ms,
    fetchMs: summary.stages.open + summary.stages.fetch,
  };
}
