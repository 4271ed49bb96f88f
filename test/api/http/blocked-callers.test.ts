import test, { type ExecutionContext } from 'ava';
import type { Context } from 'koa';
import { cronFailures } from '../../../api/cron/cron-routes.ts';
import { refuseBlocked } from '../../../api/http/blocked-callers.ts';
import type { Caller } from '../../../api/http/callers.ts';
import { handleErrors } from '../../../api/http/errors.ts';
import { inclusionFailures } from '../../../api/inclusion/inclusion-routes.ts';
import { shortUrlFailures } from '../../../api/short-urls/short-url-routes.ts';
import { createBlocks } from '../../../platform/blocks/blocks.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createUser } from '../../helpers/create-records.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

/** Knows one key. */
async function identify(ctx: Context): Promise<Caller> {
  const anonymous = { source: '', user: undefined, permission: undefined } as const;
  const given = ctx.get('Authorization');
  if (given === '') return anonymous;
  if (given !== 'Token good') throw new ServiceError('bad-token', 'Wrong');
  return { source: '', user: createUser(), permission: 'read' };
}

/** A server that refuses calls of `?refused` in two ways; who calls stands in a header. */
async function createSetup(t: ExecutionContext) {
  const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
  const now = () => new Date(clock.ms);
  const blocks = createBlocks({ store: createMemoryStore().blocks, now });
  const sourceOf = (ctx: { get(name: string): string }) => ctx.get('X-Source') || '203.0.113.7';
  const callers = { sourceOf, identify };
  const isKnownLogin = async () => false;
  const refuse = refuseBlocked({ blocks, callers, isKnownLogin, now, onError: (error) => t.fail(String(error)) });
  const shapes = [inclusionFailures, cronFailures, shortUrlFailures];
  const errors = handleErrors((error) => t.fail(String(error)), shapes);
  let answered = 0;
  const url = await serveRoutes(t, async (ctx) => {
    await errors(ctx, () =>
      refuse(ctx, async () => {
        answered++;
        if (ctx.querystring === 'thrown') throw new ServiceError('limited', 'Too many');
        if (ctx.querystring === 'at-once') throw new ServiceError('too-many-waiting', 'Too many at once');
        ctx.body = {};
        if (ctx.querystring === 'answered') ctx.status = 429;
      }),
    );
  });
  const get = async (path: string, source = '203.0.113.7', headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { headers: { 'X-Source': source, ...headers } });
    return { status: answer.status, retryAfter: answer.headers.get('Retry-After'), body: await answer.json() };
  };
  return { blocks, clock, get, answered: () => answered };
}

test('refuse-blocked() answers 429 with Retry-After until a block ends, and works no further', async (t) => {
  const { blocks, clock, get, answered } = await createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.0/24', until: '2026-05-04T12:00:10.500Z', reason: 'Load' });
  t.deepEqual(await get('/openservice/crontab'), {
    status: 429,
    retryAfter: '11',
    body: { success: false, message: 'This address is blocked for another 11 s: Load', data: [] },
  });
  await blocks.add({ kind: 'source', target: '203.0.113.0/24', until: '2026-05-04T12:00:10.500Z' });
  t.like(
    await get('/t/abc'),
    { body: { message: 'This address is blocked for another 11 s' } },
    'no reason is made up',
  );
  t.is(answered(), 0);
  t.is((await get('/openservice/crontab', '203.0.114.1')).status, 200);
  clock.ms += 10_500;
  t.is((await get('/openservice/crontab')).status, 200);
});

test('refuse-blocked() answers 403 where a block has no end, each feature in its own shape', async (t) => {
  const { blocks, get } = await createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.7' });
  const message = 'This address is blocked';
  const usual = { success: false, message };
  const cases: readonly (readonly [path: string, body: object])[] = [
    ['/openservice/ip/rest', usual],
    ['/openservice/shorturl/v1/?Action=reduction', { code: 403, msg: message }],
    ['/api/AlphaIncludedQuery/?url=x', { ...usual, Included: false, deduct: false, url: '', msg: message }],
    ['/api/BetaIncludedQuery?url=x', { ...usual, Included: false, deduct: false, url: '', msg: message }],
    ['/t/abc', usual],
    ['/api/user/login', usual],
  ];
  for (const [path, body] of cases) t.deepEqual(await get(path), { status: 403, retryAfter: null, body }, path);
});

test('refuse-blocked() lets everything through that is no part of the utility API', async (t) => {
  const { blocks, get } = await createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.7' });
  for (const path of ['/', '/docs/guide/', '/docbuild/desc/guide', '/tea', '/apis', '/control/', '/openservices']) {
    t.is((await get(path)).status, 200, path);
  }
});

test('refuse-blocked() lets valid keys through, and no others', async (t) => {
  const { blocks, get } = await createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.7' });
  const call = (key: string) => get('/api/AlphaIncludedQuery?url=x', '203.0.113.7', { Authorization: `Token ${key}` });
  t.is((await call('good')).status, 200);
  t.is((await call('bad')).status, 403);
});

