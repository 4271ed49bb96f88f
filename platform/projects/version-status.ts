import type { Build } from '../../data/records/build.ts';
import type { FailingVersion, Project } from '../../data/records/project.ts';

/** How a version stands, as badges show it. */
export type VersionStatus = 'passing' | 'failing' | 'unknown';

/**
 * Returns how a version stands. `verdict` is the newest build that says so, see `BuildStore.findLastFinished`; it may have
 * passed though it could not build this very version, or not all of its pages. Without `ref`, the build's own status.
 */
export function findVersionStatus(
  project: Project,
  ref: string | undefined,
  verdict: Build | undefined,
): VersionStatus {
  if (verdict?.status === 'failing' || findFailing(project, ref)) return 'failing';
  // A build of all versions says nothing of a ref that is not among them.
  const isMeant = verdict?.ref !== '' || ref === undefined || project.versions.some((version) => version.ref === ref);
  return verdict?.status === 'passing' && isMeant ? 'passing' : 'unknown';
}

/** Returns what is wrong with a version. */
export function findFailing(project: Project, ref: string | undefined): FailingVersion | undefined {
  return project.failing?.find((version) => version.ref === ref);
}
