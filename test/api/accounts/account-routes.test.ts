import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { standStill } from '../../helpers/create-clock.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';

const PASSWORD = 'correct horse battery';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Answer {
  readonly success: boolean;
  readonly message: string;
  readonly data?: { readonly uid: string; readonly account: string };
  readonly token?: string;
}

async function createWithUser(t: ExecutionContext, yaml = '', now?: () => Date) {
  const server = await createServer(t, yaml, undefined, now);
  const user = await server.operations.createUser({ account: 'reader', password: PASSWORD });
  return { server, user };
}

/** Posts a form, headers on top. */
async function post(
  server: TestServer,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const answer = await server.post(path, new URLSearchParams(fields).toString(), { ...FORM, ...headers });
  return {
    answer,
    status: answer.status,
    cookie: answer.headers.get('set-cookie'),
    body: (await answer.json()) as Answer,
  };
}

/** Returns how many sessions are kept. */
function countSessions({ folder }: TestServer): number {
  return JSON.parse(readFileSync(join(folder, 'base/store/sessions.json'), 'utf8')).records.length;
}

const logIn = (server: TestServer, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  post(server, '/api/user/login', { account: 'reader', password: PASSWORD, ...fields }, headers);

test('login: a form gives the account, the cookie, and the token when it is asked for', async (t) => {
  const { server, user } = await createWithUser(t, 'auth: {token_days: 7}\n');
  const plain = await logIn(server);
  t.deepEqual(
    [plain.status, plain.body],
    [200, { success: true, message: '', data: { uid: user.uid, account: 'reader' } }],
  );
  t.regex(plain.cookie!, /^sessionId=dbs_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax, /);
  t.regex(plain.cookie!, /, knownDevice=[\w-]{22}\.[\w-]{22}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  t.is(plain.answer.headers.get('cache-control'), 'no-store');
  const { body, cookie } = await logIn(server, { fields: 'token' });
  t.regex(body.token!, /^dbs_[\w-]{43}$/);
  t.true(cookie!.startsWith(`sessionId=${body.token};`));
  t.deepEqual(Object.keys(body), ['success', 'message', 'data', 'token']);
});

test('login: JSON and multipart forms are taken, too', async (t) => {
  const { server } = await createWithUser(t);
  const fields = { account: 'READER', password: PASSWORD, fields: 'token' };
  const json = await server.post('/api/user/login', JSON.stringify(fields), JSON_TYPE);
  t.regex(((await json.json()) as Answer).token!, /^dbs_/);
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  const multipart = await fetch(`${server.origin}/api/user/login`, { method: 'POST', body: data });
  t.regex(((await multipart.json()) as Answer).token!, /^dbs_/);
});

test('login: what cannot be read is refused', async (t) => {
  const { server } = await createWithUser(t);
  const cases: readonly (readonly [body: string, type: string, status: number])[] = [
    ['', FORM['Content-Type'], 400],
    ['account=reader', FORM['Content-Type'], 400],
    ['account=&password=x', FORM['Content-Type'], 400],
    [`account=reader&account=x&password=${PASSWORD}`, FORM['Content-Type'], 400],
    ['{"account":', JSON_TYPE['Content-Type'], 400],
    ['[]', JSON_TYPE['Content-Type'], 400],
    ['null', JSON_TYPE['Content-Type'], 400],
    ['{"account":"reader","password":12345678}', JSON_TYPE['Content-Type'], 400],
    ['{"account":{"a":1},"password":"x"}', JSON_TYPE['Content-Type'], 400],
    ['{"__proto__":"reader","constructor":"x"}', JSON_TYPE['Content-Type'], 400],
    [`account=reader&password=${PASSWORD}`, 'text/plain', 415],
    ['nonsense', 'multipart/form-data; boundary=x', 400],
    [`account=${'x'.repeat(70_000)}&password=x`, FORM['Content-Type'], 413],
    [Array.from({ length: 101 }, (_, i) => `f${i}=`).join('&'), FORM['Content-Type'], 400],
  ];
  for (const [body, type, status] of cases) {
    const answer = await server.post('/api/user/login', body, { 'Content-Type': type });
    t.is(answer.status, status, body.slice(0, 60));
    const { success, message } = (await answer.json()) as Answer;
    t.false(success);
    t.notRegex(message, /correct horse|12345678/);
  }
  t.is((await server.get('/api/user/login')).status, 405);
});

test('login: a wrong password and an account that does not exist are answered alike', async (t) => {
  const { server } = await createWithUser(t);
  const [wrong, unknown] = [
    await logIn(server, { password: 'something else' }),
    await logIn(server, { account: 'nobody' }),
  ];
  t.deepEqual(
    [wrong.status, wrong.body, wrong.cookie],
    [401, { success: false, message: 'Account or password is wrong' }, null],
  );
  t.deepEqual([unknown.status, unknown.body, unknown.cookie], [wrong.status, wrong.body, wrong.cookie]);
});

test('login: too many attempts are answered with 429 and how long to wait', async (t) => {
  const { server } = await createWithUser(t, '', standStill());
  const asked = Array.from({ length: 40 }, () => logIn(server, { password: 'something else' }));
  const answers = await Promise.all(asked);
  t.is(answers.filter(({ status }) => status === 401).length, 10);
  t.is(answers.filter(({ status }) => status === 429).length, 30);
  const refused = answers.find(({ status }) => status === 429)!;
  t.regex(refused.answer.headers.get('retry-after')!, /^[1-9]\d*$/);
  t.regex(refused.body.message, /^Too many attempts; try again in \d+ s$/);
  t.false(refused.body.success);
});

test('login: pages of other sites may neither ask nor read', async (t) => {
  const { server } = await createWithUser(t);
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ] as Record<string, string>[]) {
    for (const path of ['login', 'logout']) {
      const { status, cookie, answer } = await post(
        server,
        `/api/user/${path}`,
        { account: 'reader', password: PASSWORD },
        headers,
      );
      t.deepEqual([status, cookie, answer.headers.get('access-control-allow-origin')], [403, null, null]);
    }
  }
  for (const path of [
    '/api/user/login',
    '/api/user/login/',
    '/API/user/Login',
    '/api/user/logout',
    '/api/user/register',
  ]) {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await fetch(server.origin + path, { method: 'OPTIONS', headers });
    t.is(preflight.headers.get('access-control-allow-origin'), null, path);
  }
  t.is((await logIn(server, {}, { Origin: server.origin, 'Sec-Fetch-Site': 'same-origin' })).status, 200);
});

