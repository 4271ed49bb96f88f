import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import { checkOrigin, type IdentifyCaller } from '../../api/http/callers.ts';
import { createCheckChange } from '../../api/http/check-change.ts';
import { handleErrors } from '../../api/http/errors.ts';
import { createRouter } from '../../api/http/router.ts';
import { createMakeShortUrl } from '../../api/short-urls/make-short-url.ts';
import { createOwnHosts } from '../../api/short-urls/own-hosts.ts';
import { allowReductionOrigins } from '../../api/short-urls/reduction-origins.ts';
import { shortUrlFailures, shortUrlRoutes } from '../../api/short-urls/short-url-routes.ts';
import type { User } from '../../data/records/user.ts';
import type { Store } from '../../data/store.ts';
import { parseConfig } from '../../platform/config/read-config.ts';
import { createSettings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { createRedirectCounter, type RedirectCounter } from '../../platform/short-urls/redirect-counter.ts';
import { createMemoryStore } from './create-memory-store.ts';
import { createUser } from './create-records.ts';

/** Short URLs served as the application does, with users who are known by tokens. */
export interface ShortUrlServer {
  readonly origin: string;
  readonly store: Store;
  readonly clock: { ms: number };
  /** Hosts that the operator warns of. */
  readonly blocked: Set<string>;
  readonly errors: unknown[];
  readonly redirects: RedirectCounter;
  /** Sends a form; returns status, headers and the JSON answer. */
  send(action: string, form: Record<string, string>, headers?: Record<string, string>): Promise<ShortUrlAnswer>;
  /** Shortens as a user (default `ann`) and expects success; returns the code. */
  shorten(longUrl: string, jid?: string, token?: string): Promise<string>;
  /** Asks for a path and follows nothing. */
  get(path: string, options?: RequestInit): Promise<Response>;
}

export interface ShortUrlAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code: number; readonly msg: string | null; readonly data?: Record<string, string> };
}

/** Users by token: `ann` is verified, `bob` is not. */
const USERS: ReadonlyMap<string, User> = new Map(
  ['ann', 'bob'].map((account, i) => [
    account,
    createUser({ uid: `100000000${i + 1}`, account, isVerified: account === 'ann' }),
  ]),
);

/** Serves short URLs on a free port until the test ends; `{origin}` in `yaml` stands for its address. */
export async function serveShortUrls(
  t: ExecutionContext,
  { yaml = '', store = createMemoryStore() }: { readonly yaml?: string; readonly store?: Store } = {},
): Promise<ShortUrlServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = parseConfig(yaml.replaceAll('{origin}', origin), 'docbuild.yml');
  const clock = { ms: Date.parse('2026-05-04T03:02:01.000Z') };
  const blocked = new Set<string>();
  const errors: unknown[] = [];
  for (const user of USERS.values()) if (!(await store.users.find(user.uid))) await store.users.add(user);
  const redirects = createRedirectCounter({ store: store.redirects, onError: (error) => errors.push(error) });
  t.teardown(() => redirects.close());
  const settings = createSettings(config);
  const now = () => new Date(clock.ms);
  const baseUrl = config.api.base_url || origin;
  const ownHosts = createOwnHosts({ settings, store, baseUrl, docsApiUrl: config.api.docs_api_url || origin });
  const routes = shortUrlRoutes({
    settings,
    store,
    baseUrl,
    ownHosts,
    now,
    makeShortUrl: createMakeShortUrl({ settings, store, ownHosts, checkChange: createCheckChange(now), now }),
    callers: { identify, sourceOf: (ctx) => ctx.ip },
    redirects,
    isHostBlocked: (host) => blocked.has(host),
  });
  const router = createRouter(routes);
  const app = new Koa({ proxy: config.api.trusted_proxies > 0 });
  app.silent = true;
  app.on('error', (error) => errors.push(error));
  app.use(handleErrors((error) => errors.push(error), [shortUrlFailures]));
  app.use(allowReductionOrigins());
  app.use(router);
  server.on('request', app.callback());
  const send: ShortUrlServer['send'] = async (action, form, headers = {}) => {
    const body = new URLSearchParams(form);
    const url = `${origin}/openservice/shorturl/v1/?Action=${action}`;
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
    const answer = (await response.json()) as ShortUrlAnswer['body'];
    return { status: response.status, headers: response.headers, body: answer };
  };
  return {
    origin,
    store,
    clock,
    blocked,
    errors,
    redirects,
    send,
    async shorten(longUrl, jid = '', token = 'ann') {
      const { status, body } = await send('shorten', { long_url: longUrl, jid }, { Authorization: `Token ${token}` });
      t.deepEqual([status, body.code, body.msg], [200, 0, null], body.msg ?? '');
      return body.data!['shorten']!;
    },
    get: (path, options = {}) => fetch(origin + path, { redirect: 'manual', ...options }),
  };
}

const identify: IdentifyCaller = async (ctx, ways) => {
  const header = /^Token (.+)$/.exec(ctx.get('Authorization'))?.[1];
  const token =
    (ways.includes('session-header') ? header : undefined) ??
    (ways.includes('session-cookie') ? ctx.cookies.get('sessionId') : undefined);
  const user = token === undefined ? undefined : USERS.get(token);
  if (header === undefined && token !== undefined) checkOrigin(ctx, new Set());
  if (token !== undefined && !user) throw new ServiceError('bad-token', 'The token is not valid');
  return { source: ctx.ip, user, permission: user && 'write' };
};