test('refuse-blocked() lets browsers follow short URLs, and nothing else', async (t) => {
  const { blocks, get } = await createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.7' });
  const asBrowser = { Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
  t.is((await get('/t/abc', '203.0.113.7', asBrowser)).status, 200);
  t.is((await get('/t/abc')).status, 403);
  t.is((await get('/openservice/crontab', '203.0.113.7', asBrowser)).status, 403);
  const asPicture = { Accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' };
  t.is((await get('/t/abc.svg', '203.0.113.7', asPicture)).status, 200);
  t.is((await get('/t/abc', '203.0.113.7', asPicture)).status, 403);
});

test('refuse-blocked() blocks nobody for too much at once, which may be due to a slow engine', async (t) => {
  const { get } = await createSetup(t);
  for (let i = 0; i < 150; i++) t.is((await get('/api/AlphaIncludedQuery?at-once')).status, 429);
  t.is((await get('/openservice/crontab')).status, 200);
});

test('refuse-blocked() blocks a source that is refused a hundred times, however it is refused', async (t) => {
  const { blocks, clock, get, answered } = await createSetup(t);
  for (let i = 0; i < 50; i++) t.is((await get('/api/AlphaIncludedQuery?thrown')).status, 429);
  for (let i = 0; i < 49; i++) t.is((await get('/openservice/crontab?answered')).status, 429);
  t.is((await get('/openservice/crontab')).status, 200);
  await get('/openservice/crontab?answered');
  t.is(answered(), 101);
  const blocked = await get('/openservice/crontab');
  t.deepEqual([blocked.status, blocked.retryAfter, answered()], [429, '600', 101]);
  t.is((await get('/openservice/crontab', '203.0.113.8')).status, 200);
  await blocks.remove({ kind: 'source', target: '203.0.113.7' });
  t.is((await get('/openservice/crontab')).status, 200);
  clock.ms += 600_000;
});

test('a block stops neither keys nor sessions, nor what the operator allows', async (t) => {
  const server = await createServer(t);
  const path = '/openservice/crontab?expression=@daily';
  const { uid } = await server.operations.createUser({ account: 'customer', password: 'a long password' });
  const { key } = await server.operations.createKey({ uid, permission: 'read' });
  const login = await server.post(
    '/api/user/login',
    JSON.stringify({ account: 'customer', password: 'a long password' }),
    {
      'Content-Type': 'application/json',
    },
  );
  const cookie = login.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  t.regex(cookie, /^sessionId=./);
  await server.operations.addBlock({ kind: 'source', target: '127.0.0.0/8' });
  t.is((await server.get(path)).status, 403);
  t.is((await server.get(path, { Authorization: `Token ${key}` })).status, 200);
  t.is((await server.get(`${path}&token=${Buffer.from(key).toString('base64url')}`)).status, 200);
  t.is((await server.get(path, { Cookie: cookie })).status, 200);
  const { key: writeKey } = await server.operations.createKey({ uid, permission: 'write' });
  const shorten = (token: string) =>
    server.post(
      '/openservice/shorturl/v1/?Action=shorten',
      new URLSearchParams({ long_url: 'https://example.org/', token }).toString(),
      {
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    );
  t.is((await shorten(writeKey)).status, 200);
  t.is((await shorten('wrong')).status, 403);
  // Neighbours at one address cannot keep out those who have logged in from there.
  const cookies = login.headers.getSetCookie().map((text) => text.split(';')[0]!);
  const device = cookies.find((text) => text.startsWith('knownDevice='))!;
  const logIn = (account: string, headers: Record<string, string>) =>
    server.post('/api/user/login', JSON.stringify({ account, password: 'a long password' }), {
      'Content-Type': 'application/json',
      ...headers,
    });
  t.is((await logIn('customer', { Cookie: device })).status, 200);
  t.is((await logIn('somebody', { Cookie: device })).status, 403);
  t.is((await logIn('customer', {})).status, 403);
  t.is((await server.get(path, { Cookie: `${cookie}x` })).status, 403);
  const page = await server.get('/t/none', { Accept: 'text/html' });
  t.deepEqual([page.status, page.headers.get('Content-Type')], [404, 'text/html; charset=utf-8']);
  const allowing = await createServer(t, 'api: {port: 0, never_blocked: ["127.0.0.1"]}\n');
  await allowing.operations.addBlock({ kind: 'source', target: '127.0.0.0/8' });
  t.is((await allowing.get(path)).status, 200);
});

test('a source that is blocked through the operations is refused by the server', async (t) => {
  const server = await createServer(t);
  t.is((await server.get('/openservice/none')).status, 404);
  await server.operations.addBlock({ kind: 'source', target: '127.0.0.1', reason: 'Test' });
  const answer = await server.get('/openservice/none', { Origin: 'https://a.example' });
  t.deepEqual(
    [answer.status, await answer.json()],
    [403, { success: false, message: 'This address is blocked: Test' }],
  );
  // Pages of other origins get to read why.
  t.is(answer.headers.get('Access-Control-Allow-Origin'), '*');
  t.is((await server.get('/healthz')).status, 200);
  t.is((await server.operations.listBlocks({})).length, 1);
  await server.operations.removeBlock({ kind: 'source', target: '127.0.0.1' });
  t.is((await server.get('/openservice/none')).status, 404);
});
