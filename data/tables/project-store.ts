import { DataError } from '../data-error.ts';
import type { Project } from '../records/project.ts';
import type { ProjectStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import type { Commit, Edits } from './edits.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the projects' part of a store. */
export function createProjectStore(tables: Tables, commit: Commit, check: () => void): ProjectStore {
  const { projects, builds, deliveries } = tables;
  const checkDomain = ({ name, domain }: Project): void => {
    const [owner] = projects.byDomain.group(domain);
    if (owner && owner.name !== name) throw new DataError('taken', `Domain "${domain}" belongs to another project`);
  };
  const dropRecords = (edits: Edits, name: string): void => {
    for (const { id } of [...builds.byProject.group(name)].reverse()) edits.set(builds, id, undefined);
    for (const delivery of [...deliveries.byProject.group(name)].reverse()) {
      edits.set(deliveries, deliveries.keyOf(delivery), undefined);
    }
  };
  return {
    async find(name) {
      check();
      return projects.get(name);
    },
    async findByDomain(domain) {
      check();
      return projects.byDomain.group(domain)[0];
    },
    async list({ after, limit }) {
      check();
      return projects.byName.after('', after, toLimit(limit));
    },
    async listByRepository(key) {
      check();
      return [...projects.byRepository.group(key)];
    },
    async add(project) {
      const record = projects.parse(project);
      await commit((edits) => {
        if (projects.get(record.name)) throw new DataError('taken', `Project "${record.name}" exists already`);
        checkDomain(record);
        // The files of a store may have been copied at different moments.
        dropRecords(edits, record.name);
        edits.set(projects, record.name, record);
      });
    },
    change: (name, change) =>
      commit((edits) =>
        changeRecord(edits, projects, {
          key: name,
          change,
          missing: `Project "${name}" does not exist`,
          check: checkDomain,
        }),
      ),
    remove: (name) =>
      commit((edits) => {
        const project = projects.get(name);
        if (!project) return undefined;
        edits.set(projects, name, undefined);
        dropRecords(edits, name);
        return project;
      }),
  };
}
