import type { Ref, SourceError } from '../../builder/index.ts';
import type { Build } from '../../data/records/build.ts';
import type { FailingVersion, Project, PublishedVersion } from '../../data/records/project.ts';

/** What a build changes in its project. */
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
export function describeError({ file, line, message }: SourceError): string {
  const place = file === '' ? '' : `${file}${line > 0 ? `:${line}` : ''}: `;
  return shorten(place + message);
}

function shorten(text: string): string {
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON - 1)}…` : text;
}
