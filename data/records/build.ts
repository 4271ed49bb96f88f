import { phrase } from '../../lib/phrase.ts';
import { repositoryOwner } from '../../lib/repository-address.ts';
import { joinKey } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Speed, type Step, tx } from '../transaction.ts';
import { type Build, builds, hasEnded, isRemoval, isVerdict } from './build-collection.ts';
import { type BuildSearch, type FoundBuilds, prepareSearch, searchEnded } from './build-search.ts';
import { checkProject, type Project, projects } from './project.ts';

export {
  type Build,
  type BuildCause,
  type BuildResult,
  type BuildStatus,
  builds,
  hasEnded,
} from './build-collection.ts';
export type { BuildSearch, FoundBuilds } from './build-search.ts';

/** The builds of a project that are queued or running, oldest first. */
export interface OpenBuilds {
  readonly project: Project;
  readonly builds: readonly Build[];
}

/** What becomes of a project's builds. */
export interface BuildChanges {
  /** New builds, and those that change. */
  readonly builds: readonly Build[];
  /** The project, if it changes; it keeps its name and where it is found. */
  readonly project?: Project | undefined;
  /** The turn that the project had among all is over. */
  readonly isTurnUsed?: boolean;
  /** Says what is known of how long a build will take that waits; without it, nothing is. */
  readonly speedOf?: (build: Build) => Speed;
}

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
  /** Returns builds that are queued or running, oldest first. */
  listOpen(): Promise<readonly Build[]>;
  /**
   * Searches builds that have ended, newest first, those older than `before` (an id): up to `limit`, among up to 5,000 that
   * an index does not tell apart, so that a search for what is rare ends, too, and can be gone on with.
   */
  searchEnded(search: BuildSearch, page: { readonly before?: string; readonly limit: number }): Promise<FoundBuilds>;
  /** Returns those of some builds that a search is for. */
  filter(search: BuildSearch, builds: readonly Build[]): Promise<readonly Build[]>;
  /** Returns the newest build of each of these projects, in their order; undefined for one that has none. */
  listNewest(projects: readonly string[]): Promise<readonly (Build | undefined)[]>;
  /** Returns the builds with these ids, in their order; undefined for those that do not exist. */
  findAll(ids: readonly string[]): Promise<readonly (Build | undefined)[]>;
  /** Returns builds of all projects that have ended, newest first, those older than `before` (an id). */
  listEnded(page: { readonly before?: string; readonly limit: number }): Promise<readonly Build[]>;
  /** Throws `taken` for a known id, `not-found` for an unknown project. */
  add(build: Build): Promise<void>;
  /** Changes one build and returns it as it is now. Throws `not-found`. */
  change(id: string, change: (build: Build) => Build): Promise<Build>;
  /**
   * Changes the open builds of a project, and perhaps the project, together, and with them the turn that the project waits for
   * where several nodes build; nothing changes, the turn neither, where `change` returns undefined. Returns the builds that
   * were put. Throws `not-found` for an unknown project.
   */
  changeOpen(project: string, change: (open: OpenBuilds) => BuildChanges | undefined): Promise<readonly Build[]>;
  /**
   * Changes a project by what is stored of a build at that moment (undefined = there is no such build), and returns the project as
   * it is then; builds and turns stay as they are. Throws `not-found` for an unknown project.
   */
  changeProject(
    project: string,
    id: string,
    change: (project: Project, build: Build | undefined) => Project,
  ): Promise<Project>;
  /**
   * Removes ended builds of a project, except the newest `keep` and those that say how a ref stands; returns the ids of
   * those removed.
   */
  prune(project: string, keep: number): Promise<readonly string[]>;
}

