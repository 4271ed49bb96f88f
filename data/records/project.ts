import * as z from 'zod';
import { naturalKey } from '../../lib/natural-order.ts';
import { phrase } from '../../lib/phrase.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { defineCollection, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const publishedVersion = z.object({
  ref: z.string(),
  /** `worktree`: a plain folder, which is one version. */
  kind: z.enum(['branch', 'tag', 'worktree']),
  oid: z.string(),
  /** ISO 8601, UTC. */
  builtAt: z.string(),
});

const failingVersion = z.object({
  ref: z.string(),
  /** The build that found it so. */
  build: z.string(),
  errors: z.number(),
  /** The first error, with its file and line. */
  reason: z.string(),
});

const siteState = z.object({
  /** Name of the edition that readers get; '' = none. */
  edition: z.string(),
  /** The build that uploads the next one, and the folder that it uploads to: only this build may publish it. */
  staged: z.object({ build: z.string(), day: z.string() }).optional(),
});

const schema = z.object({
  /** Lower case; also the name of its folder and, where `docs.domain` is set, of its host. */
  name: z.string().min(1),
  /** URL of the repository. May carry credentials: shown only through `describeUrl`. */
  url: z.string(),
  /** The ref that `latest` stands for; '' = the remote's HEAD. */
  latest: z.string(),
  /** The project has one version, whose pages are at the root. */
  single: z.boolean(),
  /** Folder of the documentation in the repository. */
  sourceDir: z.string(),
  /** Language codes, the default one first; empty = detected. */
  lang: z.array(z.string()),
  /** Verifies build requests and webhooks; '' = no verification. */
  secret: z.string(),
  /** Whether pages get the nav button. */
  showNav: z.boolean(),
  /** Whether the button leaves out the URL of the repository. */
  hideGit: z.boolean(),
  /** Own domain, lower case, or ''. */
  domain: z.string(),
  /** Commands run before and after a build; only the operator sets them. '' = none. */
  before: z.string(),
  after: z.string(),
  /** Limit of one build, in seconds; 0 = that of the server. */
  timeout: z.number(),
  /** URL that is told when versions fail and when they are mended; '' = none. */
  notify: z.string(),
  /** Signs these notifications (`whsec_…`); '' = none yet. */
  notifySecret: z.string(),
  /** Crontab at which all versions are built, in the time zone of the server; '' = none. */
  schedule: z.string(),
  /** When it is due next, ISO 8601, UTC: a time that has passed is a run that is still to be requested. Absent without a schedule. */
  scheduledAt: z.string().optional(),
  /** When a build was requested last because it was due, by the clock of whoever did. */
  lastScheduledAt: z.string().optional(),
  /** How often the repository is compared with what is published (`5m`, `1h`); `off` = never, '' = as often as the server does it. */
  poll: z.string().optional(),
  /** Free settings; `excluded_branch` and its separator `_sep` are known ones. */
  meta: z.record(z.string(), z.string()),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** Refs whose versions are published, in readers' order, and the commit each was built from. */
  versions: z.array(publishedVersion),
  /** Where sites are kept in S3: what readers get. Absent until it was published there. */
  site: siteState.optional(),
  /** Versions that are not published as their authors meant, or not at all. */
  failing: z.array(failingVersion),
  /** The build that published what is online, which looked at all versions; absent before the first. */
  publishedBy: z.string().optional(),
});

/** One git repository's documentation, as its owner configured it. */
export interface Project extends RecordOf<typeof schema> {}

/** A ref that readers can see. */
export interface PublishedVersion extends RecordOf<typeof publishedVersion> {}

/** A version with errors, published or not. */
export interface FailingVersion extends RecordOf<typeof failingVersion> {}

export const projects = defineCollection({
  name: 'projects',
  singular: 'project',
  schema,
  keyOf: ({ name }) => name,
  indexes: {
    inOrder: { groupOf: () => '', orderOf: ({ name }) => name },
    byDomain: { groupOf: ({ domain }) => domain || undefined, orderOf: ({ name }) => name },
    /** By name as people sort: `v2` before `v10`. */
    natural: { groupOf: () => '', orderOf: ({ name }) => naturalKey(name) },
    /** Those that are built by a schedule, the next one first. */
    scheduled: {
      groupOf: ({ scheduledAt }) => (scheduledAt ? '' : undefined),
      orderOf: ({ scheduledAt, name }) => `${scheduledAt} ${name}`,
    },
    /** Groups are named by `repositoryKey`. */
    byRepository: { groupOf: ({ url }) => repositoryKey(url), orderOf: ({ name }) => name },
  },
});

/** Creates the projects' part of a store. */
export function createProjectStore(database: Database) {
  const { inOrder, natural, scheduled, byDomain, byRepository } = projects.indexes;
  return {
    find: (name: string) => database.read(tx.get(projects, name)),
    /** `domain` in lower case, without port. */
    findByDomain: (domain: string) => database.read(tx.first(byDomain, domain)),
    /** Returns projects in the order of their names, those after `after` (a name). */
    list: (page: { readonly after?: string; readonly limit: number }) => database.read(tx.list(inOrder, '', page)),
    /** The same, in the order in which people sort names (`v2` before `v10`). */
    listNaturally: ({ after, limit }: { readonly after?: string; readonly limit: number }) =>
      database.read(tx.list(natural, '', { after: after === undefined ? undefined : naturalKey(after), limit })),
    /** Returns projects that are built by a schedule, the next one first: those that are due before `before` (ISO 8601), or all. */
    listScheduled: (query: { readonly before?: string; readonly limit?: number }) =>
      database.read(tx.list(scheduled, '', query)),
    /** Returns every project whose repository is this one, see `repositoryKey`. */
    listByRepository: (key: string) => database.read(tx.list(byRepository, key)),
    /** Throws `taken` for a name or domain that another project has. */
    async add(project: Project) {
      const record = projects.parse(project);
      await database.transact(function* () {
        if (yield* tx.get(projects, record.name)) {
          throw new DataError('taken', phrase`Project "${record.name}" already exists`);
        }
        yield* checkDomain(record);
        // The files of a store may have been copied at different moments, and hold what an earlier one owned.
        yield* tx.remove(projects, record.name);
        yield* tx.put(projects, record);
      });
    },
    /** Changes one project and returns it as it is now. Throws `not-found`, `taken` (domain). */
    change: (name: string, change: (project: Project) => Project) =>
      database.transact(() =>
        tx.change(projects, {
          key: name,
          change,
          missing: phrase`Project "${name}" does not exist`,
          check: checkDomain,
        }),
      ),
    /** Removes a project with its builds, deliveries and notifications; returns it, or undefined where there was none. */
    remove: (name: string) =>
      database.transact(function* () {
        const removed = yield* tx.remove(projects, name);
        // It waits for nothing any more.
        const nothing = { owner: '', isUsed: false, isWaiting: false, isHeld: false } as const;
        if (removed) yield* tx.turn({ project: name, ...nothing, lane: 'short', isLaneKnown: false });
        return removed;
      }),
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;

/** Throws DataError `not-found` for a project that does not exist: nothing may be kept for one that was removed meanwhile. */
export function* checkProject(name: string): Step<void> {
  if (!(yield* tx.get(projects, name))) {
    throw new DataError('not-found', phrase`Project "${name.slice(0, 120)}" does not exist`);
  }
}

function* checkDomain({ name, domain }: Project): Step<void> {
  const owner = yield* tx.first(projects.indexes.byDomain, domain);
  if (owner && owner.name !== name) throw new DataError('taken', phrase`Domain "${domain}" belongs to another project`);
}
