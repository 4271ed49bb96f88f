import { createHash } from 'node:crypto';
import type { Ref } from '../../builder/index.ts';
import { type Build, hasEnded } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { hasCode } from '../../lib/system-error.ts';
import type { BuildQueue } from './queue/build-queue.ts';

/** What a repository has, as it tells a client. */
export interface ListedRefs {
  readonly refs: readonly Ref[];
  /** Name of the default branch. */
  readonly head: string | undefined;
}

/** Pushes of which no webhook came, or none that could be accepted. */
export interface MissedPushes {
  /**
   * Requests builds of what a repository has and readers do not. `seen` are marks of what differed when it was listed before;
   * returns those of what differs now, which are to be kept once it was requested, or undefined for a project that is gone. Throws
   * `QueueFullError`.
   */
  request(
    project: string,
    seen: readonly string[] | undefined,
    listed: ListedRefs,
  ): Promise<readonly string[] | undefined>;
}

const HOUR_MS = 3_600_000;
/** Refs of a project with builds of their own; where more are new, one build of all versions is for them. */
const MAX_OWN_BUILDS = 5;
/** Refs whose last build is looked at, and marks that are kept. More are kept as one, which changes with any of them. */
const MAX_LOOKED_UP = 50;
const MAX_SEEN = 1_000;

/*
 * What a repository has and readers do not is not always to be built: most branches are no versions, some are excluded, some versions fail.
 * Only a build knows. So a poll remembers what differed when it looked, as marks of names and commits, and requests a build of what is new
 * among them: if that is not published afterwards either, it stays so until it changes. What a build was requested for in
 * another way is none of its business. What was requested, and is not what the last build was about, is requested again; and once an hour what a
 * build has not found out about, because it was interrupted or failed for what may be no fault of the repository.
 */

/** Creates what finds missed pushes. */
export function createMissedPushes(context: {
  readonly store: Pick<Store, 'projects' | 'builds'>;
  readonly queue: Pick<BuildQueue, 'request' | 'removeVersion'>;
  /** Returns whether a project's settings exclude a branch or tag. */
  readonly isExcluded: (project: Project, ref: string) => boolean;
  readonly now: () => Date;
}): MissedPushes {
  const { store, queue, isExcluded, now } = context;
  return {
    async request(name, seen, listed) {
      // A push may have been built while the repository was asked.
      const project = await store.projects.find(name);
      if (!project) return undefined;
      const differing = listDiffering(project, listed);
      const marks = differing.map(markOf);
      const known = new Set(seen);
      const isKnown = (mark: string): boolean => known.has(mark) || known.has(markAll(marks));
      const isFirst = seen === undefined;
      const isOpen = await findOpen(name);
      // At first nobody knows which of the others a build has looked at; one of all versions has, if there was one.
      const fresh = differing.filter(
        (one, index) => (isFirst ? one.isPublished : !isKnown(marks[index]!)) || isOpen(one),
      );
      const isNew = isFirst && project.versions.length === 0 && (await isNeverBuilt(name));
      await request(project, fresh, isNew);
      return marks.length > MAX_SEEN ? [markAll(marks)] : marks;
    },
  };

  /** Returns what tells whether no build has found out about a difference that was seen before: it was lost, or ended unsurely. */
  async function findOpen(project: string): Promise<(difference: Difference) => boolean> {
    const recent = await store.builds.list({ project, limit: MAX_LOOKED_UP });
    const before = new Date(now().getTime() - HOUR_MS).toISOString();
    return ({ ref, oid, isPublished }) => {
      const newest = recent.find((build) => build.ref === ref || build.ref === '');
      if (newest === undefined || !hasEnded(newest.status)) return false;
      if (isUnsure(newest)) return newest.finishedAt < before;
      return isPublished && newest.ref !== '' && newest.kind === 'build' && newest.commit !== oid;
    };
  }

  async function isNeverBuilt(project: string): Promise<boolean> {
    return (await store.builds.list({ project, limit: 1 })).length === 0;
  }

  async function request(project: Project, fresh: readonly Difference[], isNew: boolean): Promise<void> {
    const wanted = fresh.length > MAX_LOOKED_UP ? fresh : await omitBuilt(project, fresh);
    const { name } = project;
    const own = wanted.filter(({ ref }) => ref !== '');
    try {
      if (isNew || own.length > MAX_OWN_BUILDS || own.length < wanted.length) {
        await queue.request({ project: name, ref: '', commit: '', cause: 'poll' });
        return;
      }
      for (const { ref, oid } of own) {
        if (oid === '') await queue.removeVersion(name, ref);
        else await queue.request({ project: name, ref, commit: oid, cause: 'poll' });
      }
    } catch (error) {
      // It was removed just now.
      if (!hasCode(error, 'not-found')) throw error;
    }
  }

  /** Leaves out what is excluded, and commits that a build has looked at already. */
  async function omitBuilt(project: Project, all: readonly Difference[]): Promise<readonly Difference[]> {
    const left: Difference[] = [];
    for (const one of all) {
      if (one.ref !== '' && isExcluded(project, one.ref)) continue;
      const [newest] = one.ref === '' ? [] : await store.builds.list({ project: project.name, ref: one.ref, limit: 1 });
      if (newest === undefined || !hasLooked(newest, one.oid)) left.push(one);
    }
    return left;
  }
}

/** Returns whether a build has found out about a commit what there is to find out; '' = that the ref is gone. */
function hasLooked(build: Build, oid: string): boolean {
  const { kind, commit, status } = build;
  const isAbout = oid === '' ? kind === 'remove' : kind === 'build' && commit === oid;
  return isAbout && (status === 'passing' || status === 'cancelled' || (status === 'failing' && !isUnsure(build)));
}

/** Returns whether a build has ended, but may end in another way without any change of the repository. */
function isUnsure({ status, isUnsure }: Build): boolean {
  return status === 'interrupted' || (status === 'failing' && isUnsure === true);
}

/** The difference between a repository and what readers have. */
interface Difference {
  /** Full name; '' = the default branch has another name. */
  readonly ref: string;
  /** Commit of the repository; '' = it does not have this ref any more. */
  readonly oid: string;
  readonly isPublished: boolean;
}

function listDiffering({ versions }: Project, { refs, head = '' }: ListedRefs): readonly Difference[] {
  const published = new Map(versions.map(({ ref, oid }) => [ref, oid]));
  const found = new Map<string, Ref>();
  // As for a build, a name that is both a branch and a tag means the branch.
  for (const ref of refs) if (ref.kind === 'branch' || !found.has(ref.name)) found.set(ref.name, ref);
  const differing: Difference[] = [];
  for (const { name, oid } of found.values()) {
    if (published.get(name) !== oid) differing.push({ ref: name, oid, isPublished: published.has(name) });
  }
  for (const { ref, kind } of versions) {
    if (kind !== 'worktree' && !found.has(ref)) differing.push({ ref, oid: '', isPublished: true });
  }
  return [...differing, { ref: '', oid: head, isPublished: false }];
}

/** Returns the mark of a name with a commit. */
function markOf({ ref, oid }: Difference): string {
  return createHash('sha256').update(`${ref}\0${oid}`).digest('base64url').slice(0, 12);
}

function markAll(marks: readonly string[]): string {
  return createHash('sha256').update(marks.toSorted().join()).digest('base64url');
}
