import type { BuildLimits } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { AuditEntry, AuditQuery } from '../../data/records/audit-entry.ts';
import type { Build, BuildCause } from '../../data/records/build.ts';
import type { Delivery } from '../../data/records/delivery.ts';
import type { Project } from '../../data/records/project.ts';
import type { Records, Store } from '../../data/store.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import type { Accounts } from '../accounts/users.ts';
import type { Audit } from '../audit/audit.ts';
import type { Blocks } from '../blocks/blocks.ts';
import type { BuildLogs } from '../builds/build-logs.ts';
import type { BuildProcesses } from '../builds/build-processes.ts';
import type { BuildQueue } from '../builds/build-queue.ts';
import type { Schedules } from '../builds/schedules.ts';
import type { Purger } from '../cdn/purger.ts';
import type { CodeHosts } from '../code-hosts/code-hosts.ts';
import type { Settings } from '../config/settings.ts';
import type { Limits } from '../limits/limits.ts';
import type { Notifier } from '../notifications/notifier.ts';
import { checkConsent, checkProject, hasCredentials } from '../projects/check-project.ts';
import { getProject } from '../projects/get-project.ts';
import { type PresentedProject, presentProject } from '../projects/present-project.ts';
import { checkHosts } from '../projects/project-hosts.ts';
import { checkNewSecret } from '../projects/project-secret.ts';
import {
  applyChanges,
  createProject,
  type ProjectSettings,
  parseChanges,
  parseProjectName,
  parseSettings,
} from '../projects/project-settings.ts';
import { type FoundProjects, type ProjectStanding, searchProjects } from '../projects/search-projects.ts';
import { findOwnSharedDomain } from '../projects/shared-domains.ts';
import { exportProject, importProject } from '../projects/transfer-project.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { RedirectCounter } from '../short-urls/redirect-counter.ts';
import type { SiteStorage } from '../sites/site-storage.ts';
import { type BuildOperations, createBuildOperations } from './builds.ts';
import { createImageOperations, type ImageOperations } from './images.ts';
import type { InspectionOperations } from './inspections.ts';
import { createLimitOperations, type LimitOperations } from './limits.ts';
import { createNotificationOperations, type NotificationOperations } from './notifications.ts';
import { createPurgeOperations, type PurgeOperations } from './purges.ts';
import { createQuotaOperations, type QuotaOperations } from './quotas.ts';
import { createShortUrlOperations, type ShortUrlOperations } from './short-urls.ts';
import { createUserOperations, type UserOperations } from './users.ts';

/** What can be set when a project is created. */
export type NewProject = Partial<ProjectSettings> & Pick<ProjectSettings, 'url'>;

/** A project after a change. */
export interface ChangedProject extends PresentedProject {
  /** Id of the build that publishes the site again, where the change is visible on its pages. */
  readonly rebuild?: string;
  /** Why that build could not be requested; the change is stored all the same. */
  readonly rebuildError?: string;
}

/** A repository that needs credentials is private, and documentation, builds and logs of a project are not. */
interface Consent {
  /** The operator agrees that everybody may read them. */
  readonly isPublic?: boolean;
}

/**
 * What an operator can do, on the command line and in the console; all values can travel as JSON. They throw DataError:
 * `invalid`, `taken`, `not-found`.
 */
