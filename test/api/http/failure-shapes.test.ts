import test from 'ava';
import { createServer, type TestServer } from '../../helpers/create-server.ts';

async function ask(server: TestServer, path: string, options: RequestInit = {}) {
  const answer = await fetch(server.origin + path, { redirect: 'manual', ...options });
  const text = await answer.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : text;
  return { status: answer.status, body, origins: answer.headers.get('Access-Control-Allow-Origin') };
}

test('failure shapes: a blocked source is refused however it spells a path', async (t) => {
  const server = await createServer(t);
  await server.operations.addBlock({ kind: 'source', target: '127.0.0.1' });
  const paths = [
    '/API/alphaincludedquery?url=x',
    '/Api/User/Login',
    '/OPENSERVICE/ip/myip',
    '/OpenService/Crontab/?expression=@daily',
    '/T/abc',
    '/openservice/ShortURL/V1/?Action=reduction',
  ];
  for (const path of paths) t.is((await ask(server, path)).status, 403, path);
});

test('failure shapes: inclusion queries keep their shape in errors that no handler makes', async (t) => {
  const server = await createServer(t);
  const shape = { success: false, Included: false, deduct: false, url: '' };
  for (const path of [
    '/api/AlphaIncludedQuery',
    '/api/BetaIncludedQuery/?url=https://a.example',
    '/API/ALPHAINCLUDEDQUERY',
  ]) {
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const { status, body } = await ask(server, path, { method });
      t.is(status, method === 'PROPFIND' ? 501 : 405, path);
      t.like(body, { ...shape, msg: (body as { message: string }).message });
    }
  }
});

test('failure shapes: the crontab preview has a list of times in every error', async (t) => {
  const server = await createServer(t);
  const path = '/openservice/crontab';
  const cases: readonly (readonly [path: string, method: string, status: number])[] = [
    [`${path}?expression=a&expression=b`, 'GET', 400],
    [`${path}?expression=${'x'.repeat(9000)}`, 'GET', 414],
    [`${path}/?expression=@daily`, 'POST', 405],
    [`/OpenService/Crontab?expression=1`, 'GET', 400],
  ];
  for (const [asked, method, status] of cases) {
    const answer = await ask(server, asked, { method });
    t.like(answer, { status, body: { success: false, data: [] } }, asked.slice(0, 60));
  }
});

test('failure shapes: short URLs answer in their shape however the path is spelled, and for every method', async (t) => {
  const server = await createServer(t);
  const form = new URLSearchParams({ short_string: 'unknown-code' });
  for (const path of ['/OpenService/ShortURL/V1/', '/openservice/shorturl/v1//']) {
    const answer = await ask(server, `${path}?Action=reduction`, { method: 'POST', body: form });
    t.deepEqual(answer, { status: 404, body: { code: 404, msg: 'No such short URL' }, origins: '*' }, path);
  }
  const other = await ask(server, '/openservice/shorturl/v2/?Action=reduction', { method: 'POST', body: form });
  t.like(other, { status: 404, body: { code: 404 } });
  t.is(typeof (other.body as { msg: unknown }).msg, 'string');
  const strange = await ask(server, '/openservice/shorturl/v1/?Action=reduction', { method: 'PROPFIND' });
  t.like(strange, {
    status: 501,
    body: { code: 501, msg: 'Method PROPFIND is not allowed for "/openservice/shorturl/v1/"' },
  });
  const failures = server.logged().filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
  t.deepEqual(failures, []);
});

test('failure shapes: a short URL may be written with percent-encoding', async (t) => {
  const server = await createServer(t);
  const { uid } = await server.operations.createUser({ account: 'ann', password: 'correct horse', isOperator: false });
  t.is(uid.length, 10);
  const login = await server.post('/api/user/login', 'account=ann&password=correct+horse&fields=token', {
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  const { token } = (await login.json()) as { token: string };
  const act = async (action: string, fields: Record<string, string>) => {
    const headers = { Authorization: `Token ${token}` };
    const path = `/openservice/shorturl/v1/?Action=${action}`;
    return (await ask(server, path, { method: 'POST', body: new URLSearchParams(fields), headers })).body;
  };
  t.like(await act('shorten', { long_url: 'https://a.example/', jid: 'my-guide' }), { code: 0 });
  for (const written of ['my%2Dguide', '%6dy-guide', 'MY-GUIDE/']) {
    const answer = await act('reduction', { short_url: `${server.origin}/t/${written}` });
    t.like(answer, { code: 0, data: { shorten: 'my-guide' } }, written);
  }
  for (const written of ['%zz', 'my%2Fguide', '%E0%A4']) {
    const { code } = (await act('reduction', { short_url: `${server.origin}/t/${written}` })) as { code: number };
    t.true(code === 404 || code === 400, written);
  }
});

test('failure shapes: what is missing where people read is a page for browsers, in their language, and JSON for programs', async (t) => {
  const server = await createServer(t);
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  for (const path of [
    '/docbuild/projects/nothing',
    '/docbuild/builds/nothing',
    '/docs/nothing/',
    '/docs/nothing/en/a.html',
  ]) {
    for (const [language, title] of [
      ['en', 'Not found'],
      ['zh-CN', '未找到'],
    ] as const) {
      const answer = await fetch(server.origin + path, { headers: { ...browser, 'Accept-Language': language } });
      const text = await answer.text();
      t.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'text/html; charset=utf-8'], path);
      t.is(answer.headers.get('Cache-Control'), 'no-store');
      t.true(text.includes(`<html lang="${language}">`) && text.includes(`<h1>${title}</h1>`), path);
      t.true(text.includes('nothing'), path);
    }
    t.like(await ask(server, path), { status: 404, body: { success: false } }, path);
  }
  t.like(await ask(server, '/docbuild/desc/nothing', { headers: browser }), { status: 404, body: { success: false } });
});
