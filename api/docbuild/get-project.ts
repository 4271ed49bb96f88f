import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { ApiError } from '../http/errors.ts';

/** Returns the project of an address. Throws 404. */
export async function getProject(store: Pick<Store, 'projects'>, name: string | undefined): Promise<Project> {
  const project = await store.projects.find((name ?? '').toLowerCase());
  if (!project) throw new ApiError(404, 'not-found', `Project "${(name ?? '').slice(0, 120)}" does not exist`);
  return project;
}
