import test from 'ava';
import { drawQrCode } from '../../../platform/short-urls/draw-qr-code.ts';
import { createConsole, mainOf, PASSWORD } from '../../helpers/create-console.ts';

const clock = '2026-05-04T12:00:00Z';
const EVIL = '"><img src=x onerror=alert(1)>';

test('pages of the console are for nobody else: no cache, no frames, no other origin, 404 as a page', async (t) => {
  const { user, logIn } = await createConsole(t);
  const client = await logIn(user);
  for (const path of ['/control/', '/control', '/control/keys', '/control/nothing', '/control/keys/x/y/z']) {
    const { status, headers } = await client.get(path, { Origin: 'https://evil.example' });
    t.is(status, /nothing|x/.test(path) ? 404 : 200, path);
    t.is(headers.get('cache-control'), 'no-store');
    t.regex(headers.get('content-type')!, /^text\/html/);
    t.regex(headers.get('content-security-policy')!, /default-src 'none'.*form-action 'self'; frame-ancestors 'none'/);
    t.is(headers.get('access-control-allow-origin'), null);
  }
  t.is((await client.get('/control/password')).status, 405);
});

test('every form is refused to other sites, and without the token of its session', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const [client, other] = [await logIn(operator), await logIn(user)];
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://git.example/a/b' } });
  const foreign = /name="form" value="([^"]+)"/.exec((await other.get('/control/keys')).html)![1]!;
  const key = await server.operations.createKey({ uid: operator.uid, permission: 'read' });
  const paths = [
    ['/control/logout', {}],
    ['/control/password', { password: PASSWORD, new: 'another password', again: 'another password' }],
    ['/control/keys', { permission: 'read' }],
    [`/control/keys/${key.info.id}/disable`, {}],
    [`/control/keys/${key.info.id}/delete`, {}],
    ['/control/short-urls', { long_url: 'https://example.org/' }],
    ['/control/short-urls/x/disable', {}],
    ['/control/all-short-urls/disable', { code: 'x' }],
    ['/control/all-short-urls/all?by=host&q=example.org', { sure: '1' }],
    ['/control/users', { account: 'new' }],
    [`/control/users/${user.uid}/disable`, {}],
    [`/control/users/${user.uid}/verify`, {}],
    [`/control/users/${user.uid}/password`, {}],
    [`/control/grants/${user.uid}`, { kind: 'credits', fen: '5' }],
    ['/control/blocks', { kind: 'host', target: 'evil.example' }],
    ['/control/projects/guide/build', {}],
    ['/control/projects/guide/replay', { id: 'x' }],
    ['/control/builds/x/cancel', {}],
  ] as const;
  for (const [path, fields] of paths) {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: server.origin, 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[]) {
      await client.get('/control/');
      t.is((await client.post(path, fields, headers)).status, 403, path);
    }
    for (const form of ['', foreign]) t.is((await client.post(path, { ...fields, form })).status, 403, path);
    const json = { 'Content-Type': 'application/json', Origin: server.origin };
    const cookie = { Cookie: `sessionId=${client.cookies.get('sessionId')}` };
    t.is((await server.post(path, '{}', { ...json, ...cookie })).status, 403, path);
  }
  const { operations } = server;
  t.is((await operations.listUsers({})).length, 2);
  t.deepEqual([...(await operations.listBlocks({})), ...(await operations.listShortUrls({}))], []);
  t.is((await operations.checkLedger({})).entries, 0);
  t.is((await client.get('/control/keys')).html.match(/class="title"/g)?.length, 1);
  t.is((await client.get('/control/')).status, 200);
});

