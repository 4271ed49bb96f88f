import { request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import test from 'ava';
import { createConsole } from '../../helpers/create-console.ts';

test('the console is at the address of the login alone, where that is configured', async (t) => {
  const names = ['base', 'hub', 'auth', 'docs'];
  const urls = names.map((name) => `${name === 'docs' ? 'docs_api' : name}_url: https://${name}.test`);
  const { server } = await createConsole(t, `api: {port: 0, ${urls.join(', ')}}\n`);
  const get = (path: string, host: string): Promise<{ status: number; type: string; body: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(server.origin + path, { headers: { Host: host } }, async (answer) =>
        resolve({
          status: answer.statusCode!,
          type: String(answer.headers['content-type']),
          body: await text(answer),
        }),
      );
      sent.once('error', reject);
      sent.end();
    });
  for (const name of names) {
    const isHere = name === 'auth';
    for (const path of ['/control/login', '/control/console.js']) {
      t.is((await get(path, `${name}.test`)).status, isHere ? 200 : 404, `${name} ${path}`);
    }
    t.is((await get('/control/users', `${name}.test`)).status, isHere ? 303 : 404, name);
  }
  t.regex((await get('/control/login', 'base.test')).type, /^text\/html/);
  t.is((await get('/docbuild/assets/console.css', 'auth.test')).status, 200);
});

test('the cookie for forms is Secure behind TLS', async (t) => {
  const { server } = await createConsole(t, 'api: {port: 0, trusted_proxies: 1}\n');
  const behind = await server.get('/control/login', { 'X-Forwarded-Proto': 'https' });
  t.regex(
    behind.headers.get('set-cookie')!,
    /^__Host-controlForm=[\w-]{32}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
  );
  const plain = await server.get('/control/login');
  t.notRegex(plain.headers.get('set-cookie')!, /Secure/);
});

test('odd requests to the console are answered with pages', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await client.get('/control/');
  for (const path of [
    'keys/%E0%A4%A/disable',
    'keys/__proto__/delete',
    'users/%0d%0aX:y/verify',
    'projects/%00/build',
  ]) {
    const answer = await client.post(`/control/${path}`);
    t.true(answer.status === 404 || answer.status === 400, `${path} ${answer.status}`);
    t.regex(answer.headers.get('content-type')!, /html/);
  }
  const forwards = await client.post(`/control/users/${encodeURIComponent('\r\nX: y')}/short-urls/disable`, {
    code: 'x',
  });
  t.is(forwards.status, 404);
  for (const [body, type, status] of [
    ['x'.repeat(70_000), 'application/x-www-form-urlencoded', 413],
    ['form=a&form=b', 'application/x-www-form-urlencoded', 400],
    ['x', 'text/plain', 415],
  ] as const) {
    const Cookie = `sessionId=${client.cookies.get('sessionId')}`;
    const answer = await server.post('/control/keys', body, { Cookie, 'Content-Type': type });
    t.is(answer.status, status);
    t.regex(answer.headers.get('content-type')!, /html/);
  }
  const { paths } = (await json((await server.get('/openapi.json')).body as never)) as { paths: object };
  t.deepEqual(
    Object.keys(paths).filter((path) => path.startsWith('/control')),
    [],
  );
  t.deepEqual(
    server.logged().filter((line) => line.includes('"level":50')),
    [],
  );
});