export interface Operations
  extends UserOperations,
    QuotaOperations,
    ShortUrlOperations,
    ImageOperations,
    NotificationOperations,
    PurgeOperations,
    InspectionOperations,
    LimitOperations,
    BuildOperations {
  createProject(input: { readonly name: string; readonly settings: NewProject } & Consent): Promise<PresentedProject>;
  getProject(input: { readonly name: string }): Promise<PresentedProject>;
  /** Returns projects by name, up to 1,000 after `after`. */
  listProjects(input: { readonly after?: string }): Promise<readonly PresentedProject[]>;
  /** Searches projects, in natural order, with the newest build of each; see `searchProjects`. */
  searchProjects(input: {
    readonly text?: string;
    readonly standing?: ProjectStanding;
    readonly after?: string;
    readonly limit: number;
  }): Promise<FoundProjects>;
  /**
   * Changes settings: `settings` are values, `changes` text as `parseChanges` reads it. Entries of `meta` change one by one, an
   * empty value removes one.
   */
  updateProject(
    input: {
      readonly name: string;
      readonly settings?: Partial<ProjectSettings>;
      readonly changes?: string;
      readonly separator?: string;
    } & Consent,
  ): Promise<ChangedProject>;
  /** Removes a project with its builds, logs and site. */
  removeProject(input: { readonly name: string }): Promise<PresentedProject>;
  exportProject(input: { readonly name: string }): Promise<{ readonly text: string }>;
  importProject(input: { readonly text: string; readonly name?: string } & Consent): Promise<PresentedProject>;
  /** Returns the newest webhook calls of a project, up to 200. */
  listDeliveries(input: { readonly name: string }): Promise<readonly Delivery[]>;
  /** Repeats what a webhook call requested. */
  replayDelivery(input: { readonly name: string; readonly id: string }): Promise<ReplayOutcome>;
  /** Returns what operators have changed within 90 days, newest first, up to `limit` (1,000 at most); see `AuditQuery`. */
  listAudit(input: Partial<AuditQuery>): Promise<readonly AuditEntry[]>;
}

/** Builds and entries that are listed at once. */
const MAX_LISTED = 1000;

/** Fields whose change is visible on published pages. */
const SHOWN_FIELDS = ['url', 'latest', 'single', 'sourceDir', 'lang', 'showNav', 'hideGit', 'domain'] as const;

/** What came of a replayed webhook call. */
export interface ReplayOutcome {
  readonly success: boolean;
  readonly message: string;
  readonly branch?: string;
  readonly build?: Pick<Build, 'id' | 'status'>;
}

/** What the operations work on. */
export interface OperationsContext {
  readonly store: Store;
  readonly queue: BuildQueue;
  readonly schedules: Pick<Schedules, 'plan'>;
  readonly rateLimits: Limits;
  readonly logs: BuildLogs;
  readonly notifier: Pick<Notifier, 'sendTest'>;
  readonly purger: Pick<Purger, 'during' | 'purgeNow'>;
  readonly accounts: Accounts;
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  readonly redirects: RedirectCounter;
  readonly audit: Audit;
  /** What is known about published sites. */
  readonly sites: {
    read(project: string): Promise<{ readonly latestRef: string } | undefined>;
    forget(project: string): void;
  };
  readonly codeHosts: CodeHosts;
  readonly settings: Settings;
  readonly processes: Pick<BuildProcesses, 'inspect'>;
  /** Limits of builds. */
  readonly limits: () => BuildLimits;
  readonly siteStorage: Pick<SiteStorage, 'remove'>;
  /** Webhooks that are set up by themselves, where the GitHub App is. */
  readonly hooks: Readonly<Record<'add' | 'update' | 'remove', (project: Project) => Promise<unknown>>> | undefined;
  /** Throws DataError. */
  readonly replayDelivery: (input: {
    readonly project: string;
    readonly id: string;
    readonly cause: BuildCause;
  }) => Promise<ReplayOutcome>;
  readonly now: () => Date;
}

