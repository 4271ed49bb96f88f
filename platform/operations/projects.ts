import { DataError } from '../../data/data-error.ts';
import type { Delivery } from '../../data/records/delivery.ts';
import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { hasCdn } from '../cdn/cdn-settings.ts';
import { checkConsent, checkProject, hasCredentials } from '../projects/check-project.ts';
import { getProject } from '../projects/get-project.ts';
import { type PresentedProject, presentProject } from '../projects/present-project.ts';
import { checkHosts } from '../projects/project-hosts.ts';
import { checkNewSecret } from '../projects/project-secret.ts';
import {
  applyChanges,
  createProject,
  listChosen,
  type ProjectSettings,
  parseChanges,
  parseProjectName,
  parseSettings,
} from '../projects/project-settings.ts';
import { type ProjectStanding, searchProjects } from '../projects/search-projects.ts';
import { findOwnSharedDomain } from '../projects/shared-domains.ts';
import { exportProject, importProject } from '../projects/transfer-project.ts';
import { type OperationScope, operation } from './operation.ts';

/** Settings of a project that is created. */
export type NewProject = Partial<ProjectSettings> & Pick<ProjectSettings, 'url'>;

/** A project after a change. */
type ChangedProject = PresentedProject & {
  /** Id of the build that publishes the site again, where the change is visible on its pages. */
  readonly rebuild?: string;
  /** Why that build could not be requested; the change is stored all the same. */
  readonly rebuildError?: string;
};

/** A repository that needs credentials is private, and documentation, builds and logs of a project are not. */
type Consent = {
  /** The operator agrees that everybody may read them. */
  readonly isPublic?: boolean;
};

type Named = {
  readonly name: string;
};

/** Projects that are listed at once, and webhook calls or notifications of one. */
const MAX_LISTED = 1000;
const MAX_RECENT = 200;

/** Fields whose change is visible on published pages. */
const SHOWN_FIELDS = ['url', 'latest', 'single', 'sourceDir', 'lang', 'showNav', 'hideGit', 'domain'] as const;

