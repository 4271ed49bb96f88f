import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import type { Caller } from '../../api/http/callers.ts';
import { handleErrors } from '../../api/http/errors.ts';
import { createRouter } from '../../api/http/router.ts';
import { inclusionFailures, inclusionRoutes } from '../../api/inclusion/inclusion-routes.ts';
import type { Store } from '../../data/store.ts';
import { createHttpClient } from '../../lib/http-client.ts';
import { configSchema } from '../../platform/config/config-schema.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { createEngineHealth, type EngineHealth } from '../../platform/inclusion/engine-health.ts';
import { createMemoryQuotas, type MemoryQuotas } from './create-memory-quotas.ts';
import { createMemoryStore } from './create-memory-store.ts';
import { createUser } from './create-records.ts';
import { type FakeEngines, serveEngines } from './serve-engines.ts';

/** Inclusion queries beside fake engines. */
export interface InclusionSetup {
  readonly engines: FakeEngines;
  readonly quotas: MemoryQuotas;
  readonly store: Store;
  readonly clock: { ms: number };
  readonly engineHealth: EngineHealth;
  readonly problems: unknown[];
  /** Returns how many requests have reached the service. */
  received(): number;
  /** Sends a query: name of the engine and parameters. */
  ask(engine: 'Alpha' | 'Beta', parameters?: Record<string, string>, headers?: Record<string, string>): Promise<Asked>;
  /** Sends a request as it is. */
  get(path: string, init?: RequestInit): Promise<Response>;
}

/** An answer of the service. */
export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<'Included' | 'success' | 'deduct' | 'url' | 'msg', unknown>;
}

export const TARGET = 'https://page.example/guide/a.html';
/** The key that the setup knows, and its owner. */
export const KEY = 'c2VjcmV0LWtleQ';
export const UID = '1000000001';
/** The key of somebody else. */
export const OTHER_KEY = 'b3RoZXIta2V5';
export const OTHER_UID = '1000000002';

/** Creates the setup; `quota` counts for everybody, `utility` is configuration. */
export async function createInclusionSetup(
  t: ExecutionContext,
  { quota = 100, utility = {}, store = createMemoryStore() }: { quota?: number; utility?: object; store?: Store } = {},
): Promise<InclusionSetup> {
  const engines = await serveEngines(t);
  const { alpha = {}, beta = {}, ...rest } = utility as Record<string, object>;
  const config = configSchema.parse({
    utility: {
      alpha: { base_url: `http://www.alpha.example:${engines.port}`, timeout_s: 30, ...alpha },
      beta: { base_url: `http://www.beta.example:${engines.port}`, timeout_s: 30, ...beta },
      ...rest,
    },
  });
  const client = createHttpClient({
    timeoutMs: 60_000,
    maxBytes: 1_500_000,
    maxConnections: 4,
    lookup: engines.lookup,
    // The engines' other hosts are on this machine, too.
    isAllowedAddress: () => true,
  });
  t.teardown(() => client.close());
  const quotas = createMemoryQuotas(quota);
  const clock = { ms: Date.parse('2026-03-15T10:30:00Z') };
  const problems: unknown[] = [];
  const engineHealth = createEngineHealth(() => clock.ms);
  const app = new Koa();
  app.silent = true;
  app.use(handleErrors((error) => problems.push(error), [inclusionFailures]));
  const now = () => new Date(clock.ms);
  const onProblem = (error: unknown): void => void problems.push(error);
  const context = {
    config,
    store,
    callers: { identify, isFromHere: () => true },
    quotas,
    engineHealth,
    now,
    onProblem,
    client,
  };
  app.use(createRouter(inclusionRoutes(context)));
  let received = 0;
  const server = app.listen(0, '127.0.0.1');
  server.on('request', () => {
    received++;
  });
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  const get: InclusionSetup['get'] = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return {
    engines,
    quotas,
    store,
    clock,
    engineHealth,
    problems,
    get,
    received: () => received,
    async ask(engine, parameters = { url: TARGET }, headers = {}) {
      const answer = await get(`/api/${engine}IncludedQuery?${new URLSearchParams(parameters)}`, { headers });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Asked['body'] };
    },
  };
}

const UIDS: ReadonlyMap<string, string> = new Map([
  [KEY, UID],
  [OTHER_KEY, OTHER_UID],
]);

/** Knows two keys; a session is none. The source may stand in a header. */
async function identify(ctx: Koa.Context, ways: readonly string[]): Promise<Caller> {
  const inQuery = ways.includes('url-query') ? new URLSearchParams(ctx.querystring).get('token') : null;
  const inHeader = ways.includes('header') ? /^Token (.+)$/.exec(ctx.get('Authorization'))?.[1] : undefined;
  const key = inQuery ?? inHeader;
  const source = ctx.get('X-Source') || '192.0.2.1';
  if (key === undefined) return { source, user: undefined, permission: undefined };
  const uid = UIDS.get(key);
  if (uid === undefined) throw new ServiceError('bad-token', 'The credential is not valid');
  return { source, user: createUser({ uid }), permission: 'read' };
}
