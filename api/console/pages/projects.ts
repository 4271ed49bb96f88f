import { DataError } from '../../../data/data-error.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import type { FlashKind } from '../../../platform/accounts/flash-secrets.ts';
import { listBuild } from '../../../platform/builds/list-build.ts';
import { hasCdn } from '../../../platform/cdn/cdn-settings.ts';
import { WEBHOOK_SENDERS } from '../../../platform/code-hosts/code-hosts.ts';
import { drawIcon } from '../../../platform/projects/draw-icon.ts';
import { PROJECT_STANDINGS, type ProjectStanding } from '../../../platform/projects/search-projects.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import { findSharedDomainAt } from '../save-project.ts';
import { retryBuild } from './builds.ts';

const PATH = '/control/projects';
const SHOWN = 50;
const SHOWN_BUILDS = 20;
const SHOWN_REFS = 200;
const SHOWN_FAILING = 50;
/** Longest text that is searched for. */
const MAX_TEXT = 255;

const STANDING_LABELS: Readonly<Record<ProjectStanding, Phrase>> = {
  passing: phrase`passing`,
  failing: phrase`failing`,
  open: phrase`waiting or running`,
  stopped: phrase`not finished`,
  none: phrase`never built`,
  scheduled: phrase`with a schedule`,
};

