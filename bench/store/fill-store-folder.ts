import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import { createPassed, createProject } from '../../test/helpers/create-records.ts';

/** Number of refs that a project's builds are dealt out to. */
export const REFS = 5;

/** Creates a store of this size; builds are dealt out to the projects in turn, build `i` has the commit `commit-<i>`. */
export async function fillStoreFolder(
  folder: string,
  size: { readonly projects: number; readonly builds: number },
): Promise<void> {
  const store = await openLowdbStore({ folder, onWarning: (message) => console.error(message) });
  const adding: Promise<void>[] = [];
  for (let i = 0; i < size.projects; i++) {
    const name = `project-${i}`;
    adding.push(
      store.projects.add(createProject({ name, url: `https://code.example/o/${name}`, domain: `${name}.example` })),
    );
  }
  for (let i = 0; i < size.builds; i++) {
    const id = createBuildId(Date.now());
    const round = Math.floor(i / size.projects);
    const values = { id, project: `project-${i % size.projects}`, ref: `v${round % REFS}`, commit: `commit-${i}` };
    adding.push(store.builds.add(createPassed(values)));
  }
  await Promise.all(adding);
  await store.close();
}
