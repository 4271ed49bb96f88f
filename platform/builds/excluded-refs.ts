import { createRefMatcher } from '../../builder/index.ts';
import type { Project } from '../../data/records/project.ts';

/** Returns the project's excluded refs as the engine takes them, separated by `|`. */
export function excludedRefs({ meta }: Pick<Project, 'meta'>): string {
  const separator = meta._sep || '|';
  return (meta.excluded_branch ?? '')
    .split(separator)
    .map((entry) => entry.trim())
    .filter(Boolean)
    .join('|');
}

/** Tells whether a project's settings exclude a branch or tag from building. */
export function isRefExcluded(project: Pick<Project, 'meta'>, ref: string): boolean {
  return createRefMatcher(excludedRefs(project))(ref);
}