test('without a login every page leads to it, and no form does anything', async (t) => {
  const { server } = await createConsole(t);
  for (const path of ['/control', '/control/keys', '/control/users', '/control/builds']) {
    const answer = await server.get(path, { Cookie: 'sessionId=dbs_wrong' });
    t.regex(answer.headers.get('location')!, /^\/control\/login\?next=/, path);
  }
  const posted = await server.post('/control/users', 'account=new', {
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  t.is(posted.headers.get('location'), '/control/login?next=%2Fcontrol%2Fusers');
  t.is((await server.operations.listUsers({})).length, 2);
});

test('a key of the API opens nothing, nor does a token in a header', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const client = await logIn(user);
  const token = client.cookies.get('sessionId')!;
  t.is((await server.get('/control/', { Authorization: `Token ${token}` })).status, 303);
  const { key } = await server.operations.createKey({ uid: user.uid, permission: 'write' });
  t.is((await server.get('/control/', { Cookie: `sessionId=${key}` })).status, 303);
});

test('my information: shows the plan and what was used', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  await server.operations.grantPlan({ uid: user.uid, payment: { monthly: 30, months: 1 } });
  await server.operations.grantPlan({ uid: user.uid, payment: { monthly: 15, months: 2 } });
  await server.operations.grantPlan({ uid: user.uid, payment: { fen: 77 } });
  const { html } = await (await logIn(user)).get('/control/');
  t.true(html.includes(`value="${user.uid}"`));
  t.regex(html, /Tier 2 \(30 a month, 1000 a day\)/);
  t.regex(html, /Then<\/dt><dd>Tier 1 \(15 a month, 100 a day\)/);
  t.regex(html, /0 of 1000 inclusion queries/);
  t.regex(html, /77 requests left/);
  t.regex(html, /<td class="number">\+77</);
  t.notRegex(html, /scrypt|passwordHash/);
});

test('my information: the password changes, other sessions end, this one goes on', async (t) => {
  const { user, logIn } = await createConsole(t);
  const [client, other] = [await logIn(user), await logIn(user)];
  await client.get('/control/');
  const change = (fields: Record<string, string>) =>
    client.post('/control/password', {
      password: PASSWORD,
      new: 'another password',
      again: 'another password',
      ...fields,
    });
  t.deepEqual([(await change({ password: 'wrong' })).status, (await change({ again: 'x' })).status], [401, 400]);
  t.is((await change({ new: 'short', again: 'short' })).status, 400);
  t.is((await other.get('/control/')).status, 200);
  const { status, location } = await change({});
  t.deepEqual([status, location], [303, '/control/?flash=password-changed']);
  t.regex((await client.get(location!)).html, /Password changed.*This is your only session/s);
  t.is((await other.get('/control/')).status, 303);
  t.is((await client.post('/control/password', { form: 'x' })).status, 403);
});

test('what a page says behind a form is one of its own sentences', async (t) => {
  const { user, logIn } = await createConsole(t);
  const client = await logIn(user);
  for (const said of ['constructor', '__proto__', encodeURIComponent(EVIL), 'You+have+won']) {
    t.notRegex(mainOf(await client.get(`/control/?flash=${said}`)), /role="status"|onerror|have won/, said);
  }
});

test('my short URLs: one has a page with its QR code, is disabled and enabled, and gets a last day', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t, 'timezone: Asia/Shanghai\n', () => new Date(clock));
  const client = await logIn(user);
  await client.get('/control/short-urls');
  const made = await client.submit('/control/short-urls', {
    long_url: 'https://example.org/?a=<b>',
    jid: 'Launch',
    expires_at: '2026-05-04',
  });
  t.regex(made.html, /Short URL created/);
  t.regex(made.html, /expires <time datetime="2026-05-04T16:00:00.000Z">2026-05-05 00:00 UTC\+8/);
  await server.get('/t/launch');
  const path = '/control/short-urls/launch';
  const page = await client.get(path);
  t.regex(page.html, /<h1>Launch<\/h1>/);
  t.regex(page.html, /Redirects<\/dt><dd>1</);
  t.regex(page.html, /name="expires_at" type="date" value="2026-05-04"/);
  const drawn = /<img src="data:image\/svg\+xml,([^"]+)"/.exec(page.html)![1]!;
  t.is(decodeURIComponent(drawn), drawQrCode(`${server.origin}/t/Launch`));
  t.notRegex(page.html, /<b>/);

  t.regex((await client.submit(`${path}/disable`)).html, /Short URL disabled.*disabled by its owner/s);
  t.is((await server.get('/t/launch')).status, 410);
  t.regex((await client.submit(`${path}/enable`)).html, /Short URL enabled.*active/s);
  t.is((await server.get('/t/launch')).status, 302);
  t.is((await client.post(`${path}/expiry`, { expires_at: '2020-01-01' })).status, 400);
  t.regex((await client.submit(`${path}/expiry`, { expires_at: '' })).html, /Expiry saved.*Expires<\/dt><dd>never/s);

  const stranger = await logIn(operator);
  await stranger.get('/control/short-urls');
  t.is((await stranger.get(path)).status, 404);
  t.is((await stranger.get('/control/short-urls?before=launch')).status, 404);
  for (const name of ['disable', 'enable', 'expiry']) t.is((await stranger.post(`${path}/${name}`)).status, 404, name);

  await server.operations.disableShortUrl({ code: 'launch' });
  const stopped = await client.get(path);
  t.regex(stopped.html, /disabled by the operator/);
  t.notRegex(stopped.html, /launch\/(?:en|dis)able/i);
  t.is((await client.post(`${path}/enable`)).status, 400);
});

