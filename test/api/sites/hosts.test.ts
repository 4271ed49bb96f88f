import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { sendRaw } from '../../helpers/send-raw.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A server with two projects, one of them with a domain of its own; hosts are asked for by their names. */
async function createHosts(t: ExecutionContext, yaml = 'docs: {domain: docs.test}\n') {
  const server = await createServer(t, yaml);
  for (const [name, domain] of [
    ['guide', 'guide.example'],
    ['other', ''],
  ] as const) {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': `# ${name} home\n`, 'docs/a.md': `# ${name} page\n` });
    await server.operations.createProject({
      name,
      settings: { url: repository.folder, domain, secret: 'hush and not a word' },
    });
    const { id } = await server.operations.build({ name, all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  }
  const on = (host: string, path: string, method = 'GET', ...headers: readonly string[]) =>
    sendRaw(server.origin, `${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers);
  return { server, on };
}

test('hosts: a project is served on its host below docs.domain and on its own domain', async (t) => {
  const { on } = await createHosts(t);
  for (const host of ['guide.docs.test', 'guide.example']) {
    t.regex((await on(host, '/en/latest/')).text, />guide home /);
    t.regex((await on(host, '/en/latest/a')).text, />guide page /);
    t.notRegex((await on(host, '/en/latest/')).text, /content-security-policy/i, 'its origin is its own');
  }
  t.regex((await on('other.docs.test', '/en/latest/')).text, />other home /);
});

test('hosts: a project’s host answers neither for the API nor for other projects', async (t) => {
  const { on } = await createHosts(t);
  const refused = [
    '/docs/other/en/latest/',
    '/docs/guide/en/latest/',
    '/docbuild/desc/other',
    '/docbuild/other/desc',
    '/docbuild/badge/guide',
    '/docbuild/projects/guide',
    '/docbuild/assets/console.css',
    '/docbuild/api',
    '/DOCBUILD/desc/other',
    '/docbuild//desc/other',
    '/docbuild/desc/%6fther',
    '/openapi.json',
    '/healthz',
    '/metrics',
  ];
  for (const host of ['guide.docs.test', 'guide.example', 'GUIDE.example:8080', 'guide.example.']) {
    for (const path of refused) t.is((await on(host, path)).status, 404, `${host}${path}`);
    for (const path of ['/docbuild/build/guide', '/docbuild/webhook/guide', '/docbuild/github/app'])
      t.is((await on(host, path, 'POST', 'Content-Length: 0')).status, 405, `${host}${path}`);
    for (const path of [
      '/docbuild/desc/guide?path=/en/latest/',
      '/docbuild/guide/desc',
      '/docbuild/assets/docbuild.js',
    ])
      t.is((await on(host, path)).status, 200, `what the button asks for: ${host}${path}`);
  }
});

test('hosts: names are compared without case, port and final dot', async (t) => {
  const { on } = await createHosts(t);
  for (const host of [
    'GUIDE.Docs.TEST',
    'guide.docs.test:81',
    'guide.docs.test.',
    'guide.docs.test.:443',
    'Guide.Example',
  ])
    t.regex((await on(host, '/en/latest/')).text, />guide home /, host);
});

test('hosts: below docs.domain nothing is found where there is no project', async (t) => {
  const { on } = await createHosts(t);
  for (const host of ['none.docs.test', 'a.guide.docs.test', 'www.docs.test', '-.docs.test', '__proto__.docs.test'])
    for (const path of ['/', '/docs/guide/en/latest/', '/docbuild/desc/guide', '/healthz', '/../healthz'])
      t.true([400, 404].includes((await on(host, path)).status), `${host}${path}`);
});

test('hosts: all others are the service’s', async (t) => {
  const { server, on } = await createHosts(t);
  const odd = ['docs.test', 'evil.test', '127.0.0.1', '[::1]:5000'];
  for (const host of odd) {
    t.is((await on(host, '/healthz')).status, 200, host);
    t.is((await on(host, '/en/latest/')).status, 404, host);
    t.regex((await on(host, '/docs/guide/en/latest/')).text, /content-security-policy: script-src 'self';/i, host);
  }
  t.is((await sendRaw(server.origin, 'GET /healthz HTTP/1.1')).status, 400, 'HTTP/1.1 asks for a host');
  t.is((await on('', '/healthz')).status, 400, 'and not for an empty one');
  t.is((await sendRaw(server.origin, 'GET /healthz HTTP/1.0')).status, 200);
  t.is((await sendRaw(server.origin, 'GET /en/latest/ HTTP/1.0')).status, 404);
});

test('hosts: a whole address in the request line counts more than the header', async (t) => {
  const { on } = await createHosts(t);
  t.regex((await on('evil.test', 'http://GUIDE.example.:80/en/latest/')).text, />guide home /);
  t.is((await on('guide.example', 'http://other.docs.test/docs/guide/')).status, 404);
  t.regex((await on('guide.example', 'http://other.docs.test/en/latest/')).text, />other home /);
});

test('hosts: no proxy says what the host is, and no answer repeats what a caller made up', async (t) => {
  for (const count of [0, 1]) {
    const { on } = await createHosts(t, `api: {port: 0, trusted_proxies: ${count}}\ndocs: {domain: docs.test}\n`);
    const forged = [
      'X-Forwarded-Host: other.docs.test',
      'X-Forwarded-Proto: gopher',
      'Forwarded: host=other.docs.test',
      'X-Original-Host: other.docs.test',
      'X-Forwarded-Server: other.docs.test',
    ];
    t.regex((await on('guide.docs.test', '/en/latest/', 'GET', ...forged)).text, />guide home /);
    const evil = ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: evil', 'Forwarded: host=evil.test'];
    const places = [
      '/docs/guide',
      '/docs/guide/en/latest',
      '/docs/guide/en/latest/none',
      '/docbuild/desc/guide?path=/en/latest/',
      '/docbuild/projects/guide',
      '/docbuild/api',
      '/openapi.json',
      '/docbuild/badge/guide',
      '/nothing',
    ];
    for (const place of places) {
      const { status, text } = await on('evil.test:666', place, 'GET', ...evil);
      t.true(status > 0);
      t.notRegex(text, /evil|gopher/, place);
    }
    const sign = `X-Docbuild-Sign: ${createHash('md5').update('hush and not a word').digest('hex')}`;
    const { status, text } = await on('evil.test', '/docbuild/build/guide', 'POST', sign, 'Content-Length: 0');
    t.is(status, 201);
    t.regex(text, /\r\nlocation: http:\/\/127\.0\.0\.1:\d+\/docbuild\/builds\//i);
    t.notRegex(text, /evil/);
  }
});

test('hosts: redirects stay on the site', async (t) => {
  const { on } = await createHosts(t);
  for (const [host, path, location] of [
    ['guide.example', '/en/latest?x=1', '/en/latest/?x=1'],
    ['evil.test', '/docs/guide/en/latest', '/docs/guide/en/latest/'],
  ] as const)
    t.regex((await on(host, path)).text, new RegExp(`\r\nlocation: ${location.replace('?', '\\?')}\r\n`, 'i'), path);
  for (const path of ['//evil.test/%2e%2e', '//evil.test/en/latest', '/\\evil.test', '/%5cevil.test/..'])
    t.notRegex((await on('guide.example', path)).text, /\r\nlocation:/i, path);
});

test('hosts: the service’s own addresses are never a project’s', async (t) => {
  const { server, on } = await createHosts(
    t,
    'api: {port: 0, docs_api_url: "https://api.docs.test"}\ndocs: {domain: docs.test}\n',
  );
  t.is((await on('api.docs.test', '/docbuild/desc/guide')).status, 200);
  await t.throwsAsync(server.operations.updateProject({ name: 'other', changes: 'domain:api.docs.test' }), {
    message: /cannot have the host "api\.docs\.test": it belongs to the service itself/,
  });
  t.is((await on('api.docs.test', '/docs/guide/en/latest/')).status, 200);
});
