import { DataError } from '../data-error.ts';
import { type Build, hasEnded } from '../records/build.ts';
import type { BuildStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import { checkProject } from './check-project.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import { selectOldBuilds } from './select-old-builds.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the builds' part of a store. */
export function createBuildStore({ builds, projects }: Tables, commit: Commit, check: () => void): BuildStore {
  return {
    async find(id) {
      check();
      return builds.get(id);
    },
    async list({ project, ref, before, limit }) {
      check();
      const count = toLimit(limit);
      return ref === undefined
        ? builds.byProject.before(project, before, count)
        : builds.byRef.before(joinKey(project, ref), before, count);
    },
    async findLastFinished(project, ref) {
      check();
      if (ref === undefined) return builds.finishedByProject.group(project).at(-1);
      const own = builds.finishedByRef.group(joinKey(project, ref)).at(-1);
      const all = builds.finishedByRef.group(joinKey(project, '')).at(-1);
      const newest = own && all ? (own.id > all.id ? own : all) : (own ?? all);
      return newest?.kind === 'remove' ? undefined : newest;
    },
    async findByCommit(project, ref, wanted) {
      check();
      return builds.byCommit.group(joinKey(project, ref, wanted)).at(-1);
    },
    async listOpen() {
      check();
      return [...builds.open.group('')];
    },
    async listEnded({ before, limit }) {
      check();
      return builds.ended.before('', before, toLimit(limit));
    },
    async add(build) {
      const record = builds.parse(build);
      await commit((edits) => {
        checkProject(projects, record.project);
        if (builds.get(record.id)) throw new DataError('taken', `Build "${record.id}" exists already`);
        edits.set(builds, record.id, record);
      });
    },
    change: (id, change) =>
      commit((edits) => {
        const missing = `Build "${id}" does not exist`;
        const project = builds.get(id)?.project;
        const checkSame = (build: Build): void => {
          if (build.project !== project) throw new DataError('invalid', `Build "${id}" cannot change its project`);
        };
        return changeRecord(edits, builds, { key: id, change, missing, check: checkSame });
      }),
    prune: (project, keep) =>
      commit((edits) => {
        const ended = builds.byProject.group(project).filter(({ status }) => hasEnded(status));
        const published = projects.get(project)?.versions.map(({ ref }) => ref) ?? [];
        const old = selectOldBuilds(ended, { keep: toLimit(keep), published });
        for (const { id } of old) edits.set(builds, id, undefined);
        return old.map(({ id }) => id);
      }),
  };
}