test('keys: one is created, shown once, disabled, enabled and deleted', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const client = await logIn(user);
  await client.get('/control/keys');
  const created = await client.submit('/control/keys', { permission: 'write', state: 'disabled', name: 'CI <1>' });
  t.regex(created.html, /CI &lt;1&gt;/);
  t.regex(created.html, /never used/);
  const key = /class="secret" value="(dbk_[\w-]{43})"/.exec(created.html)![1]!;
  t.regex(created.html, /disabled.*Read and write/s);
  t.notRegex(
    created.html,
    /action="\/docbuild\/language"/,
    'a change of language would lead back to a page without the key',
  );
  const again = await client.get('/control/keys');
  t.regex(again.html, /action="\/docbuild\/language"/);
  t.false(again.html.includes(key));
  t.true(again.html.includes(key.slice(0, 12)));
  const id = /keys\/([0-9a-f]{16})\//.exec(again.html)![1]!;
  const isTaken = async (): Promise<boolean> =>
    (await server.get('/api/AlphaIncludedQuery?url=x', { Authorization: `Token ${key}` })).status !== 401;
  t.false(await isTaken());
  t.regex((await client.submit(`/control/keys/${id}/enable`)).html, /enabled/);
  t.true(await isTaken());
  t.regex((await client.submit(`/control/keys/${id}/disable`)).html, /Key disabled/);
  t.false(await isTaken());
  t.regex((await client.get(`/control/keys/${id}/delete`)).html, /Delete this key\?/);
  t.regex((await client.submit(`/control/keys/${id}/delete`)).html, /Key deleted/);
  t.is((await client.get(`/control/keys/${id}/delete`)).status, 404);
});

test('keys: five at most, one for a form that is sent twice, and none but read and write', async (t) => {
  const { user, logIn } = await createConsole(t);
  const client = await logIn(user);
  const { html } = await client.get('/control/keys');
  t.is((await client.post('/control/keys', { permission: 'all' })).status, 400);
  const once = /name="submission" value="([^"]+)"/.exec(html)![1]!;
  const twice = { permission: 'read', submission: once };
  await Promise.all([client.post('/control/keys', twice), client.post('/control/keys', twice)]);
  for (let i = 0; i < 4; i++) t.is((await client.post('/control/keys', { permission: 'read' })).status, 303);
  const sixth = await client.post('/control/keys', { permission: 'read' });
  t.is(sixth.status, 409);
  t.regex(sixth.html, /role="alert"[^>]*>A user can have 5 keys; delete one first/);
  t.regex(sixth.html, /You have reached the limit of 5 keys/);
  t.notRegex(sixth.html, /<form method="post" action="\/control\/keys" /);
});