test('login: the cookie is Secure behind TLS', async (t) => {
  const { server } = await createWithUser(t, 'api: {port: 0, trusted_proxies: 1}\n');
  t.regex((await logIn(server, {}, { 'X-Forwarded-Proto': 'https' })).cookie!, /; Secure, .*; Secure$/);
  t.notRegex((await logIn(server, {}, { 'X-Forwarded-Proto': 'http' })).cookie!, /Secure/);
  const plain = await createWithUser(t);
  t.notRegex((await logIn(plain.server, {}, { 'X-Forwarded-Proto': 'https' })).cookie!, /Secure/);
});

test('login: a disabled account is told so once its password is right', async (t) => {
  const { server, user } = await createWithUser(t);
  await server.operations.disableUser({ uid: user.uid, isDisabled: true });
  t.is((await logIn(server)).status, 403);
  t.is((await logIn(server, { password: 'something else' })).status, 401);
});

test('logout: the token ends, the cookie goes, and asking again is no failure', async (t) => {
  const { server } = await createWithUser(t);
  const tokens = await Promise.all([1, 2, 3].map(async () => (await logIn(server, { fields: 'token' })).body.token!));
  const [first, second] = tokens as [string, string, string];
  const out = await post(server, '/api/user/logout', {}, { Cookie: `sessionId=${first}` });
  t.deepEqual([out.status, out.body], [200, { success: true, message: '' }]);
  t.regex(out.cookie!, /^sessionId=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  t.is((await post(server, '/api/user/logout', {}, { Cookie: `sessionId=${first}` })).status, 200);
  // A token that is over ends no others.
  await post(server, '/api/user/logout', { all: '1' }, { Cookie: `sessionId=${first}` });
  t.is(countSessions(server), 2);
  await post(server, '/api/user/logout', { all: '1' }, { Authorization: `Token ${second}` });
  t.is(countSessions(server), 0);
});

test('register: it is off unless the operator turns it on', async (t) => {
  const server = await createServer(t);
  const { status, body } = await post(server, '/api/user/register', { account: 'newcomer', password: PASSWORD });
  t.deepEqual([status, body.success], [403, false]);
  t.deepEqual(await server.operations.listUsers({}), []);
});

test('register: an account is created, is no operator, and is logged in', async (t) => {
  const server = await createServer(t, 'auth: {registration: true}\n');
  const fields = { account: 'Newcomer', password: PASSWORD, isOperator: 'true', operator: '1' };
  const { status, body, cookie } = await post(server, '/api/user/register', { ...fields, fields: 'token' });
  t.deepEqual([status, body.success, body.data?.account], [201, true, 'newcomer']);
  t.regex(cookie ?? '', /^sessionId=dbs_/);
  t.is((await server.post('/api/user/logout', undefined, { Authorization: `Token ${body.token}` })).status, 200);
  t.is((await logIn(server, { account: 'newcomer' })).body.data?.uid, body.data?.uid);
  t.deepEqual(
    (await server.operations.listUsers({})).map(({ isOperator }) => isOperator),
    [false],
  );
  const again = await post(server, '/api/user/register', { account: 'newcomer', password: PASSWORD });
  t.is(again.status, 409);
  for (const wrong of [{ account: 'admin' }, { account: 'x' }, { password: 'short' }]) {
    t.is((await post(server, '/api/user/register', { ...fields, account: 'second', ...wrong })).status, 400);
  }
  t.is((await post(server, '/api/user/register', fields, { Origin: 'https://evil.example' })).status, 403);
});

test('register: a source that asks for many is slowed down', async (t) => {
  const server = await createServer(t, 'auth: {registration: true}\n', undefined, standStill());
  const asked = Array.from({ length: 8 }, (_, i) =>
    post(server, '/api/user/register', { account: `new${i}`, password: PASSWORD }),
  );
  const answers = await Promise.all(asked);
  t.is(answers.filter(({ status }) => status === 201).length, 5);
  const refused = answers.find(({ status }) => status === 429)!;
  t.true(Number(refused.answer.headers.get('retry-after')) > 50);
});

test('accounts: passwords and tokens show in no log', async (t) => {
  const { server, user } = await createWithUser(t);
  const { body } = await logIn(server, { fields: 'token' });
  await logIn(server, { password: 'something else' });
  const { key } = await server.operations.createKey({ uid: user.uid, permission: 'read' });
  const base64 = Buffer.from(key).toString('base64url');
  await server.get(`/docbuild/desc/none?token=${base64}`, {
    Authorization: `Token ${key}`,
    Cookie: `sessionId=${body.token}`,
  });
  await post(server, `/api/user/logout?token=${base64}`, {}, { Cookie: `sessionId=${body.token}` });
  const logged = server.logged().join('');
  t.regex(logged, /\/api\/user\/login/);
  for (const secret of [PASSWORD, 'something else', key, base64, body.token!, 'token='])
    t.false(logged.includes(secret), secret);
});

test('accounts: they answer on their own host alone where one is set', async (t) => {
  const { server } = await createWithUser(t, 'api: {port: 0, trusted_proxies: 1, auth_url: "https://auth.example"}\n');
  t.is((await logIn(server)).status, 404);
  t.is((await logIn(server, {}, { 'X-Forwarded-Host': 'auth.example' })).status, 404);
  const headers = { ...FORM, Host: 'auth.example', Origin: 'https://auth.example' };
  const asked = request(`${server.origin}/api/user/login`, { method: 'POST', headers });
  asked.end(new URLSearchParams({ account: 'reader', password: PASSWORD }).toString());
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  t.is(answer.statusCode, 200);
  t.regex(answer.headers['set-cookie']![0]!, /; Secure$/);
});

test('accounts: the usual port in Host makes no other host', async (t) => {
  const { server } = await createWithUser(t, 'api: {port: 0, auth_url: "https://auth.example"}\n');
  const ask = async (host: string) => {
    const asked = request(`${server.origin}/api/user/login`, { method: 'POST', headers: { ...FORM, Host: host } });
    asked.end(new URLSearchParams({ account: 'reader', password: PASSWORD }).toString());
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  t.is(await ask('auth.example:443'), 200);
  t.is(await ask('AUTH.example.:443'), 200);
  t.is(await ask('other.example'), 404);
});

test('accounts: the document describes them', async (t) => {
  const server = await createServer(t);
  const { paths } = (await (await server.get('/openapi.json')).json()) as { paths: Record<string, { post?: object }> };
  for (const name of ['login', 'logout', 'register']) t.truthy(paths[`/api/user/${name}`]?.post);
});

test('a login and a key count for inclusion queries, and a cookie only from pages of this service', async (t) => {
  const { server, user } = await createWithUser(t);
  const { token } = (await logIn(server, { fields: 'token' })).body;
  const { key } = await server.operations.createKey({ uid: user.uid, permission: 'read' });
  const cookie = { Cookie: `sessionId=${token}` };
  const cases: readonly (readonly [Record<string, string>, number])[] = [
    [{}, 5],
    [{ Authorization: `Token ${key}` }, 20],
    [{ Authorization: `Token ${token}` }, 20],
    [{ Authorization: `Token ${token}`, Origin: 'https://page.example' }, 20],
    [cookie, 20],
    [{ ...cookie, 'Sec-Fetch-Site': 'same-origin' }, 20],
    [{ ...cookie, 'Sec-Fetch-Site': 'cross-site' }, 5],
    [{ ...cookie, 'Sec-Fetch-Site': 'same-site' }, 5],
    [{ ...cookie, Origin: 'https://page.example' }, 5],
  ];
  for (const [headers, limit] of cases) {
    const url = `${server.origin}/api/AlphaIncludedQuery?url=https%3A%2F%2Fexample.org`;
    const answer = await fetch(url, { method: 'HEAD', headers });
    t.deepEqual([answer.status, answer.headers.get('ratelimit-limit')], [200, `${limit}`], JSON.stringify(headers));
  }
  t.is((await server.get('/api/user/quota', { Authorization: 'Token dbs_nothing' })).status, 401);
});

test('short URLs are created with a key that may write, too, in every way to send one', async (t) => {
  const { server, user } = await createWithUser(t);
  const [write, read] = await Promise.all(
    (['write', 'read'] as const).map(
      async (permission) => (await server.operations.createKey({ uid: user.uid, permission })).key,
    ),
  );
  const shorten = async (key: string, way: 'header' | 'query' | 'form') => {
    const query = way === 'query' ? `&token=${Buffer.from(key).toString('base64url')}` : '';
    const fields = { long_url: `https://example.org/${way}`, ...(way === 'form' && { token: key }) };
    const headers = { ...(way === 'header' && { Authorization: `Token ${key}` }) };
    return (await post(server, `/openservice/shorturl/v1/?Action=shorten${query}`, fields, headers)).status;
  };
  for (const way of ['header', 'query', 'form'] as const) {
    t.deepEqual(
      [await shorten(write!, way), await shorten(read!, way), await shorten('dbk_x', way)],
      [200, 403, 401],
      way,
    );
  }
});

test('quota: says what is left of the day and of credits, and counts nothing', async (t) => {
  const { server, user } = await createWithUser(t, '', () => new Date('2026-03-01T10:00:00.400Z'));
  const ask = async (headers: Record<string, string> = {}) =>
    ((await (await server.get('/api/user/quota', headers)).json()) as { data: unknown }).data;
  const endsAt = '2026-03-02T00:00:00.000Z';
  const rest = { module: 'inclusion', credits: 0, monthly: null };
  t.deepEqual(await ask(), { ...rest, plan: 'anonymous', today: { limit: 5, used: 0, remaining: 5, endsAt } });
  const { key } = await server.operations.createKey({ uid: user.uid, permission: 'read' });
  const own = { Authorization: `Token ${key}` };
  const today = { limit: 20, used: 0, remaining: 20, endsAt };
  t.deepEqual(await ask(own), { ...rest, plan: 'free', today });
  await server.operations.grantPlan({ uid: user.uid, payment: { fen: 300 } });
  await server.operations.grantPlan({ uid: user.uid, payment: { monthly: 15, months: 1 } });
  t.deepEqual(await ask(own), {
    module: 'inclusion',
    plan: 'monthly',
    credits: 300,
    today: { limit: 100, used: 0, remaining: 100, endsAt },
    monthly: { tier: 1, perDay: 100, endsAt: '2026-03-31T10:00:00.400Z' },
  });
});
