import test from 'ava';
import { drawQrCode } from '../../../platform/short-urls/draw-qr-code.ts';
import { createProject, createShortUrl } from '../../helpers/create-records.ts';
import { serveShortUrls } from '../../helpers/serve-short-urls.ts';

const ANN = { Authorization: 'Token ann' };
const PATH = '/openservice/shorturl/v1';

test('short URLs: what was shortened is reduced, by URL and by code', async (t) => {
  const server = await serveShortUrls(t);
  const made = await server.send('shorten', { long_url: 'https://example.org/a?b=c#d' }, ANN);
  const { short_url: shortUrl = '', shorten = '' } = made.body.data ?? {};
  t.deepEqual(made.body, { code: 0, msg: null, data: { short_url: `${server.origin}/t/${shorten}`, shorten } });
  const data = { long_url: 'https://example.org/a?b=c#d', shorten, status: '1', realname: '1', safe: '1' };
  const ways: readonly Record<string, string>[] = [
    { short_url: shortUrl },
    { short_string: shorten },
    { short_string: ` ${shorten.toUpperCase()} ` },
    { short_url: shortUrl.replace(/^http:\/\//, '') },
    { short_url: `${shortUrl}/?x=y#z` },
    { short_url: shortUrl.replace('/t/', '/T/') },
    { short_url: shortUrl, short_string: '' },
    { short_url: shortUrl, short_string: shorten.toUpperCase() },
  ];
  for (const way of ways) {
    const { status, body } = await server.send('reduction', way);
    t.deepEqual([status, body], [200, { code: 0, msg: null, data }], JSON.stringify(way));
  }
});

test('short URLs: both spellings of the path, and both ways to log in', async (t) => {
  const { origin, shorten } = await serveShortUrls(t);
  const code = await shorten('https://example.org/');
  for (const path of [PATH, `${PATH}/`]) {
    for (const headers of [ANN, { Cookie: 'sessionId=ann' }]) {
      const body = new URLSearchParams({ long_url: 'https://example.org/' });
      const answer = await fetch(`${origin}${path}?Action=shorten`, { method: 'POST', body, headers });
      t.like(await answer.json(), { code: 0, data: { shorten: code } });
    }
    const body = new URLSearchParams({ short_string: code });
    const answer = await fetch(`${origin}${path}?Action=reduction`, { method: 'POST', body });
    t.like(await answer.json(), { code: 0 });
  }
});

test('short URLs: forms of either encoding and JSON are read', async (t) => {
  const { origin } = await serveShortUrls(t);
  const form = new FormData();
  form.set('long_url', 'https://example.org/道');
  form.set('jid', 'by-form');
  form.set('file', new Blob(['x']), 'x.txt');
  const bodies: readonly (readonly [string | FormData, Record<string, string>])[] = [
    [form, {}],
    [
      JSON.stringify({ long_url: 'https://example.org/道', jid: 'by-json', n: 1 }),
      { 'Content-Type': 'application/json; charset=utf-8' },
    ],
    [
      'long_url=https%3A%2F%2Fexample.org%2F%E9%81%93&jid=by-text',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    ],
  ];
  for (const [body, headers] of bodies) {
    const answer = await fetch(`${origin}${PATH}/?Action=shorten`, {
      method: 'POST',
      body,
      headers: { ...ANN, ...headers },
    });
    const text = await answer.text();
    t.regex(text, /"code":0,.*"shorten":"by-/, text);
  }
});

test('short URLs: bad input is 400 with a message', async (t) => {
  const { send, store } = await serveShortUrls(t);
  const cases: readonly (readonly [action: string, form: Record<string, string>, msg: RegExp])[] = [
    ['', {}, /^Parameter "Action" must be "reduction" or "shorten"$/],
    ['Reduction', { short_string: 'abc' }, /"Action"/],
    ['reduction&Action=shorten', { short_string: 'abc' }, /"Action" is given more than once/],
    ['reduction', {}, /^Field "short_url" or "short_string" is missing$/],
    ['reduction', { short_url: 'https://example.org/t/abc' }, /not a short URL of this service/],
    ['reduction', { short_url: 'abc' }, /not a short URL of this service/],
    ['reduction', { short_url: 'http://' }, /not a short URL of this service/],
    ['reduction', { short_url: `http://${'a'.repeat(9_000)}` }, /not a short URL of this service/],
    ['shorten', {}, /^Field "long_url" is missing$/],
    ['shorten', { long_url: 'javascript:alert(1)' }, /^Field "long_url" must begin with/],
    ['shorten', { long_url: 'https://a:b@example.org/' }, /^Field "long_url" must not have a user name/],
    ['shorten', { long_url: `https://example.org/${'a'.repeat(100_000)}` }, /more than 2048/],
    ['shorten', { long_url: 'https://example.org/', jid: 'a/b' }, /^Field "jid" must have/],
    ['shorten', { long_url: 'https://example.org/', jid: 'Api' }, /^Field "jid": "Api" is reserved$/],
    ['shorten', { long_url: 'https://example.org/', jid: '__proto__' }, /^Field "jid" must have/],
  ];
  for (const [action, form, msg] of cases) {
    const { status, body } = await send(action, form, ANN);
    t.is(status, 400, JSON.stringify(form).slice(0, 100));
    t.is(body.code, 400);
    t.regex(body.msg ?? '', msg);
    t.deepEqual(Object.keys(body), ['code', 'msg']);
  }
  t.is(await store.shortUrls.count(), 0);
});

test('short URLs: bodies that are no forms, or too long, are refused in the same shape', async (t) => {
  const { origin } = await serveShortUrls(t);
  const post = async (body: string, type: string) => {
    const headers = { ...ANN, 'Content-Type': type };
    const answer = await fetch(`${origin}${PATH}/?Action=shorten`, { method: 'POST', body, headers });
    return [answer.status, (await answer.json()) as object] as const;
  };
  const cases: readonly (readonly [body: string, type: string, status: number])[] = [
    ['long_url=x', 'text/plain', 415],
    ['{"long_url":', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['null', 'application/json', 400],
    ['--x\r\nbroken', 'multipart/form-data; boundary=x', 400],
    ['broken', 'multipart/form-data', 400],
    ['long_url=https://a.example&long_url=https://b.example', 'application/x-www-form-urlencoded', 400],
    [`long_url=${'a'.repeat(300_000)}`, 'application/x-www-form-urlencoded', 413],
  ];
  for (const [body, type, status] of cases) {
    const answer = await post(body, type);
    t.like(answer, [status, { code: status }], `${type} ${body.slice(0, 30)}: ${JSON.stringify(answer)}`);
    t.deepEqual(Object.keys(answer[1]), ['code', 'msg']);
  }
});

test('short URLs: a field that is no text is refused, not passed over', async (t) => {
  const { origin, store } = await serveShortUrls(t);
  const post = async (action: string, body: object) => {
    const headers = { ...ANN, 'Content-Type': 'application/json' };
    const options = { method: 'POST', body: JSON.stringify(body), headers };
    return (await (await fetch(`${origin}${PATH}/?Action=${action}`, options)).json()) as object;
  };
  const wrong = (name: string) => ({ code: 400, msg: `Field "${name}" must be text` });
  t.deepEqual(await post('shorten', { long_url: 'https://example.org/', jid: 2026 }), wrong('jid'));
  t.deepEqual(await post('shorten', { long_url: ['https://example.org/'] }), wrong('long_url'));
  t.deepEqual(await post('reduction', { short_string: 42 }), wrong('short_string'));
  t.deepEqual(await post('reduction', { short_url: {} }), wrong('short_url'));
  t.is(await store.shortUrls.count(), 0);
  t.like(await post('shorten', { long_url: 'https://example.org/', jid: null, other: 1 }), { code: 0 });
});

test('short URLs: other methods are 405 in the same shape', async (t) => {
  const { get } = await serveShortUrls(t);
  const answer = await get(`${PATH}/?Action=reduction`);
  t.is(answer.status, 405);
  t.regex(answer.headers.get('allow') ?? '', /POST/);
  t.deepEqual(await answer.json(), { code: 405, msg: 'Method GET is not allowed for "/openservice/shorturl/v1/"' });
});

test('short URLs: creation needs a login, reduction none', async (t) => {
  const { send, shorten } = await serveShortUrls(t);
  const anonymous = await send('shorten', { long_url: 'https://example.org/' });
  t.deepEqual([anonymous.status, anonymous.body.code], [401, 401]);
  t.is(anonymous.headers.get('www-authenticate'), 'Token');
  const wrong = await send('shorten', { long_url: 'https://example.org/' }, { Authorization: 'Token wrong' });
  t.deepEqual([wrong.status, wrong.body.code], [401, 401]);
  const code = await shorten('https://example.org/');
  t.is((await send('reduction', { short_string: code }, { Authorization: 'Token wrong' })).body.code, 0);
});

test('short URLs: a page of another site cannot shorten by the cookie of its reader', async (t) => {
  const { send, origin } = await serveShortUrls(t);
  const form = { long_url: 'https://example.org/' };
  const cookie = { Cookie: 'sessionId=ann' };
  const foreign: readonly Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: `${origin}1` },
    { Origin: 'http://127.0.0.1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];
  for (const headers of foreign) {
    const { status, body } = await send('shorten', form, { ...cookie, ...headers });
    t.deepEqual([status, body.code], [401, 401], JSON.stringify(headers));
  }
  t.is((await send('shorten', form, { ...cookie, Origin: origin })).body.code, 0);
  t.is((await send('shorten', form, { ...ANN, Origin: 'https://elsewhere.example' })).body.code, 0);
});

test('short URLs: a code that is another one’s is 409, and the own one is given again', async (t) => {
  const { send, shorten } = await serveShortUrls(t);
  t.is(await shorten('https://example.org/', 'Launch'), 'Launch');
  t.is(await shorten('https://example.org/', 'launch'), 'Launch');
  for (const [form, headers] of [
    [{ long_url: 'https://example.org/b', jid: 'Launch' }, ANN],
    [{ long_url: 'https://example.org/', jid: 'LAUNCH' }, { Authorization: 'Token bob' }],
  ] as const) {
    const { status, body } = await send('shorten', form, headers);
    t.deepEqual([status, body.code, body.msg], [409, 409, `Code "${form.jid}" is taken`]);
  }
});

test('short URLs: a disabled one is 410 to all, with its data to those who reduce it', async (t) => {
  const { send, shorten, store, get } = await serveShortUrls(t);
  const code = await shorten('https://example.org/', '', 'bob');
  await store.shortUrls.change(code, (one) => ({ ...one, isDisabled: true }));
  const reduced = await send('reduction', { short_string: code });
  t.deepEqual([reduced.status, reduced.body.code], [410, 410]);
  t.deepEqual(reduced.body.data, {
    long_url: 'https://example.org/',
    shorten: code,
    status: '0',
    realname: '0',
    safe: '1',
  });
  const again = await send('shorten', { long_url: 'https://example.org/' }, { Authorization: 'Token bob' });
  t.deepEqual([again.status, again.body.code], [410, 410]);
  const page = await get(`/t/${code}`);
  t.is(page.status, 410);
  t.is(page.headers.get('location'), null);
  t.regex(await page.text(), /disabled/);
});

test('short URLs: unknown codes are 404, also those that objects have', async (t) => {
  const { send } = await serveShortUrls(t);
  for (const code of ['unknown', '__proto__', 'constructor', 'a/b', 'x'.repeat(9_000), '\u0000', 'ä']) {
    const { status, body } = await send('reduction', { short_string: code });
    t.deepEqual([status, body.code], [404, 404], code.slice(0, 20));
  }
});

test('short URLs: a user makes so many a day, a source reduces so many a minute; then 429', async (t) => {
  const server = await serveShortUrls(t, { yaml: 'utility: {short_url: {per_day: 3, reductions_per_minute: 5}}' });
  const shorten = (i: number) => server.send('shorten', { long_url: `https://example.org/${i}` }, ANN);
  const made = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(shorten));
  t.is(made.filter(({ body }) => body.code === 0).length, 3);
  const refused = made.filter(({ body }) => body.code !== 0);
  t.true(refused.every(({ status, body }) => status === 429 && body.code === 429));
  t.is(refused[0]!.headers.get('retry-after'), '86400');
  t.is((await shorten(made.findIndex(({ body }) => body.code === 0) + 1)).body.code, 0);

  const reduced = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(() => server.send('reduction', { short_string: 'none' })),
  );
  t.deepEqual(reduced.map(({ status }) => status).sort(), [404, 404, 404, 404, 404, 429, 429]);
  const limited = reduced.find(({ status }) => status === 429)!;
  t.is(limited.headers.get('retry-after'), '12');
  server.clock.ms += 12_000;
  t.is((await server.send('reduction', { short_string: 'none' })).status, 404);
  t.is((await server.send('reduction', { short_string: 'none' })).status, 429);
});

test('short URLs: pages of other origins may reduce, with a preflight or without, and do nothing else', async (t) => {
  const { get, send } = await serveShortUrls(t);
  const Origin = 'https://app.example';
  const ask = { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
  for (const path of [PATH, `${PATH}/`]) {
    const open = await get(`${path}?Action=reduction`, { method: 'OPTIONS', headers: ask });
    t.is(open.status, 204);
    t.is(open.headers.get('access-control-allow-origin'), '*');
    t.is(open.headers.get('access-control-allow-methods'), 'POST');
    t.is(open.headers.get('access-control-allow-headers'), 'Content-Type');
    t.is(open.headers.get('access-control-allow-credentials'), null);
    for (const query of ['', '?Action=shorten', '?Action=reduction&Action=shorten', '?action=reduction']) {
      const closed = await get(path + query, { method: 'OPTIONS', headers: ask });
      t.deepEqual(
        [...closed.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
        query,
      );
    }
  }
  for (const form of [{ short_string: 'none' }, {}]) {
    const { headers } = await send('reduction', form, { Origin });
    t.is(headers.get('access-control-allow-origin'), '*');
    t.is(headers.get('cache-control'), 'no-store');
  }
  for (const [form, headers] of [
    [{ long_url: 'https://example.org/' }, ANN],
    [{ long_url: 'nonsense' }, ANN],
    [{ long_url: 'https://example.org/' }, {}],
  ] as const) {
    const answer = await send('shorten', form, { ...headers, Origin });
    t.deepEqual(
      [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

test('short URLs: addresses of the service, its documentation and projects’ domains are refused', async (t) => {
  const server = await serveShortUrls(t, {
    yaml: 'api: {base_url: "https://s.example.org", hub_url: "https://hub.example.org", auth_url: "http://login.example.org:8080", docs_api_url: "https://api.example.org"}\ndocs: {domain: docs.example.org}',
  });
  await server.store.projects.add(createProject({ domain: 'guide.example.net' }));
  const port = new URL(server.origin).port;
  const own = [
    'https://s.example.org/t/abc',
    'http://S.EXAMPLE.org:81/',
    'https://s.example.org./',
    'https://hub.example.org/openservice/ip',
    'https://login.example.org/',
    'https://api.example.org/docbuild/desc/a',
    'https://docs.example.org/',
    'https://guide.docs.example.org/en/',
    'https://guide.example.net/',
    'https://guide.example.net.:444/',
    'https://ｓ.example.org/',
    `${server.origin}/t/abc`,
    `http://localhost:${port}/`,
    `http://a.localhost:${port}/`,
    `http://127.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.0.0.1:${port}/`,
    `http://127.9.9.9:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
  ];
  for (const long_url of own) {
    const { body } = await server.send('shorten', { long_url }, ANN);
    t.deepEqual([body.code, body.msg], [400, 'Field "long_url" must not point to this service itself'], long_url);
  }
  const others = [
    'https://example.org/',
    'https://xs.example.org/',
    'https://notdocs.example.org/',
    'https://example.net/',
    `http://127.0.0.1:${Number(port) + 1}/`,
    'http://192.168.0.1/',
    `http://192.0.2.7:${port}/`,
    'http://localhost/',
  ];
  for (const long_url of others) t.is((await server.send('shorten', { long_url }, ANN)).body.code, 0, long_url);
});

test('short URLs: with a base URL, short URLs begin with it and are read by it', async (t) => {
  const server = await serveShortUrls(t, { yaml: 'api: {base_url: "https://s.example.org"}' });
  const { body } = await server.send('shorten', { long_url: 'https://example.org/', jid: 'abc' }, ANN);
  t.is(body.data?.['short_url'], 'https://s.example.org/t/abc');
  const codeOf = async (short_url: string) => (await server.send('reduction', { short_url })).body.code;
  t.is(await codeOf('https://s.example.org/t/abc'), 0);
  t.is(await codeOf('s.example.org/t/ABC/'), 0);
  t.is(await codeOf('https://s.example.org/x/t/abc'), 400);
  t.is(await codeOf('https://s.example.org/t/abc/d'), 400);
  t.is(await codeOf('https://s.example.net/t/abc'), 400);
});

test('redirect: GET and HEAD lead to the long URL, whatever the case of the code', async (t) => {
  const { get, shorten } = await serveShortUrls(t);
  await shorten(`https://example.org/?a=1&b='"<script>#x`, 'Go');
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/t/Go', '/t/gO', '/t/Go?utm=1']) {
      const answer = await get(path, { method });
      t.is(answer.status, 302);
      t.is(answer.headers.get('location'), 'https://example.org/?a=1&b=%27%22%3Cscript%3E#x');
      t.is(answer.headers.get('cache-control'), 'no-store');
      t.is(answer.headers.get('referrer-policy'), 'no-referrer');
      const text = await answer.text();
      if (method === 'HEAD') t.is(text, '');
      else t.regex(text, /<a href="https:\/\/example\.org\/\?a=1&amp;b=%27%22%3Cscript%3E#x">/);
    }
  }
});

test('redirect: unknown codes are a page with 404', async (t) => {
  const { get } = await serveShortUrls(t);
  for (const path of [
    '/t/none',
    '/t/__proto__',
    '/t/%3Cscript%3E',
    '/t/%E0%A4%A',
    `/t/${'a'.repeat(5_000)}`,
    '/t/a%2Fb',
    '/t/a%00',
  ]) {
    const answer = await get(path);
    t.is(answer.status, 404, path);
    t.regex(answer.headers.get('content-type') ?? '', /^text\/html/);
    t.is(answer.headers.get('location'), null);
    const text = await answer.text();
    t.regex(text, /Short URL not found/);
    t.notRegex(text, /<script/);
  }
});

test('redirect: a host that the operator warns of gets a page with the link, and is not safe', async (t) => {
  const { get, shorten, send, blocked } = await serveShortUrls(t);
  const code = await shorten('https://Evil.example:8443/?a="&b=<x>');
  t.is((await get(`/t/${code}`)).status, 302);
  blocked.add('evil.example');
  const answer = await get(`/t/${code}`);
  t.is(answer.status, 200);
  t.is(answer.headers.get('location'), null);
  t.regex(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  t.is(answer.headers.get('x-content-type-options'), 'nosniff');
  t.is(answer.headers.get('referrer-policy'), 'no-referrer');
  const text = await answer.text();
  t.regex(text, /<a href="https:\/\/evil\.example:8443\/\?a=%22&amp;b=%3Cx%3E" rel="noreferrer noopener nofollow">/);
  t.is((await send('reduction', { short_string: code })).body.data?.['safe'], '0');
  blocked.add('xn--pypal-4ve.example');
  const foreign = await (await get(`/t/${await shorten('https://pаypal.example/')}`)).text();
  t.regex(
    foreign,
    />https:\/\/xn--pypal-4ve\.example\/<\/a> \(<bdi>pаypal\.example<\/bdi>\)/,
    'the first а is Cyrillic',
  );
  blocked.add('2001:db8::1');
  for (const spelling of ['https://evil.example./', 'http://EVIL.example:81', 'http://[2001:DB8:0::1]/']) {
    t.is((await get(`/t/${await shorten(spelling)}`)).status, 200, spelling);
  }
});

test('redirect: what somebody wrote into the file by hand never leads to anything but http', async (t) => {
  const { get, store } = await serveShortUrls(t);
  const bad = [
    'javascript:alert(1)',
    '//evil.example',
    '/t/other',
    'https://a.example/\r\nX: y',
    'https://a.example/道',
    '',
  ];
  for (const [i, longUrl] of bad.entries()) {
    if (longUrl === '') continue;
    await store.shortUrls.add(createShortUrl({ code: `bad-${i}`, longUrl }));
    const answer = await get(`/t/bad-${i}`);
    t.is(answer.status, 404, longUrl);
    t.is(answer.headers.get('location'), null);
  }
});

test('short URLs: a store that fails is 503 or 500 in the same shape, and nothing is said to be there', async (t) => {
  const server = await serveShortUrls(t);
  await server.store.close();
  const answer = await server.send('shorten', { long_url: 'https://example.org/' }, ANN);
  t.deepEqual([answer.status, answer.body.code], [503, 503]);
  t.is(server.errors.length, 1);
});

test('redirect: an expired short URL is a page with 410, for those who reduce it, too', async (t) => {
  const server = await serveShortUrls(t, { yaml: 'timezone: Asia/Shanghai' });
  const form = { long_url: 'https://example.org/', expires_at: '2026-05-04' };
  const made = await server.send('shorten', form, ANN);
  const code = made.body.data!['shorten']!;
  t.is((await server.get(`/t/${code}`)).status, 302);
  server.clock.ms = Date.parse('2026-05-04T16:00:00Z');
  const page = await server.get(`/t/${code}`);
  t.deepEqual([page.status, page.headers.get('location')], [410, null]);
  t.regex(await page.text(), /has expired/);
  const reduced = await server.send('reduction', { short_string: code });
  t.like(reduced, { status: 410, body: { code: 410, msg: 'This short URL has expired', data: { status: '0' } } });
  t.like(await server.send('shorten', form, ANN), { status: 400, body: { code: 400 } });
});

test('short URLs: shortened again, one gets another time, keeps its own, or is valid again', async (t) => {
  const server = await serveShortUrls(t);
  const shorten = async (expires_at?: string) => {
    const form = { long_url: 'https://example.org/', ...(expires_at !== undefined && { expires_at }) };
    const { body } = await server.send('shorten', form, ANN);
    return (await server.store.shortUrls.find(body.data!['shorten']!))!.expiresAt;
  };
  t.is(await shorten(), undefined);
  t.is(await shorten('2026-05-04T04:00:00Z'), '2026-05-04T04:00:00.000Z');
  t.is(await shorten(), '2026-05-04T04:00:00.000Z');
  t.is(await shorten('2026-05-04T05:00:00Z'), '2026-05-04T05:00:00.000Z');
  server.clock.ms = Date.parse('2026-05-04T06:00:00Z');
  t.is(await shorten(), undefined);
  t.is(await server.store.shortUrls.count(), 1);
});

test('redirect: one that its owner has disabled is 410, and is not enabled by shortening again', async (t) => {
  const server = await serveShortUrls(t);
  const code = await server.shorten('https://example.org/');
  await server.store.shortUrls.change(code, (one) => ({ ...one, isDisabledByOwner: true }));
  const page = await server.get(`/t/${code}`);
  t.is(page.status, 410);
  t.regex(await page.text(), /disabled by its owner/);
  t.like((await server.send('reduction', { short_string: code })).body, { code: 410, data: { status: '0' } });
  const again = await server.send('shorten', { long_url: 'https://example.org/' }, ANN);
  t.like(again.body, { code: 410, msg: 'You have disabled your short URL for this URL; enable it first' });
});

test('redirect: those of a user whose account is disabled with them lead nowhere', async (t) => {
  const server = await serveShortUrls(t);
  const code = await server.shorten('https://example.org/');
  const { uid } = (await server.store.shortUrls.find(code))!;
  await server.store.users.change(uid, (user) => ({ ...user, isDisabled: true }));
  t.is((await server.get(`/t/${code}`)).status, 302);
  await server.store.users.change(uid, (user) => ({ ...user, areShortUrlsDisabled: true }));
  t.is((await server.get(`/t/${code}`)).status, 410);
  t.is((await server.send('reduction', { short_string: code })).body.code, 410);
});

test('redirect: unknown codes of a source are limited, good ones lead on', async (t) => {
  const server = await serveShortUrls(t, { yaml: 'utility: {short_url: {unknown_per_minute: 3}}' });
  const code = await server.shorten('https://example.org/');
  const guesses = await Promise.all(Array.from({ length: 6 }, (_, i) => server.get(`/t/guess-${i}`)));
  t.deepEqual(guesses.map(({ status }) => status).sort(), [404, 404, 404, 429, 429, 429]);
  const limited = guesses.find(({ status }) => status === 429)!;
  t.is(limited.headers.get('retry-after'), '20');
  t.regex(limited.headers.get('content-type')!, /^text\/html/);
  t.regex(await limited.text(), /Too many unknown short URLs/);
  t.is((await server.get('/t/guess.svg')).status, 429);
  for (let i = 0; i < 10; i++) t.is((await server.get(`/t/${code}`)).status, 302);
  t.is((await server.get('/t/guess')).status, 429);
  server.clock.ms += 20_000;
  t.deepEqual([(await server.get('/t/guess')).status, (await server.get('/t/guess')).status], [404, 429]);
});

test('redirect: readers are counted, and neither HEAD nor programs that say what they are', async (t) => {
  const server = await serveShortUrls(t);
  const code = await server.shorten('https://example.org/');
  const ask = (headers: Record<string, string>, method = 'GET') => server.get(`/t/${code}`, { method, headers });
  const readers = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 MicroMessenger/8.0.50',
    'curl/8.0',
  ];
  for (const reader of readers) await ask({ 'User-Agent': reader });
  await ask({}, 'HEAD');
  await ask({ 'Sec-Purpose': 'prefetch;prerender' });
  await ask({ Purpose: 'prefetch' });
  for (const program of ['Mozilla/5.0 (compatible; Googlebot/2.1)', 'Slackbot-LinkExpanding 1.0', 'WhatsApp/2.23']) {
    await ask({ 'User-Agent': program });
  }
  t.deepEqual(await server.redirects.read([code]), [3]);
  server.blocked.add('example.org');
  await ask({ 'User-Agent': readers[0]! });
  t.deepEqual(await server.redirects.read([code]), [3], 'a warning leads nowhere');
});

test('a QR code is drawn of what leads somewhere, and of nothing else', async (t) => {
  const server = await serveShortUrls(t, { yaml: 'api: {base_url: "https://s.example.org"}' });
  const code = await server.shorten('https://example.org/', 'Go');
  const answer = await server.get('/t/go.svg');
  t.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/svg+xml']);
  t.is(answer.headers.get('cache-control'), 'no-store');
  t.is(await answer.text(), drawQrCode('https://s.example.org/t/Go'));
  t.deepEqual(await server.redirects.read([code]), [0]);
  t.is((await server.get('/t/none.svg')).status, 404);
  t.is((await server.get('/t/.svg')).status, 404);
  await server.store.shortUrls.change(code, (one) => ({ ...one, isDisabled: true }));
  const disabled = await server.get('/t/go.svg');
  t.is(disabled.status, 410);
  t.notRegex(await disabled.text(), /example/);
});
