import { DataError } from '../data-error.ts';
import type { ProjectTable } from './project-table.ts';

/** Throws DataError `not-found` for a project that does not exist: nothing may be kept for one that was removed meanwhile. */
export function checkProject(projects: Pick<ProjectTable, 'get'>, name: string): void {
  if (!projects.get(name)) throw new DataError('not-found', `Project "${name.slice(0, 120)}" does not exist`);
}