/** Operations on projects, their notifications, and copies of them in a CDN (DataError `refused`, too). */
export const projectOperations = {
  createProject: operation(
    async ({ name, settings, isPublic }: Named & { readonly settings: NewProject } & Consent, scope) => {
      const project = createProject(name, settings, scope.now());
      checkConsent(project.url, isPublic);
      checkNewSecret(project);
      return add(project, scope);
    },
    {
      title: phrase`create a project`,
      describe: ({ name, settings }) => ({ target: name, details: listChosen(settings).join(', ') }),
    },
  ),
  getProject: operation(async ({ name }: Named, scope) => present(await getProject(scope.store, name), scope), 'none'),
  /** Returns projects by name, up to 1,000 after `after`. */
  listProjects: operation(async ({ after }: { readonly after?: string | undefined }, scope) => {
    const projects = await scope.store.projects.list({ ...(after !== undefined && { after }), limit: MAX_LISTED });
    return projects.map((project) => present(project, scope));
  }, 'none'),
  /** Searches projects, in natural order, with the newest build of each; see `searchProjects`. */
  searchProjects: operation(
    (
      input: {
        readonly text?: string;
        readonly standing?: ProjectStanding;
        readonly after?: string | undefined;
        readonly limit: number;
      },
      scope,
    ) => {
      const { text = '', standing, after, limit } = input;
      const context = { store: scope.store, present: (project: Project) => present(project, scope) };
      return searchProjects(context, { text, standing, after, limit: Math.min(limit, MAX_LISTED) });
    },
    'none',
  ),
  /**
   * Changes settings: `settings` are values, `changes` text as `parseChanges` reads it. Entries of `meta` change one by one, an
   * empty value removes one.
   */
  updateProject: operation(
    async (
      input: Named & {
        readonly settings?: Partial<ProjectSettings>;
        readonly changes?: string | undefined;
        readonly separator?: string;
      } & Consent,
      scope,
    ): Promise<ChangedProject> => {
      const { name, settings = {}, changes, separator, isPublic } = input;
      const { store, queue, schedules, polls, hooks, outboxes, cause } = scope;
      const { meta, ...values } = parseSettings(settings);
      const text = changes === undefined ? undefined : parseChanges(changes, separator);
      const parsed = { settings: { ...text?.settings, ...values }, meta: { ...text?.meta, ...meta } };
      const before = await getProject(store, name);
      const { url = before.url } = parsed.settings;
      if (repositoryKey(before.url) !== repositoryKey(url) || !hasCredentials(before.url)) {
        checkConsent(url, isPublic);
      }
      const apply = (project: Project): Project => schedules.plan(applyChanges(project, parsed), project);
      const wanted = apply(before);
      checkNewSecret(wanted, before);
      check(wanted, scope);
      const change = (): Promise<Project> => store.projects.change(before.name, apply);
      const isMoved = wanted.domain !== before.domain && before.versions.length > 0;
      const after = await (isMoved ? outboxes.during([before, wanted], change) : change());
      await polls.plan(after, before);
      if (repositoryKey(after.url) !== repositoryKey(before.url)) {
        await hooks?.remove(before);
        await hooks?.add(after);
      } else if (after.secret !== before.secret) await hooks?.update(after);
      const isShown = SHOWN_FIELDS.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
      if (!isShown || after.versions.length === 0) return present(after, scope);
      const order = { project: after.name, ref: '', commit: '', cause, kind: 'refresh' } as const;
      try {
        return { ...present(after, scope), rebuild: (await queue.request(order)).id };
      } catch (error) {
        // The change is stored: whoever made it needs to know its secrets.
        if (!(error instanceof DataError)) throw error;
        return { ...present(after, scope), rebuildError: error.message };
      }
    },
    {
      title: phrase`change a project`,
      describe({ name, settings = {}, changes, separator }) {
        const text = changes === undefined ? undefined : parseChanges(changes, separator);
        const { meta, ...values } = settings;
        const metaNames = Object.keys({ ...text?.meta, ...meta }).map((key) => `meta:${key}`);
        return { target: name, details: [...listNames({ ...text?.settings, ...values }), ...metaNames].join(', ') };
      },
    },
  ),
  /** Removes a project with its builds, logs and site. */
  removeProject: operation(
    async ({ name }: Named, scope) => {
      const { store, queue, outboxes, hooks, logs, sites, siteStorage } = scope;
      const project = await getProject(store, name);
      const remove = (): Promise<unknown> =>
        queue.removeProject(project.name, () => store.projects.remove(project.name));
      await (project.versions.length > 0 ? outboxes.during([project], remove) : remove());
      await hooks?.remove(project);
      await logs.remove(project.name);
      sites.forget(project.name);
      await siteStorage.remove(project.name);
      return present(project, scope);
    },
    { title: phrase`remove a project`, describe: ({ name }) => ({ target: name }) },
  ),
  exportProject: operation(
    async ({ name }: Named, { store }) => ({
      text: exportProject(await getProject(store, name)),
    }),
    'none',
  ),
  importProject: operation(
    async (
      { text, name, isPublic }: { readonly text: string; readonly name?: string | undefined } & Consent,
      scope,
    ) => {
      const project = importProject(text, name && parseProjectName(name), scope.now());
      checkConsent(project.url, isPublic);
      return add(project, scope);
    },
    {
      title: phrase`import a project`,
      describe: ({ text, name }) => ({ target: importProject(text, name, new Date(0)).name }),
    },
  ),
  /** Returns the newest webhook calls of a project, up to 200. */
  listDeliveries: operation(
    async ({ name }: Named, { store }): Promise<readonly Delivery[]> =>
      store.deliveries.list({ project: (await getProject(store, name)).name, limit: MAX_RECENT }),
    'none',
  ),
  /** Repeats what a webhook call requested. */
  replayDelivery: operation(
    async ({ name, id }: Named & { readonly id: string }, { store, cause, replayDelivery }) =>
      replayDelivery({ project: (await getProject(store, name)).name, id, cause }),
    {
      title: phrase`replay a webhook call`,
      describe: ({ name, id }) => ({ target: name, details: `delivery ${id}` }),
      isFirst: true,
    },
  ),
  /** Returns the last changes of a project's versions to failing and back, newest first, up to 200, and whether somebody was told. */
  listNotifications: operation(
    async ({ name }: Named, { store }): Promise<readonly Notification[]> =>
      store.notifications.list({ project: (await getProject(store, name)).name, limit: MAX_RECENT }),
    'none',
  ),
  /** Sends a test to the URL of a project, once; `message` says why it failed. */
  sendTestNotification: operation(
    async ({ name }: Named, { store, notifier }) => {
      const message = await notifier.sendTest(await getProject(store, name));
      return { success: message === '', message };
    },
    { title: phrase`send a test notification`, describe: ({ name }) => ({ target: name }), isFirst: true },
  ),
  /** Tells the CDN to forget the pages of a project; `message` says why it was not told. */
  purgeSite: operation(
    async ({ name }: Named, { store, settings, outboxes }) => {
      const project = await getProject(store, name);
      if (!hasCdn(settings.current().cdn))
        throw new DataError('refused', phrase`No CDN is configured: "cdn.url" says where to tell it`);
      const message = await outboxes.purgeNow(project);
      return { success: message === '', message };
    },
    {
      title: phrase`tell the CDN to forget a site`,
      describe: ({ name }) => ({ target: name }),
      isFirst: true,
    },
  ),
};

function present(project: Project, { settings, codeHosts }: OperationScope): PresentedProject {
  const sharedDomain = findOwnSharedDomain(project, settings.current());
  return { ...presentProject(project, codeHosts), ...(sharedDomain && { sharedDomain }) };
}

function check(project: Project, { settings }: OperationScope): void {
  checkProject(project);
  checkHosts(project, settings.current());
}

async function add(project: Project, scope: OperationScope): Promise<PresentedProject> {
  check(project, scope);
  const planned = scope.schedules.plan(project);
  await scope.store.projects.add(planned);
  await scope.polls.plan(planned);
  await scope.hooks?.add(planned);
  return present(planned, scope);
}

function listNames(settings: object): readonly string[] {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(settings);
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [name]));
}