/** Creates the builds' part of a store. */
export function createBuildStore(database: Database): BuildStore {
  const { byProject, byRef, open, ended } = builds.indexes;
  return {
    find: (id) => database.read(tx.get(builds, id)),
    list({ project, ref, before, limit }) {
      const range = { before, limit, isDescending: true };
      return database.read(
        ref === undefined ? tx.list(byProject, project, range) : tx.list(byRef, joinKey(project, ref), range),
      );
    },
    findLastFinished: (project, ref) => database.read(findLastFinished(project, ref)),
    listOpen: () => database.read(tx.list(open, '')),
    listEnded: ({ before, limit }) => database.read(tx.list(ended, '', { before, limit, isDescending: true })),
    searchEnded: (search, page) => database.read(searchEnded(search, page)),
    filter: (search, all) =>
      database.read(
        (function* () {
          const { matches } = yield* prepareSearch(search);
          return all.filter(matches);
        })(),
      ),
    listNewest: (names) =>
      database.read(
        (function* () {
          const newest: (Build | undefined)[] = [];
          for (const name of names) newest.push(yield* tx.last(byProject, name));
          return newest;
        })(),
      ),
    findAll: (ids) => database.read(tx.getAll(builds, ids)),
    async add(build) {
      const record = builds.parse(build);
      await database.transact(function* () {
        yield* checkProject(record.project);
        if (yield* tx.get(builds, record.id)) throw new DataError('taken', `Build "${record.id}" already exists`);
        yield* tx.put(builds, record);
      });
    },
    change: (id, change) =>
      database.transact(() => tx.change(builds, { key: id, change, missing: phrase`Build "${id}" does not exist` })),
    changeOpen: (name, change) => database.transact(() => changeOpen(name, change)),
    changeProject: (name, id, change) =>
      database.transact(function* () {
        yield* checkProject(name);
        const project = (yield* tx.get(projects, name))!;
        const build = yield* tx.get(builds, id);
        const changed = change(project, build);
        return changed === project ? project : yield* tx.put(projects, projects.parse(changed));
      }),
    prune: (project, keep) =>
      database.transact(function* () {
        const all = yield* tx.list(byProject, project);
        const published = (yield* tx.get(projects, project))?.versions.map(({ ref }) => ref) ?? [];
        const old = selectOld(
          all.filter(({ status }) => hasEnded(status)),
          { keep: keep > 0 ? Math.floor(keep) : 0, published },
        );
        yield* tx.removeAll(builds, old);
        return old.map(({ id }) => id);
      }),
  };
}

function* changeOpen(name: string, change: (open: OpenBuilds) => BuildChanges | undefined): Step<readonly Build[]> {
  yield* checkProject(name);
  const project = (yield* tx.get(projects, name))!;
  const before = yield* tx.list(builds.indexes.openByProject, name);
  const changes = change({ project, builds: before });
  if (!changes) return [];
  const changed = changes.builds.map((build) => builds.parse(build));
  if (changes.project) yield* tx.put(projects, projects.parse(changes.project));
  for (const build of changed) yield* tx.put(builds, build);
  const now = new Map([...before, ...changed].map((build) => [build.id, build]));
  const waiting = [...now.values()].filter(({ status }) => status === 'queued');
  const next = waiting.reduce<Build | undefined>((first, one) => (first && first.id < one.id ? first : one), undefined);
  yield* tx.turn({
    ...{ project: name, owner: repositoryOwner(project.url), isUsed: changes.isTurnUsed === true },
    isHeld: [...now.values()].some(({ status }) => status === 'running'),
    ...{ isWaiting: next !== undefined, speed: (next && changes.speedOf?.(next)) ?? 'unknown' },
  });
  return changed;
}

function* findLastFinished(project: string, ref: string | undefined): Step<Build | undefined> {
  const { verdicts, refVerdicts } = builds.indexes;
  if (ref === undefined) return yield* tx.last(verdicts, project);
  const own = yield* tx.last(refVerdicts, joinKey(project, ref));
  const all = yield* tx.last(refVerdicts, joinKey(project, ''));
  const newest = own && all ? (own.id > all.id ? own : all) : (own ?? all);
  return newest?.kind === 'remove' ? undefined : newest;
}

/**
 * Selects the ended builds of a project that may be removed, from all of them, oldest first: what is older than the newest
 * `keep`, except the newest verdict on each published ref, and on all refs. Of refs that are not published and were not
 * removed since, at most `keep` verdicts stay, since anyone can request builds of such.
 */
function selectOld(
  ended: readonly Build[],
  { keep, published }: { readonly keep: number; readonly published: readonly string[] },
): readonly Build[] {
  const existing = new Set(published);
  if (published.length > 0) existing.add('');
  const seen = new Set<string>();
  let others = 0;
  const old: Build[] = [];
  for (const [age, build] of ended.toReversed().entries()) {
    const isNewestVerdict = isVerdict(build) && !seen.has(build.ref);
    if (isVerdict(build) || isRemoval(build)) seen.add(build.ref);
    if (age < keep) continue;
    if (!isNewestVerdict) old.push(build);
    else if (!existing.has(build.ref) && ++others > keep) old.push(build);
  }
  return old.reverse();
}
