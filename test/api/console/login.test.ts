import test from 'ava';
import { standStill } from '../../helpers/create-clock.ts';
import { createClient, createConsole, PASSWORD } from '../../helpers/create-console.ts';
import { createServer } from '../../helpers/create-server.ts';

test('login: leads to the page that was asked for, and the cookie is out of reach of scripts', async (t) => {
  const { server } = await createConsole(t);
  const client = createClient(server);
  const asked = await client.get('/control/short-urls?before=x');
  t.deepEqual([asked.status, asked.location], [303, '/control/login?next=%2Fcontrol%2Fshort-urls%3Fbefore%3Dx']);
  const page = await client.get(asked.location!);
  const next = /name="next" value="([^"]*)"/.exec(page.html)![1]!;
  const answer = await client.post('/control/login', { account: 'Reader', password: PASSWORD, next });
  t.deepEqual([answer.status, answer.location], [303, '/control/short-urls?before=x']);
  t.regex(
    answer.headers.getSetCookie().join(),
    /sessionId=dbs_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax/,
  );
  t.regex((await client.get('/control/')).html, /<h1>My information<\/h1>/);
  t.is((await client.get('/control/login')).location, '/control/');
});

test('login: wrong passwords are counted with those of the API, and nothing but the account is shown again', async (t) => {
  const { server } = await createConsole(t, '', standStill());
  const client = createClient(server);
  const wrong = await client.logIn('reader', 'wrong <password>');
  t.is(wrong.status, 401);
  t.regex(wrong.html, /role="alert"[^>]*>Account or password is wrong</);
  t.regex(wrong.html, /name="account" value="reader"/);
  t.notRegex(wrong.html, /wrong &lt;password|wrong <password/);
  for (let i = 0; i < 9; i++) {
    const body = new URLSearchParams({ account: 'reader', password: 'x' });
    await fetch(`${server.origin}/api/user/login`, { method: 'POST', body });
  }
  const slowed = await client.logIn('reader');
  t.is(slowed.status, 429);
  t.regex(slowed.headers.get('retry-after')!, /^\d+$/);
  t.false(client.cookies.has('sessionId'));
});

test('login: next leads nowhere but into the console', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const client = await logIn(user);
  const form = { account: 'reader', password: PASSWORD, next: '//evil.example' };
  const fresh = createClient(server);
  await fresh.get('/control/login');
  t.is((await fresh.post('/control/login', form)).location, '/control/');
  for (const next of [
    'https://evil.example/',
    '//evil.example/control/',
    '/control/../../evil',
    '/control/..//evil.example',
    '/control\\..\\evil',
    '/control/\\evil.example/../..',
    '/control/%2e%2e/docs/x',
    '/controls/',
    '/control/\r\nX: y',
    'javascript:alert(1)',
    '/control/logout',
    `/control/${'x'.repeat(3000)}`,
  ]) {
    const { status, location } = await client.get(`/control/login?next=${encodeURIComponent(next)}`);
    t.is(status, 303);
    const url = new URL(location!, server.origin);
    t.is(url.origin, server.origin, next);
    t.true(url.pathname.startsWith('/control/') && !/logout/.test(url.pathname), `${next} ${location}`);
  }
});

test('login: a form of another site, without token, or with that of another browser is refused', async (t) => {
  const { server } = await createConsole(t);
  const fields = { account: 'reader', password: PASSWORD };
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ] as Record<string, string>[]) {
    const client = createClient(server);
    await client.get('/control/login');
    const answer = await client.post('/control/login', fields, headers);
    t.is(answer.status, 403);
    t.false(client.cookies.has('sessionId'));
  }
  const other = createClient(server);
  await other.get('/control/login');
  const client = createClient(server);
  const foreign = /name="form" value="([^"]+)"/.exec((await other.get('/control/login')).html)![1]!;
  await client.get('/control/login');
  for (const form of [foreign, '', 'x']) {
    const answer = await client.post('/control/login', { ...fields, form });
    t.is(answer.status, 403);
    t.regex(answer.html, /has expired/);
  }
  client.cookies.clear();
  t.is((await client.post('/control/login', fields)).status, 403);
  t.is((await client.submit('/control/login', fields)).status, 200, 'the page that refused has a good form');
});

test('logout: the session ends here, or everywhere', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const [one, two, three] = [await logIn(user), await logIn(user), await logIn(user)];
  const token = one.cookies.get('sessionId')!;
  await one.get('/control/');
  t.regex((await one.submit('/control/logout')).html, /Logged out/);
  t.false(one.cookies.has('sessionId'));
  one.cookies.set('sessionId', token);
  t.is((await one.get('/control/')).status, 303);
  await two.get('/control/');
  await two.post('/control/logout', { all: '1' });
  t.is((await three.get('/control/')).status, 303);
  t.is((await createClient(server).post('/control/logout')).location, '/control/login?flash=logged-out');
});

test('logout: everywhere, and keys are disabled if that is wanted', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const other = await server.operations.createUser({ account: 'other', password: PASSWORD });
  for (const { uid } of [user, user, other]) await server.operations.createKey({ uid, permission: 'read' });
  const client = await logIn(user);
  const countActive = async () => (await client.get('/control/keys')).html.match(/>active</g)?.length ?? 0;
  await client.submit('/control/logout', { all: '1' });
  await client.logIn('reader');
  t.is(await countActive(), 2);
  t.regex((await client.submit('/control/logout', { all: '1', keys: '1' })).html, /Logged out/);
  await client.logIn('reader');
  t.is(await countActive(), 0);
  await client.post('/control/logout');
  await client.logIn('other');
  t.is(await countActive(), 1);
});

test('login: says how the first account is made while there is none', async (t) => {
  const server = await createServer(t);
  const client = createClient(server);
  t.regex((await client.get('/control/login')).html, /docbuild user create NAME --operator/);
  await server.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
  t.notRegex((await client.get('/control/login')).html, /docbuild user create/);
});

test('registration: exists where it is on', async (t) => {
  const off = await createConsole(t);
  const client = createClient(off.server);
  t.is((await client.get('/control/register')).status, 404);
  t.notRegex((await client.get('/control/login')).html, /register/);
  t.is((await client.post('/control/register', { account: 'new', password: PASSWORD })).status, 404);
});

test('registration: makes an account and logs in', async (t) => {
  const { server } = await createConsole(t, 'auth: {registration: true}\n');
  const client = createClient(server);
  t.regex((await client.get('/control/login')).html, /href="\/control\/register"/);
  await client.get('/control/register');
  const bad = await client.post('/control/register', { account: '<b>"x', password: PASSWORD });
  t.is(bad.status, 400);
  t.regex(bad.html, /value="&lt;b&gt;&quot;x"/);
  t.is((await client.post('/control/register', { account: 'admin', password: PASSWORD })).status, 400);
  t.is((await client.post('/control/register', { account: 'reader', password: PASSWORD })).status, 409);
  t.is((await client.post('/control/register', { account: 'new', password: PASSWORD, form: 'x' })).status, 403);
  const foreign = { Origin: 'https://evil.example' };
  t.is((await client.post('/control/register', { account: 'new', password: PASSWORD }, foreign)).status, 403);
  t.regex((await client.submit('/control/register', { account: 'new', password: PASSWORD })).html, /Account created/);
  t.regex((await client.get('/control/')).html, /<dd>new<\/dd>/);
  t.is((await client.get('/control/users')).status, 404);
});
