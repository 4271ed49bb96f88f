import { DataError } from '../../data/data-error.ts';
import { createMemoryStore } from '../../data/memory/create-memory-store.ts';
import type { Build } from '../../data/records/build.ts';
import { hasEnded } from '../../data/records/build.ts';
import type { Delivery } from '../../data/records/delivery.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';

/** A store that waits as a disk would, and remembers in memory. */
export function createTestStore(projects: readonly Project[], keyOf: (url: string) => string = (url) => url): Store {
  const { quotas, blocks } = createMemoryStore();
  const known = new Map(projects.map((project) => [project.name, project]));
  const builds = new Map<string, Build>();
  const deliveries = new Map<string, Delivery>();
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const afterPause = async <T>(look: () => T): Promise<T> => {
    await pause();
    return look();
  };
  const newestFirst = <T>(values: Iterable<T>): T[] => [...values].reverse();
  const change = async <T>(map: Map<string, T>, id: string, update: (value: T) => T): Promise<T> => {
    await pause();
    const value = map.get(id);
    if (value === undefined) throw new DataError('not-found', `"${id}" does not exist`);
    const changed = update(value);
    map.set(id, changed);
    return changed;
  };
  const add = async <T>(map: Map<string, T>, id: string, value: T): Promise<boolean> => {
    await pause();
    if (map.has(id)) return false;
    map.set(id, value);
    return true;
  };
  const deliveryKey = (project: string, id: string): string => `${project} ${id}`;
  return {
    ...createMemoryStore(),
    projects: {
      find: (name) => afterPause(() => known.get(name)),
      findByDomain: async (domain) => [...known.values()].find((project) => project.domain === domain),
      list: async ({ limit }) => [...known.values()].slice(0, limit),
      listByRepository: (key) => afterPause(() => [...known.values()].filter(({ url }) => keyOf(url) === key)),
      async add(project) {
        if (!(await add(known, project.name, project))) throw new DataError('taken', 'Taken');
      },
      change: (name, update) => change(known, name, update),
      async remove(name) {
        const project = known.get(name);
        known.delete(name);
        return project;
      },
    },
    builds: {
      find: (id) => afterPause(() => builds.get(id)),
      list: async ({ project, ref, limit }) =>
        newestFirst(builds.values())
          .filter((build) => build.project === project && (ref === undefined || build.ref === ref))
          .slice(0, limit),
      findLastFinished: async () => undefined,
      findByCommit: async (project, ref, commit) =>
        newestFirst(builds.values()).find(
          (build) => build.project === project && build.ref === ref && build.commit === commit,
        ),
      listOpen: async () => [...builds.values()].filter(({ status }) => !hasEnded(status)),
      listEnded: async ({ limit }) =>
        newestFirst(builds.values())
          .filter(({ status }) => hasEnded(status))
          .slice(0, limit),
      async add(build) {
        if (!(await add(builds, build.id, build))) throw new DataError('taken', 'Taken');
      },
      change: (id, update) => change(builds, id, update),
      prune: async () => [],
    },
    deliveries: {
      find: (project, id) => afterPause(() => deliveries.get(deliveryKey(project, id))),
      list: async ({ project, limit }) =>
        newestFirst(deliveries.values())
          .filter((delivery) => delivery.project === project)
          .slice(0, limit),
      add: (delivery) => add(deliveries, deliveryKey(delivery.project, delivery.id), delivery),
      change: (project, id, update) => change(deliveries, deliveryKey(project, id), update),
      async prune(project, keep) {
        const all = newestFirst(deliveries.values()).filter((delivery) => delivery.project === project);
        for (const { id } of all.slice(keep)) deliveries.delete(deliveryKey(project, id));
      },
    },
    quotas,
    blocks,
    images: createMemoryStore().images,
    inclusions: createMemoryStore().inclusions,
    close: async () => {},
  };
}
