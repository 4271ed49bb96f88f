import { joinKey } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Build, hasEnded } from '../records/build.ts';
import { checkProject, projects } from '../records/project.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import { builds } from './build-table.ts';
import { selectOldBuilds } from './select-old-builds.ts';

export interface BuildStore {
  find(id: string): Promise<Build | undefined>;
  /** Returns builds of a project, newest first, those older than `before` (an id), of one ref where one is given. */
  list(query: {
    readonly project: string;
    readonly ref?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Build[]>;
  /**
   * Returns the newest build (`kind` `build`) that passed or failed and says how a ref stands: its own builds, and those
   * of all refs (`ref` ''); undefined where the ref was removed since. With `ref` undefined, the newest of the project.
   */
  findLastFinished(project: string, ref: string | undefined): Promise<Build | undefined>;
  /** Returns the newest build of exactly this ref and commit. */
  findByCommit(project: string, ref: string, commit: string): Promise<Build | undefined>;
  /** Returns builds that are queued or running, oldest first. */
  listOpen(): Promise<readonly Build[]>;
  /** Returns builds of all projects that have ended, newest first, those older than `before` (an id). */
  listEnded(page: { readonly before?: string; readonly limit: number }): Promise<readonly Build[]>;
  /** Throws `taken` for a known id, `not-found` for an unknown project. */
  add(build: Build): Promise<void>;
  /** Changes one build and returns it as it is now. Throws `not-found`. */
  change(id: string, change: (build: Build) => Build): Promise<Build>;
  /**
   * Removes ended builds of a project, but the newest `keep` and those that say how a ref stands, see `selectOldBuilds`;
   * returns the ids of those removed.
   */
  prune(project: string, keep: number): Promise<readonly string[]>;
}

/** Creates the builds' part of a store. */
export function createBuildStore(database: Database): BuildStore {
  const { byProject, byRef, byCommit, open, ended } = builds.indexes;
  return {
    find: (id) => database.read(tx.get(builds, id)),
    list({ project, ref, before, limit }) {
      const range = { before, limit, isDescending: true };
      return database.read(
        ref === undefined ? tx.list(byProject, project, range) : tx.list(byRef, joinKey(project, ref), range),
      );
    },
    findLastFinished: (project, ref) => database.read(findLastFinished(project, ref)),
    findByCommit: (project, ref, commit) => database.read(tx.last(byCommit, joinKey(project, ref, commit))),
    listOpen: () => database.read(tx.list(open, '')),
    listEnded: ({ before, limit }) => database.read(tx.list(ended, '', { before, limit, isDescending: true })),
    async add(build) {
      const record = builds.parse(build);
      await database.transact(function* () {
        yield* checkProject(record.project);
        if (yield* tx.get(builds, record.id)) throw new DataError('taken', `Build "${record.id}" exists already`);
        yield* tx.put(builds, record);
      });
    },
    change: (id, change) =>
      database.transact(() => tx.change(builds, { key: id, change, missing: `Build "${id}" does not exist` })),
    prune: (project, keep) =>
      database.transact(function* () {
        const all = yield* tx.list(byProject, project);
        const published = (yield* tx.get(projects, project))?.versions.map(({ ref }) => ref) ?? [];
        const old = selectOldBuilds(
          all.filter(({ status }) => hasEnded(status)),
          { keep: keep > 0 ? Math.floor(keep) : 0, published },
        );
        yield* tx.removeAll(builds, old);
        return old.map(({ id }) => id);
      }),
  };
}

function* findLastFinished(project: string, ref: string | undefined): Step<Build | undefined> {
  const { finishedByProject, finishedByRef } = builds.indexes;
  if (ref === undefined) return yield* tx.last(finishedByProject, project);
  const own = yield* tx.last(finishedByRef, joinKey(project, ref));
  const all = yield* tx.last(finishedByRef, joinKey(project, ''));
  const newest = own && all ? (own.id > all.id ? own : all) : (own ?? all);
  return newest?.kind === 'remove' ? undefined : newest;
}
