import type { Store } from '../../data/store.ts';
import { createProject } from './create-records.ts';

/** Adds projects of these names, with nothing published, where they are missing; returns the store. */
export async function addProjects(store: Store, ...names: readonly string[]): Promise<Store> {
  for (const name of names) {
    if (!(await store.projects.find(name))) await store.projects.add(createProject({ name, versions: [] }));
  }
  return store;
}
