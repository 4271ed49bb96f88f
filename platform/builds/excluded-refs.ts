import { createRefMatcher } from '../../builder/index.ts';
import type { Project } from '../../data/records/project.ts';

/** Returns the project's excluded refs in the engine's format, separated by `|`. */
export function excludedRefs({ meta }: Pick<Project, 'meta'>): string {
  const separator = meta._sep || '|';
  return (meta.excluded_branch ?? '')
    .split(separator)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .join('|');
}

/** Returns whether a project's settings exclude a branch or tag from building. */
export function isRefExcluded(project: Pick<Project, 'meta'>, ref: string): boolean {
  return createExclusion(project)(ref);
}

/** Returns what tells of each branch and tag whether a project's settings exclude it. Throws BuildError for wrong patterns. */
export function createExclusion(project: Pick<Project, 'meta'>): (ref: string) => boolean {
  return createRefMatcher(excludedRefs(project));
}