/** Creates the operations on these records, in the name of `by`. */
export function createOperations(
  context: OperationsContext,
  options: {
    readonly store: Records;
    readonly by: string;
    readonly cause: BuildCause;
    readonly inspections: InspectionOperations;
  },
): Operations {
  const { store, by, cause, inspections } = options;
  const { queue, schedules, logs, sites, hooks, now } = context;
  const present = (project: Project): PresentedProject => {
    const sharedDomain = findOwnSharedDomain(project, context.settings.current());
    return { ...presentProject(project, context.codeHosts), ...(sharedDomain && { sharedDomain }) };
  };
  const get = (name: string): Promise<Project> => getProject(store, name);
  const check = (project: Project): void => {
    checkProject(project);
    checkHosts(project, context.settings.current());
  };
  const add = async (project: Project): Promise<PresentedProject> => {
    check(project);
    const planned = schedules.plan(project);
    await store.projects.add(planned);
    await hooks?.add(planned);
    return present(planned);
  };

  return {
    ...createUserOperations({ accounts: { ...context.accounts, store }, store, quotas: context.quotas }),
    ...createQuotaOperations({ ...context, store, by }),
    ...createShortUrlOperations({ ...context, store }),
    ...createImageOperations({ ...context, store }),
    ...createNotificationOperations({ ...context, store, getProject: get }),
    ...createPurgeOperations({ ...context, getProject: get }),
    ...createLimitOperations(context),
    ...createBuildOperations({ ...context, store, cause, getProject: get }),
    ...inspections,
    async createProject({ name, settings, isPublic }) {
      const project = createProject(name, settings, now());
      checkConsent(project.url, isPublic);
      checkNewSecret(project);
      return add(project);
    },
    getProject: async ({ name }) => present(await get(name)),
    listProjects: async ({ after }) => {
      const projects = await store.projects.list({ ...(after !== undefined && { after }), limit: 1000 });
      return projects.map(present);
    },
    searchProjects: ({ text = '', standing, after, limit }) =>
      searchProjects({ store, present }, { text, standing, after, limit: Math.min(limit, MAX_LISTED) }),
    async updateProject({ name, settings = {}, changes, separator, isPublic }) {
      const { meta, ...values } = parseSettings(settings);
      const text = changes === undefined ? undefined : parseChanges(changes, separator);
      const parsed = { settings: { ...text?.settings, ...values }, meta: { ...text?.meta, ...meta } };
      const before = await get(name);
      const { url = before.url } = parsed.settings;
      if (repositoryKey(before.url) !== repositoryKey(url) || !hasCredentials(before.url)) {
        checkConsent(url, isPublic);
      }
      const apply = (project: Project): Project => schedules.plan(applyChanges(project, parsed), project);
      const wanted = apply(before);
      checkNewSecret(wanted, before);
      check(wanted);
      const change = (): Promise<Project> => store.projects.change(before.name, apply);
      const isMoved = wanted.domain !== before.domain && before.versions.length > 0;
      const after = await (isMoved ? context.purger.during([before, wanted], change) : change());
      if (repositoryKey(after.url) !== repositoryKey(before.url)) {
        await hooks?.remove(before);
        await hooks?.add(after);
      } else if (after.secret !== before.secret) await hooks?.update(after);
      const isShown = SHOWN_FIELDS.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
      if (!isShown || after.versions.length === 0) return present(after);
      const order = { project: after.name, ref: '', commit: '', cause, kind: 'refresh' } as const;
      try {
        return { ...present(after), rebuild: (await queue.request(order)).id };
      } catch (error) {
        // The change is stored: whoever made it needs to know its secrets.
        if (!(error instanceof DataError)) throw error;
        return { ...present(after), rebuildError: error.message };
      }
    },
    async removeProject({ name }) {
      const project = await get(name);
      const remove = (): Promise<unknown> =>
        queue.removeProject(project.name, () => store.projects.remove(project.name));
      await (project.versions.length > 0 ? context.purger.during([project], remove) : remove());
      await hooks?.remove(project);
      await logs.remove(project.name);
      sites.forget(project.name);
      await context.siteStorage.remove(project.name);
      return present(project);
    },
    exportProject: async ({ name }) => ({ text: exportProject(await get(name)) }),
    async importProject({ text, name, isPublic }) {
      const project = importProject(text, name && parseProjectName(name), now());
      checkConsent(project.url, isPublic);
      return add(project);
    },
    listDeliveries: async ({ name }) => store.deliveries.list({ project: (await get(name)).name, limit: 200 }),
    replayDelivery: async ({ name, id }) => context.replayDelivery({ project: (await get(name)).name, id, cause }),
    listAudit: ({ limit = MAX_LISTED, ...query }) =>
      context.audit.list({ ...query, limit: Math.min(limit, MAX_LISTED) }),
  };
}
