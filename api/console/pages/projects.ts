import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { WEBHOOK_SENDERS } from '../../../platform/code-hosts/code-hosts.ts';
import { drawIcon } from '../../../platform/projects/draw-icon.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { FlashKind } from '../flash-secrets.ts';

const PATH = '/control/projects';
const SHOWN = 50;
const SHOWN_BUILDS = 20;
const SHOWN_REFS = 200;
const SHOWN_FAILING = 50;

/** Projects with their builds and webhook calls, for operators. */
export function projectPages(context: ConsoleContext): ConsolePart {
  const { store, settings, docsApiUrl, siteUrl, flashSecrets, findHook } = context;
  const common = { isForOperators: true, section: PATH };
  const list: ConsolePage = {
    ...common,
    path: PATH,
    template: 'projects.njk',
    async model({ operations, query }) {
      const after = query.get('after') || undefined;
      const found = await operations.listProjects(after === undefined ? {} : { after });
      const shown = found.slice(0, SHOWN);
      const projects = await Promise.all(
        shown.map(async (project) => ({
          ...{ name: project.name, url: project.url, public: project.public, versions: project.versions.length },
          siteUrl: project.versions.length > 0 ? siteUrl(project) : '',
          build: (await store.builds.list({ project: project.name, limit: 1 }))[0] ?? null,
        })),
      );
      const nextPath = found.length > SHOWN ? `${PATH}?after=${encodeURIComponent(shown.at(-1)!.name)}` : '';
      return { projects, docsApiUrl, nextPath, isFirst: after === undefined };
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
        icon: drawIcon(project.name),
        docsApiUrl,
        fresh: made.map((one) => (one?.of === project.name ? one.secret : '')),
        hook: findHook(project.name) ?? { result: 'none', message: '' },
        webhookUrl: `${docsApiUrl}/docbuild/webhook/${project.name}`,
        codeHosts: WEBHOOK_SENDERS.map((host) => ({ name: host.name, setup: host.webhooks.setup })),
        timeout: settings.current().builds.timeout_s,
        siteUrl: project.versions.length > 0 ? siteUrl(project) : '',
        failing: (project.failing ?? []).slice(0, SHOWN_FAILING).map((failing) => ({
          ...failing,
          isPublished: project.versions.some(({ ref }) => ref === failing.ref),
        })),
        refs: project.versions.slice(0, SHOWN_REFS).map(({ ref }) => ref),
        builds: await store.builds.list({ project: project.name, limit: SHOWN_BUILDS }),
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
        path: `${PATH}/:name/replay`,
        page: one,
        async run({ operations, params: { name = '' }, form }) {
          await operations.replayDelivery({ name, id: form.get('id') ?? '' });
          return { path: `${PATH}/${encodeURIComponent(name)}`, flash: 'replayed' };
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
