import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';

/** Returns a project by its name in any case. Throws DataError `not-found`. */
export async function getProject(store: Pick<Store, 'projects'>, name: string): Promise<Project> {
  const project = await store.projects.find(name.toLowerCase());
  if (!project) throw new DataError('not-found', phrase`Project "${name.slice(0, 120)}" does not exist`);
  return project;
}
