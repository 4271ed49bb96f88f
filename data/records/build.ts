import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { repositoryOwner } from '../../lib/repository-address.ts';
import { defineCollection, type Index, joinKey, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import type { Lane } from '../turns.ts';
import { deliveries, findKnown, type NewDelivery } from './delivery.ts';
import { checkProject, type Project, projects } from './project.ts';

const count = z.number();
const result = z.object({
  versions: count,
  languages: count,
  pages: count,
  rendered: count,
  reused: count,
  errors: count,
  /** The first of them, with file and line, up to 300 characters; absent where there is none. */
  firstError: z.string().optional(),
  warnings: count,
  bytes: count,
  /** Duration of the engine's work, and of fetching in it. */
  ms: count,
  fetchMs: count,
});
const schema = z.object({
  /** Sorts by time of creation, see `createBuildId`. */
  id: z.string().min(1),
  project: z.string().min(1),
  /** `remove` removes a version whose ref is gone from the site; `refresh` publishes all of them again. */
  kind: z.enum(['build', 'remove', 'refresh']),
  /** Full name of the branch or tag; '' = all of them. */
  ref: z.string(),
  /** Who requested it. */
  cause: z.enum(['command', 'console', 'api', 'webhook', 'restart', 'start', 'poll']),
  /** The last five are ends; a build that has ended never changes again. */
  status: z.enum(['queued', 'running', 'passing', 'failing', 'cancelled', 'superseded', 'interrupted']),
  /** Commit that was requested, then the one that was built; '' = not known. */
  commit: z.string(),
  /** Why it ended as it did: error with file and line; of a queued one, why it was put back; '' = nothing to say. */
  reason: z.string(),
  /** It failed for what may be no fault of its repository, such as a server that does not answer: the same commit is worth another try. */
  isUnsure: z.boolean().optional(),
  /** Requests that this build answers, the first one included. */
  requests: count,
  /** The schedule of its project has requested it; `cause` is `start` then. */
  isScheduled: z.boolean().optional(),
  /** The build that was interrupted first and is run again by this one; '' = none. */
  retryOf: z.string(),
  /** How often the process that ran it, or a build that it runs again, ended too soon; never where it is missing. */
  interruptions: count.optional(),
  /** When it may begin, ISO 8601, UTC; at once where it is missing. */
  notBefore: z.string().optional(),
  /** ISO 8601, UTC; '' = not yet. */
  createdAt: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  /** Undefined unless passing. */
  result: result.optional(),
  /** Of several nodes the one that runs it, and why it is to be cancelled ('' = it is not); undefined where it does not run. */
  run: z.object({ node: count, cancel: z.string() }).optional(),
});

/** One building of a project's version, or of all its versions. */
export interface Build extends RecordOf<typeof schema> {}
export type BuildStatus = Build['status'];
export type BuildCause = Build['cause'];
/** Counts of a build that passed. */
export interface BuildResult extends RecordOf<typeof result> {}

/** Returns whether a build with this status will never change again. */
export function hasEnded(status: BuildStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Returns whether a build says how its ref stands: it passed or failed. */
function isVerdict({ kind, status }: Build): boolean {
  return kind === 'build' && (status === 'passing' || status === 'failing');
}

/** Returns whether a build has removed its ref. */
function isRemoval({ kind, status }: Build): boolean {
  return kind === 'remove' && status === 'passing';
}

const orderOf = ({ id }: Build): string => id;

/** All groups are in the order of ids, which is that of creation. */
export const builds = defineCollection({
  name: 'builds',
  singular: 'build',
  schema,
  keyOf: orderOf,
  indexes: {
    byProject: { groupOf: ({ project }) => project, orderOf },
    byRef: { groupOf: ({ project, ref }) => joinKey(project, ref), orderOf },
    /** Verdicts by project. */
    verdicts: { groupOf: (build) => (isVerdict(build) ? build.project : undefined), orderOf },
    /** Verdicts and removals by project and ref. */
    refVerdicts: {
      groupOf: (build) => (isVerdict(build) || isRemoval(build) ? joinKey(build.project, build.ref) : undefined),
      orderOf,
    },
    /** Queued and running ones of a project. */
    openByProject: { groupOf: ({ project, status }) => (hasEnded(status) ? undefined : project), orderOf },
    /** Queued and running ones. */
    open: { groupOf: ({ status }) => (hasEnded(status) ? undefined : ''), orderOf },
    ended: { groupOf: ({ status }) => (hasEnded(status) ? '' : undefined), orderOf },
    byStatus: { groupOf: ({ status }) => status, orderOf },
    /** Those of a ref, whatever their project. */
    byRefName: { groupOf: ({ ref }) => ref, orderOf },
  },
  owner: { collection: projects, index: 'byProject' },
});

/** Which builds are searched for; what is absent does not matter. */
export interface BuildSearch {
  /** Name of a project, or a part of one where none has this name. */
  readonly project?: string;
  /** Name of a branch or tag, or a part of one where no build has this name. */
  readonly ref?: string;
  readonly status?: BuildStatus;
}

/** A page of results. */
export interface FoundBuilds {
  /** Newest first. */
  readonly builds: readonly Build[];
  /** The search goes on with those before this one (an id), as `before`; undefined where nothing is left. */
  readonly next: string | undefined;
}

/** The builds of a project that are queued or running, oldest first. */
export interface OpenBuilds {
  readonly project: Project;
  readonly builds: readonly Build[];
  /** Where a ref is asked about: the newest builds that say how it stands, whether they have ended or not. */
  readonly newest?: NewestBuilds | undefined;
  /** Where a delivery is asked about: the build that it led to when it was sent before, if there is one. */
  readonly earlier?: Build | undefined;
}

/** Subject of a change of a project's open builds. */
export interface ChangeSubject {
  /** Ref whose newest builds matter. */
  readonly ref?: string | undefined;
  /** Webhook call that requests the change, and is recorded with it. */
  readonly delivery?: NewDelivery | undefined;
}

/** The newest build of a ref, and the newest of all refs (`ref` ''); undefined = there is none. */
export interface NewestBuilds {
  readonly ofRef: Build | undefined;
  readonly ofAll: Build | undefined;
}

/** Changes of a project's builds. */
export interface BuildChanges {
  /** New builds, and those that change. */
  readonly builds: readonly Build[];
  /** The project, if it changes; it keeps its name and where it is found. */
  readonly project?: Project | undefined;
  /** Id of the build that answers the delivery. */
  readonly answer?: string;
  /** The turn that the project had among all is over. */
  readonly isTurnUsed?: boolean;
  /** Returns the lane of a build that waits; undefined = nothing is known, which is taken for the short one. */
  readonly laneOf?: (build: Build) => Lane | undefined;
  /** Returns whether a build that waits may begin now; default: yes. The project waits for a turn only for such. */
  readonly isDue?: (build: Build) => boolean;
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
  /** Returns builds that run, oldest first. */
  listRunning(): Promise<readonly Build[]>;
  /** Returns how many builds are queued. */
  countQueued(): Promise<number>;
  /** Returns the queued build that was requested first; undefined where none waits. */
  findOldestQueued(): Promise<Build | undefined>;
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
   * Changes the open builds of a project, and perhaps the project, together, and with them the turn that the project waits for;
   * nothing changes, the turn neither, where `change` returns undefined. `change` is also told of the newest builds of a `ref`, and
   * of the build that a `delivery` led to before; this is recorded with the `answer` of the changes, if they have one. Returns the
   * builds that were put. Throws `not-found` for an unknown project.
   */
  changeOpen(
    project: string,
    change: (open: OpenBuilds) => BuildChanges | undefined,
    subject?: ChangeSubject,
  ): Promise<readonly Build[]>;
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
  const { byProject, byRef, byStatus, open, ended } = builds.indexes;
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
    listRunning: () => database.read(tx.list(byStatus, 'running')),
    countQueued: () => database.read(tx.count(byStatus, 'queued')),
    findOldestQueued: () => database.read(tx.first(byStatus, 'queued')),
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
    changeOpen: (name, change, subject = {}) => database.transact(() => changeOpen(name, change, subject)),
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

function* changeOpen(
  name: string,
  change: (open: OpenBuilds) => BuildChanges | undefined,
  { ref, delivery }: ChangeSubject,
): Step<readonly Build[]> {
  yield* checkProject(name);
  const project = (yield* tx.get(projects, name))!;
  const before = yield* tx.list(builds.indexes.openByProject, name);
  const newest = ref === undefined ? undefined : yield* findNewest(name, ref);
  const known = delivery && (yield* findKnown(delivery));
  const earlier = known?.earlier && (yield* tx.get(builds, known.earlier.build));
  const changes = change({ project, builds: before, newest, earlier });
  if (!changes) return [];
  const changed = changes.builds.map((build) => builds.parse(build));
  if (changes.project) yield* tx.put(projects, projects.parse(changes.project));
  for (const build of changed) yield* tx.put(builds, build);
  if (known && changes.answer !== undefined) {
    yield* tx.put(deliveries, deliveries.parse({ ...delivery, id: known.id, build: changes.answer }));
  }
  const now = new Map([...before, ...changed].map((build) => [build.id, build]));
  const { isDue = () => true } = changes;
  const waiting = [...now.values()].filter((build) => build.status === 'queued' && isDue(build));
  const next = waiting.reduce<Build | undefined>((first, one) => (first && first.id < one.id ? first : one), undefined);
  const lane = next && changes.laneOf?.(next);
  yield* tx.turn({
    project: name,
    owner: repositoryOwner(project.url),
    isUsed: changes.isTurnUsed === true,
    isHeld: [...now.values()].some(({ status }) => status === 'running'),
    isWaiting: next !== undefined,
    lane: lane ?? 'short',
    isLaneKnown: lane !== undefined,
  });
  return changed;
}

function* findNewest(project: string, ref: string): Step<NewestBuilds> {
  const { byRef } = builds.indexes;
  return {
    ofRef: yield* tx.last(byRef, joinKey(project, ref)),
    ofAll: yield* tx.last(byRef, joinKey(project, '')),
  };
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

/** Builds that a search looks at, and how many at once. */
const MAX_SEARCHED = 5_000;
const SEARCHED_AT_ONCE = 500;

/** Searches builds that have ended, see `BuildStore`. */
function* searchEnded(
  search: BuildSearch,
  { before, limit }: { readonly before?: string; readonly limit: number },
): Step<FoundBuilds> {
  const { index, group, matches } = yield* prepareSearch(search);
  const found: Build[] = [];
  let next = before;
  for (let searched = 0; searched < MAX_SEARCHED; ) {
    const size = Math.min(SEARCHED_AT_ONCE, MAX_SEARCHED - searched);
    const some = yield* tx.list(index, group, { before: next, limit: size, isDescending: true });
    for (const build of some) {
      if (hasEnded(build.status) && matches(build)) {
        if (found.length === limit) return { builds: found, next };
        found.push(build);
      }
      next = build.id;
    }
    searched += some.length;
    if (some.length < size) return { builds: found, next: undefined };
  }
  return { builds: found, next };
}

/** Chooses the narrowest index for a search, and says which of its builds are searched for. */
function* prepareSearch({ project, ref, status }: BuildSearch): Step<{
  readonly index: Index<Build>;
  readonly group: string;
  readonly matches: (build: Build) => boolean;
}> {
  const { byProject, byRef, byRefName, byStatus, ended } = builds.indexes;
  const isProject = project !== undefined && (yield* tx.get(projects, project)) !== undefined;
  const isRef = ref !== undefined && (yield* tx.last(byRefName, ref)) !== undefined;
  const matches = (build: Build): boolean =>
    (project === undefined || (isProject ? build.project === project : build.project.includes(project))) &&
    (ref === undefined || (isRef ? build.ref === ref : build.ref.includes(ref))) &&
    (status === undefined || build.status === status);
  if (isProject && isRef) return { index: byRef, group: joinKey(project, ref), matches };
  if (isProject) return { index: byProject, group: project, matches };
  if (isRef) return { index: byRefName, group: ref, matches };
  if (status !== undefined) return { index: byStatus, group: status, matches };
  return { index: ended, group: '', matches };
}
