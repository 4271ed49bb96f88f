import type { Build } from '../../data/records/build.ts';
import type { FailingVersion, Project } from '../../data/records/project.ts';

/** How a version stands, as badges show it. */
export type VersionStatus = 'passing' | 'failing' | 'unknown';

/**
 * Returns how a version stands. `verdict` is the newest build of it, or of all, see `BuildStore.findLastFinished`; builds of other
 * versions take it over, too, if it has changed. Without `ref`, the build's own status.
 */
export function findVersionStatus(
  project: Project,
  ref: string | undefined,
  verdict: Build | undefined,
): VersionStatus {
  const isPublished = project.versions.some((version) => version.ref === ref);
  // A build that failed before what is online was published says nothing of that.
  const isOver = isPublished && verdict !== undefined && verdict.id < (project.publishedBy ?? '');
  if ((verdict?.status === 'failing' && !isOver) || findFailing(project, ref)) return 'failing';
  return isPublished || (ref === undefined && verdict?.status === 'passing') ? 'passing' : 'unknown';
}

/** Returns what is wrong with a version. */
export function findFailing(project: Project, ref: string | undefined): FailingVersion | undefined {
  return project.failing.find((version) => version.ref === ref);
}
