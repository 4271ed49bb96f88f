import test, { type ExecutionContext } from 'ava';
import { PASSWORD } from '../../helpers/create-console.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';

const LIST = '/api/user/short-urls';

/** A server with two users, the keys of the first one, and three short URLs of theirs: `one`, `two`, `three`. */
async function createSetup(t: ExecutionContext, now?: () => Date) {
  const server = await createServer(t, '', undefined, now);
  const { operations } = server;
  const { uid } = await operations.createUser({ account: 'reader', password: PASSWORD });
  const other = await operations.createUser({ account: 'other', password: PASSWORD });
  const { key: write } = await operations.createKey({ uid, permission: 'write' });
  const { key: read } = await operations.createKey({ uid, permission: 'read' });
  const { key: foreign } = await operations.createKey({ uid: other.uid, permission: 'write' });
  for (const jid of ['one', 'two', 'three']) {
    const form = { long_url: `https://example.org/${jid}`, jid };
    t.is((await send(server, '/openservice/shorturl/v1/?Action=shorten', form, write)).status, 200);
  }
  return { server, operations, uid, write, read, foreign };
}

async function send(server: TestServer, path: string, form: Record<string, string> | undefined, key?: string) {
  const headers = { ...(key !== undefined && { Authorization: `Token ${key}` }) };
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = form
    ? await server.post(path, new URLSearchParams(form).toString(), { ...headers, ...type })
    : await server.get(path, headers);
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it must be
  return { status: answer.status, body: (await answer.json()) as any };
}

test('own short URLs are listed in pages, with their state and how often they were followed', async (t) => {
  const { server, operations, read, foreign } = await createSetup(t);
  await operations.disableShortUrl({ code: 'two' });
  for (const _ of [1, 2]) await server.get('/t/one');
  const codesOf = (body: { data: { shortUrls: { code: string }[] } }) => body.data.shortUrls.map(({ code }) => code);
  const { body: first } = await send(server, `${LIST}?limit=2`, undefined, read);
  t.deepEqual([codesOf(first), first.data.count, first.data.next], [['three', 'two'], 3, 'two']);
  t.is(first.data.shortUrls[1].state, 'disabled');
  const { body: second } = await send(server, `${LIST}?limit=2&before=${first.data.next}`, undefined, read);
  const { createdAt, ...one } = second.data.shortUrls[0];
  t.deepEqual(one, {
    code: 'one',
    shortUrl: `${server.origin}/t/one`,
    longUrl: 'https://example.org/one',
    isCustom: true,
    state: 'active',
    redirects: 2,
    expiresAt: null,
  });
  t.true(createdAt.endsWith('Z'));
  t.is(second.data.next, null);
  t.deepEqual((await send(server, LIST, undefined, foreign)).body.data, { shortUrls: [], count: 0, next: null });
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=1.5']) {
    t.is((await send(server, `${LIST}?${query}`, undefined, read)).status, 400, query);
  }
  for (const key of [read, foreign]) {
    const before = key === read ? 'none' : 'two';
    t.is((await send(server, `${LIST}?before=${before}`, undefined, key)).status, 404);
  }
});

test('own short URLs are disabled, enabled and get a time, with a key that may write', async (t) => {
  const { server, write, read, foreign } = await createSetup(t);
  const path = `${LIST}/one`;
  t.like(await send(server, path, { disabled: '1' }, write), {
    status: 200,
    body: { data: { state: 'disabled-by-owner' } },
  });
  t.is((await server.get('/t/one')).status, 410);
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const changed = await send(server, path, { disabled: '0', expires_at: `${day}T00:00:00Z` }, write);
  t.like(changed.body.data, { state: 'active', expiresAt: `${day}T00:00:00.000Z` });
  t.is((await server.get('/t/one')).status, 302);
  t.is((await send(server, path, { expires_at: '' }, write)).body.data.expiresAt, null);
  t.is((await send(server, path, undefined, read)).body.data.expiresAt, null);

  for (const [form, key, status] of [
    [{ disabled: '1' }, read, 403],
    [{ disabled: '1' }, foreign, 404],
    [{ disabled: '1' }, undefined, 401],
    [{ disabled: '1' }, 'dbk_wrong', 401],
    [{ disabled: 'yes' }, write, 400],
    [{ expires_at: '2020-01-01' }, write, 400],
    [{}, write, 400],
  ] as const) {
    t.is((await send(server, path, form, key)).status, status, JSON.stringify(form));
  }
  t.is((await send(server, `${LIST}/two`, undefined, foreign)).status, 404);
  t.is((await send(server, path, undefined)).status, 401);
  t.is((await server.get('/t/one')).status, 302);
});

test('own short URLs: what the operator has disabled only the operator enables', async (t) => {
  const { server, operations, write } = await createSetup(t);
  await send(server, `${LIST}/one`, { disabled: '1' }, write);
  await operations.disableShortUrl({ code: 'one' });
  const refused = await send(server, `${LIST}/one`, { disabled: '0' }, write);
  t.deepEqual([refused.status, refused.body.success], [400, false]);
  t.regex(refused.body.message, /only the operator can enable it again/);
  t.like(await operations.enableShortUrl({ code: 'one' }), { state: 'disabled-by-owner' });
  await t.throwsAsync(operations.enableShortUrl({ code: 'one' }), { message: /by its owner, who alone can enable it/ });
  t.is((await send(server, `${LIST}/one`, { disabled: '0' }, write)).body.data.state, 'active');
});

test('own short URLs: a page of another site changes nothing by the cookie of its reader', async (t) => {
  const { server } = await createSetup(t);
  const login = await server.post('/api/user/login', `account=reader&password=${PASSWORD}`, {
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  const [cookie = ''] = login.headers.getSetCookie()[0]!.split(';');
  const headers = { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' };
  const foreign = await server.post(`${LIST}/one`, 'disabled=1', { ...headers, Origin: 'https://evil.example' });
  t.is(foreign.status, 403);
  t.is((await server.get('/t/one')).status, 302);
  t.is((await server.post(`${LIST}/one`, 'disabled=1', { ...headers, Origin: server.origin })).status, 200);
  t.is((await server.get('/t/one')).status, 410);
});

test('own short URLs: sixty changes a minute, each of which is a write, and no more', async (t) => {
  const { server, write } = await createSetup(t, () => new Date('2026-05-04T12:00:00Z'));
  const change = (disabled: string) => send(server, `${LIST}/one`, { disabled }, write);
  for (let i = 0; i < 60; i++) t.is((await change(`${i % 2}`)).status, 200);
  t.like(await change('0'), { status: 429, body: { message: 'Too many changes; try again in 1 s' } });
  t.is((await server.get('/t/one')).status, 410);
  const url = { long_url: 'https://example.org/again' };
  const shorten = (expires_at: string) =>
    send(server, '/openservice/shorturl/v1/?Action=shorten', { ...url, expires_at }, write);
  for (const _ of [1, 2]) t.is((await shorten('2026-06-01')).body.code, 0, 'it is new, then the same');
  t.like(await shorten('2026-06-02'), { status: 429, body: { msg: 'Too many changes; try again in 1 s' } });
  t.is((await shorten('2026-06-01')).body.code, 0);
});

test('redirects that were counted are there after a restart', async (t) => {
  const { server } = await createSetup(t);
  for (const _ of [1, 2, 3]) await server.get('/t/one');
  await server.close();
  const again = await createServer(t, '', server.folder);
  t.is((await again.operations.findShortUrl({ code: 'ONE' })).redirects, 3);
});