test('keys: a user changes 60 a minute, since each change writes and is in the audit log', async (t) => {
  const now = new Date('2026-05-04T12:00:00Z');
  const { server, user, logIn } = await createConsole(t, '', () => now);
  const { info } = await server.operations.createKey({ uid: user.uid, permission: 'read' });
  const client = await logIn(user);
  await client.get('/control/keys');
  const answers: number[] = [];
  for (let i = 0; i < 61; i++) {
    answers.push((await client.post(`/control/keys/${info.id}/${i % 2 === 0 ? 'disable' : 'enable'}`)).status);
  }
  t.deepEqual([answers.indexOf(429), answers.length], [60, 61]);
  t.regex((await client.post('/control/keys', { permission: 'read' })).html, /Too many changes; try again in 1 s/);
});

test('keys of others do not exist', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const { info } = await server.operations.createKey({ uid: operator.uid, permission: 'read' });
  const client = await logIn(user);
  await client.get('/control/keys');
  t.is((await client.get(`/control/keys/${info.id}/delete`)).status, 404);
  for (const action of ['disable', 'enable', 'delete']) {
    t.is((await client.post(`/control/keys/${info.id}/${action}`)).status, 404, action);
  }
  t.true((await (await logIn(operator)).get('/control/keys')).html.includes(info.prefix));
});

test('a secret is shown to the session that made it alone, and not to HEAD', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const [client, other] = [await logIn(user), await logIn(user)];
  await client.get('/control/keys');
  await client.post('/control/keys', { permission: 'read' });
  t.notRegex((await other.get('/control/keys')).html, /class="secret"/);
  const Cookie = `sessionId=${client.cookies.get('sessionId')}`;
  t.is((await fetch(`${server.origin}/control/keys`, { method: 'HEAD', headers: { Cookie } })).status, 200);
  t.regex((await client.get('/control/keys')).html, /class="secret"/);
});

test('short URLs: are made, listed by pages, and wrong ones are told so', async (t) => {
  const { server, user, logIn } = await createConsole(t, 'utility: {short_url: {per_day: 30}}\n');
  const client = await logIn(user);
  await client.get('/control/short-urls');
  const long = `https://example.org/?a=${encodeURIComponent(EVIL)}&b='"<script>alert(1)</script>`;
  const made = await client.submit('/control/short-urls', { long_url: long, jid: 'my-page' });
  t.regex(made.html, new RegExp(`class="secret" value="${server.origin}/t/my-page"`));
  t.notRegex(made.html, /<script>|<img/);
  t.is((await server.get('/t/my-page')).status, 302);
  for (const [fields, status] of [
    [{ long_url: 'javascript:alert(1)' }, 400],
    [{ long_url: `${server.origin}/control/` }, 400],
    [{ long_url: 'https://example.org/', jid: EVIL }, 400],
    [{ long_url: EVIL }, 400],
    [{ long_url: 'https://example.org/other', jid: 'my-page' }, 409],
  ] as const) {
    const answer = await client.post('/control/short-urls', fields);
    t.is(answer.status, status);
    t.notRegex(answer.html, /<script>|<img/);
    t.regex(answer.html, /role="alert"/);
  }
  for (let i = 0; i < 29; i++) {
    t.is((await client.post('/control/short-urls', { long_url: `https://example.org/${i}` })).status, 303);
  }
  t.is((await client.post('/control/short-urls', { long_url: 'https://example.org/more' })).status, 429);
  const first = await client.get('/control/short-urls');
  t.is(first.html.match(/class="long"/g)!.length, 25);
  const second = await client.get(/href="([^"]+)" rel="next"/.exec(first.html)![1]!);
  t.is(second.html.match(/class="long"/g)!.length, 5);
  t.true(second.html.includes('my-page'));
  t.is((await client.get('/control/short-urls?before=unknown')).status, 404);
  const other = await server.operations.createUser({ account: 'other', password: PASSWORD });
  t.notRegex(mainOf(await (await logIn(other)).get('/control/short-urls?made=my-page')), /example\.org|my-page/);
});

test('short URLs: who is logged in makes them from a blocked source, too', async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const client = await logIn(user);
  await client.get('/control/short-urls');
  await server.operations.addBlock({ kind: 'source', target: '127.0.0.1' });
  t.is((await client.post('/control/short-urls', { long_url: 'https://example.org/' })).status, 303);
});
