import test, { type ExecutionContext } from 'ava';
import { cronFailures } from '../../../api/cron/cron-routes.ts';
import { refuseBlocked } from '../../../api/http/blocked-callers.ts';
import { ApiError, handleErrors } from '../../../api/http/errors.ts';
import { inclusionFailures } from '../../../api/inclusion/inclusion-routes.ts';
import { shortUrlFailures } from '../../../api/short-urls/short-url-routes.ts';
import { createMemoryStore } from '../../../data/memory/create-memory-store.ts';
import { createBlocks } from '../../../platform/blocks/blocks.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

/** A server that refuses calls of `?refused` in two ways; who calls stands in a header. */
async function createSetup(t: ExecutionContext) {
  const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
  const now = () => new Date(clock.ms);
  const blocks = createBlocks({ store: createMemoryStore().blocks, now });
  const sourceOf = (ctx: { get(name: string): string }) => ctx.get('X-Source') || '203.0.113.7';
  const refuse = refuseBlocked({ blocks, sourceOf, now, onError: (error) => t.fail(String(error)) });
  const shapes = [inclusionFailures, cronFailures, shortUrlFailures];
  const errors = handleErrors((error) => t.fail(String(error)), shapes);
  let answered = 0;
  const url = await serveRoutes(t, async (ctx) => {
    await errors(ctx, () =>
      refuse(ctx, async () => {
        answered++;
        if (ctx.querystring === 'thrown') throw new ApiError(429, 'quota', 'Too many');
        ctx.body = {};
        if (ctx.querystring === 'answered') ctx.status = 429;
      }),
    );
  });
  const get = async (path: string, source = '203.0.113.7') => {
    const answer = await fetch(url + path, { headers: { 'X-Source': source } });
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
