import { isIP } from 'node:net';
import type { Context } from 'koa';
import { phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { hostOf } from '../../lib/url-text.ts';
import { isReservedName } from '../../platform/config/service-paths.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { createMcpThread } from '../../platform/mcp/mcp-thread.ts';
import { readPublished } from '../../platform/mcp/open-site.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { listServiceHosts } from '../../platform/projects/project-hosts.ts';
import type { SiteStorage } from '../../platform/sites/site-storage.ts';
import { UNKNOWN_PROJECT } from '../http/build-answers.ts';
import type { Callers } from '../http/callers.ts';
import { readBody } from '../http/read-body.ts';
import { defineRoute, failure, type Route, type RouteExample } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';

const MAX_BODY_BYTES = 64_000;
/** Headers of the protocol, and what its transport needs. */
const PASSED_ON = /^(?:accept|content-type|mcp-[\w-]{1,60})$/;

const examples: readonly RouteExample[] = [
  {
    summary: 'No such project',
    path: '/docbuild/mcp/nothing',
    json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    status: 404,
    answer: UNKNOWN_PROJECT,
  },
];

/** POST mcp: a site's documentation for programs, by the Model Context Protocol. There are no sessions: each request is answered by itself. */
export function mcpRoute({
  store,
  sites,
  siteStorage,
  siteUrl,
  settings,
  callers,
  now,
  onError,
}: DocbuildContext & {
  readonly siteStorage: Pick<SiteStorage, 'find'>;
  readonly settings: Settings;
  readonly callers: Pick<Callers, 'sourceOf' | 'checkOrigin'>;
  readonly onError: (error: unknown) => void;
}): Route {
  const thread = createMcpThread({ onError });
  const buckets = createTokenBuckets(() => settings.current().limits.mcp_per_minute);
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/mcp/:project'],
    // `/docbuild/mcp/build` builds the project "mcp".
    passesBy: ({ project = '' }) => isReservedName(project),
    summary: 'Answers MCP clients from the documentation of a project',
    tag: 'docbuild',
    area: 'docs',
    isAtSites: true,
    body: { 'application/json': { schema: { type: 'object', description: 'A message of JSON-RPC 2.0' } } },
    answers: {
      200: { description: 'The answer as JSON, or as a stream of one event', media: 'application/json' },
      202: { description: 'A notification was received' },
      400: failure('Not a message of the protocol'),
      403: failure('Sent by a page of another site'),
      404: failure('No such project'),
      413: failure('The body has more than 64 kB'),
      429: failure('Too many requests; `Retry-After` says how long to wait'),
      503: failure('Too many requests at once'),
    },
    examples,
    async handle(ctx, { params }) {
      const source = callers.sourceOf(ctx);
      const waitS = buckets.take(source, now().getTime());
      if (waitS > 0) {
        throw new ServiceError('limited', phrase`Too many requests; try again in ${waitS} s`, {
          headers: { 'Retry-After': String(waitS) },
          limit: 'mcp',
        });
      }
      const project = await getProject(store, params['project'] ?? '');
      const url = siteUrl(project);
      checkPage(ctx, url);
      const body = (await readBody(ctx, MAX_BODY_BYTES)).toString();
      const files = await siteStorage.find(project.name);
      const index = sites.peek(project.name);
      const answer = await thread.answer({
        site: {
          key: project.name,
          url,
          title: index?.title || project.name,
          read: (path) => readPublished(files, path),
        },
        source,
        headers: readHeaders(ctx),
        body,
      });
      ctx.status = answer.status;
      ctx.set('Cache-Control', 'no-store');
      if (answer.type !== '') ctx.set('Content-Type', answer.type);
      ctx.body = answer.body;
    },
  });

  /**
   * Refuses pages of other origins, and pages at names that only claim to be this server's: their owners may let them point to
   * anywhere, such as to a server in the visitor's own network.
   */
  function checkPage(ctx: Context, url: string): void {
    const origin = ctx.get('Origin');
    callers.checkOrigin(ctx);
    if (origin === '') return;
    const host = hostOf(new URL(origin));
    const isOurs = host === 'localhost' || isIP(host) !== 0 || host === hostOf(new URL(url));
    if (isOurs || listServiceHosts(settings.current()).has(host)) return;
    throw new ServiceError('foreign-origin', phrase`Pages of other sites may not send this request`);
  }
}

function readHeaders({ req }: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(req.headers).flatMap(([name, value]) =>
      typeof value === 'string' && PASSED_ON.test(name) ? [[name, value]] : [],
    ),
  );
}