/** Projects with their builds and webhook calls, for operators. */
export function projectPages(context: ConsoleContext): ConsolePart {
  const { store, settings, docsApiUrl, siteUrl, flashSecrets, findHook, now } = context;
  const common = { isForOperators: true, section: PATH };
  const list: ConsolePage = {
    ...common,
    path: PATH,
    template: 'projects.njk',
    async model({ operations, query }) {
      const search = readSearch(query);
      const { text, standing, after } = search;
      const { found, next } = await operations.searchProjects({
        text,
        limit: SHOWN,
        ...(standing !== '' && { standing }),
        ...(after !== '' && { after }),
      });
      // The size of a site is known to the build that has published it.
      const publishers = await store.builds.findAll(found.map(({ project }) => project.publishedBy ?? ''));
      const time = now();
      const projects = found.map(({ project, build }, at) => ({
        name: project.name,
        url: project.url,
        public: project.public,
        versions: project.versions.length,
        siteUrl: project.versions.length > 0 ? siteUrl(project) : '',
        build: build ? listBuild(build, time) : null,
        bytes: project.versions.length > 0 ? publishers[at]?.result?.bytes : undefined,
        // Readers' order: `latest` is the first one.
        shown: project.versions[0] ?? null,
        failing: project.failing.length,
        failure: project.failing[0] ?? null,
        scheduledAt: project.scheduledAt ?? '',
      }));
      return {
        projects,
        docsApiUrl,
        search,
        standings: PROJECT_STANDINGS.map((name) => ({ name, label: STANDING_LABELS[name] })),
        isFirst: after === '',
        isFiltered: text !== '' || standing !== '',
        firstPath: pathOf({ ...search, after: '' }),
        nextPath: next === undefined ? '' : pathOf({ ...search, after: next }),
      };
    },
  };
  const one: ConsolePage = {
    ...common,
    path: `${PATH}/:name`,
    template: 'project.njk',
    async model({ operations, params: { name = '' }, ctx, visitor }) {
      const take = (kind: FlashKind) => (ctx.method === 'GET' ? flashSecrets.take(visitor.token, kind) : undefined);
      const project = await operations.getProject({ name });
      const made = await Promise.all([take('webhook'), take('notifications')]);
      return {
        project,
        ownSharedDomain: findSharedDomainAt({ ctx }, project),
        icon: drawIcon(project.name),
        docsApiUrl,
        fresh: made.map((one) => (one?.of === project.name ? one.secret : '')),
        hook: findHook(project.name) ?? { result: 'none', message: '' },
        webhookUrl: `${docsApiUrl}/docbuild/webhook/${project.name}`,
        codeHosts: WEBHOOK_SENDERS.map((host) => ({ name: host.name, setup: host.webhooks.setup })),
        timeout: settings.current().builds.timeout_s,
        timezone: settings.current().timezone,
        pollMinutes: settings.current().builds.poll_minutes,
        poll: (await store.polls.find(project.name)) ?? null,
        siteUrl: project.versions.length > 0 ? siteUrl(project) : '',
        hasCdn: hasCdn(settings.current().cdn),
        cdn: (await store.purges.find(project.name)) ?? null,
        failing: project.failing.slice(0, SHOWN_FAILING).map((failing) => ({
          ...failing,
          isPublished: project.versions.some(({ ref }) => ref === failing.ref),
        })),
        refs: project.versions.slice(0, SHOWN_REFS).map(({ ref }) => ref),
        builds: (await store.builds.list({ project: project.name, limit: SHOWN_BUILDS })).map((build) =>
          listBuild(build, now()),
        ),
        notifications: await operations.listNotifications({ name }),
        deliveries: (await operations.listDeliveries({ name })).map((delivery) => ({
          ...delivery,
          action: delivery.action ?? null,
        })),
      };
    },
  };
  return {
    pages: [list, one],
    actions: [
      {
        path: `${PATH}/:name/build`,
        page: one,
        async run({ operations, params: { name = '' }, form }) {
          const isAll = form.get('all') === '1';
          const ref = isAll ? '' : (form.get('ref') ?? '').trim();
          await operations.build({ name, ...(isAll && { all: true }), ...(ref !== '' && { ref }) });
          return { path: `${PATH}/${encodeURIComponent(name)}`, flash: 'build-requested' };
        },
      },
      {
        path: `${PATH}/:name/retry`,
        page: one,
        run: async ({ operations, params: { name = '' }, form }) => ({
          path: `${PATH}/${encodeURIComponent(name)}`,
          flash: await retryBuild(operations, form.get('id') ?? ''),
        }),
      },
      {
        path: `${PATH}/:name/replay`,
        page: one,
        async run({ operations, params: { name = '' }, form }) {
          await operations.replayDelivery({ name, id: form.get('id') ?? '' });
          return { path: `${PATH}/${encodeURIComponent(name)}`, flash: 'replayed' };
        },
      },
      {
        path: `${PATH}/:name/purge`,
        page: one,
        async run({ operations, params: { name = '' } }) {
          const { success, message } = await operations.purgeSite({ name });
          if (!success) throw new DataError('refused', phrase`The CDN was not told: ${message}`);
          return { path: `${PATH}/${encodeURIComponent(name)}`, flash: 'purged' };
        },
      },
      {
        path: `${PATH}/:name/notify`,
        page: one,
        async run({ operations, params: { name = '' } }) {
          const { success, message } = await operations.sendTestNotification({ name });
          if (!success) throw new DataError('refused', phrase`The test was not delivered: ${message}`);
          return { path: `${PATH}/${encodeURIComponent(name)}`, flash: 'test-delivered' };
        },
      },
    ],
  };
}

/** Which projects are shown, as the address says. */
interface Search {
  readonly text: string;
  readonly standing: ProjectStanding | '';
  /** Only those after the one of this name; '' = from the first on. */
  readonly after: string;
}

function readSearch(query: URLSearchParams): Search {
  const standing = query.get('status');
  return {
    text: (query.get('q') ?? '').trim().slice(0, MAX_TEXT),
    standing: PROJECT_STANDINGS.find((one) => one === standing) ?? '',
    after: query.get('after') ?? '',
  };
}

function pathOf({ text, standing, after }: Search): string {
  const entries = Object.entries({ q: text, status: standing, after }).filter(([, value]) => value !== '');
  return entries.length === 0 ? PATH : `${PATH}?${new URLSearchParams(entries)}`;
}
