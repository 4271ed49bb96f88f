import test, { type ExecutionContext } from 'ava';
import { createComposer } from '../../../builder/compose/create-composer.ts';
import { chooseHome } from '../../../platform/sites/choose-home.ts';
import { readMovedPage } from '../../../platform/sites/moved-page.ts';
import { createHistory, say } from '../../helpers/create-history.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { sendToHost } from '../../helpers/send-to-host.ts';
import { serveS3 } from '../../helpers/serve-s3.ts';
import { serveSite } from '../../helpers/serve-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const PROJECT_FILE = [
  'redirects:',
  '  guide/old.html: guide/new.md?from=old#part',
  '  gone.html: https://example.org/a b?x=1',
  '  日本.html: guide/new.md',
  '  up.html: /guide/new.md',
  '',
].join('\n');

/** A server with a project that has moved pages, in two languages and two versions. */
async function createMoved(t: ExecutionContext, yaml = 'docs: {domain: docs.test}\n'): Promise<TestServer> {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': '# One\n', 'docs/fr/index.md': '# Un\n' });
  repository.git('tag', 'v1');
  commitFiles(repository, {
    '.docbuild.yml': PROJECT_FILE,
    'docs/en/guide/new.md': '---\nredirect_from: /before.html\n---\n# New\n\n## Part\n',
    'docs/en/leave.md': '---\nredirect_to: https://example.org/elsewhere#there\n---\n',
    'docs/en/folder/index.md': '---\nredirect_to: ../guide/new.md\n---\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  repository.git('rm', '-q', '-r', 'docs/fr');
  repository.commit('French is gone');
  const server = await createServer(t, yaml);
  const settings = { url: repository.folder, domain: 'guide.example', lang: ['en', 'zh_CN', 'fr'] };
  await server.operations.createProject({ name: 'guide', settings });
  const build = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id: build.id })).status, 'passing');
  return server;
}

/** The answers of that project's pages below `root`: status and target. */
const MOVES = (root: string): readonly (readonly [path: string, status: number, location: string | null])[] => [
  ['/en/latest/guide/old.html', 301, `${root}/en/latest/guide/new.html?from=old#part`],
  ['/en/latest/guide/old', 301, `${root}/en/latest/guide/new.html?from=old#part`],
  ['/en/latest/guide/old.html?a=%2f&b', 301, `${root}/en/latest/guide/new.html?from=old&a=%2f&b#part`],
  ['/en/main/before.html?q=1', 301, `${root}/en/main/guide/new.html?q=1`],
  ['/en/latest/%E6%97%A5%E6%9C%AC.html', 301, `${root}/en/latest/guide/new.html`],
  ['/en/latest/up.html', 301, `${root}/en/latest/guide/new.html`],
  ['/en/latest/folder/', 301, `${root}/en/latest/guide/new.html`],
  ['/en/latest/gone.html?secret=1', 301, 'https://example.org/a%20b?x=1'],
  ['/en/latest/leave.html', 301, 'https://example.org/elsewhere#there'],
  ['/en/', 302, `${root}/en/latest/`],
  ['/en/?q=words', 302, `${root}/en/latest/?q=words`],
  ['/en/index.html', 302, `${root}/en/latest/`],
  ['/zh_CN/', 302, `${root}/zh_CN/latest/`],
  ['/fr/', 302, `${root}/fr/v1/`],
  ['/', 302, `${root}/en/latest/`],
  ['/en/latest/guide/new.html', 200, null],
  ['/en/latest/', 200, null],
];

test.serial('moved pages and homes answer with a redirect below /docs/NAME/', async (t) => {
  const server = await createMoved(t);
  for (const [path, status, location] of MOVES('/docs/guide')) {
    const answer = await server.get(`/docs/guide${path}`);
    t.deepEqual([answer.status, answer.headers.get('location')], [status, location], path);
    if (status === 200) continue;
    t.is(await answer.text(), `Moved to ${location}\n`);
    t.is(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.is(answer.headers.get('etag'), null, 'a redirect has no versions to compare');
    t.regex(answer.headers.get('content-security-policy') ?? '', /^sandbox /);
    const isChosen = path === '/';
    t.is(answer.headers.get('cache-control'), isChosen ? 'private, no-cache' : 'no-cache', path);
    t.is(answer.headers.get('vary'), isChosen ? 'Accept-Language' : null, path);
    const head = await fetch(`${server.origin}/docs/guide${path}`, { method: 'HEAD', redirect: 'manual' });
    t.deepEqual([head.status, head.headers.get('location')], [status, location], `HEAD ${path}`);
    t.is(head.headers.get('content-length'), answer.headers.get('content-length'));
  }
  const known = await server.get('/docs/guide/en/latest/gone.html', { 'if-none-match': '*', range: 'bytes=0-1' });
  t.is(known.status, 301, 'conditions and ranges are for files');
});

test.serial('the address of a page that is gone names the nearest page and the versions that have it', async (t) => {
  const home = { 'index.md': '# Home\n', 'guide/index.md': `# Guide\n\n${say('guide')}` };
  const repository = createHistory(t, {
    'v1.0': { ...home, 'guide/a b.md': `# Gone\n\n${say('gone')}`, 'top.md': `# Top\n\n${say('top')}` },
    'v1.1': home,
  });
  const server = await createServer(t, 'docs: {domain: docs.test}\n');
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const build = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id: build.id })).status, 'passing');
  const read = async (path: string) => {
    const answer = await server.get(`/docs/guide${path}`);
    const main = /<main[\s\S]*<\/main>/.exec(await answer.text())![0];
    const shown = main.replace(/<(\w+)[^>]* hidden>[\s\S]*?<\/\1>/g, '');
    const links = [...shown.matchAll(/<a(?: class="[^"]*")? href="([^"]*)">(.*?)<\/a>/g)];
    return [answer.status, ...links.map(([, url, text]) => `${text} ${url}`)];
  };
  const start = 'Go to the home page /docs/guide/en/latest/';
  const gone = ['guide/ /docs/guide/en/v1.1/guide/', start, 'v1.0 /docs/guide/en/v1.0/guide/a%20b.html'];
  for (const end of ['.html', '', '/']) t.deepEqual(await read(`/en/v1.1/guide/a%20b${end}`), [404, ...gone], end);
  t.deepEqual(await read('/en/v1.1/top.html'), [404, start, 'v1.0 /docs/guide/en/v1.0/top.html']);
  t.deepEqual(await read('/en/v1.1/guide/never.html'), [404, start]);
  const own = await sendToHost(server.origin, { host: 'guide.docs.test', path: '/en/v1.1/guide/a%20b.html' });
  t.regex(own.text, /<p class="nearest">[^<]*<a href="\/en\/v1\.1\/guide\/">guide\/<\/a><\/p>/);
});

test.serial(
  'a server leads from the paths that a page has in other versions to where it is, by a redirect',
  async (t) => {
    const setup = `# Setup\n\n${say('setup')}`;
    const guide = `# Guide\n\n${say('guide')}`;
    const tips = say('tips');
    const home = { 'index.md': '# Home\n' };
    const repository = createHistory(t, {
      'v1.0': { ...home, 'guide/setup.md': setup, 'tips.md': `# Tips\n\n${tips}`, 'guide.md': guide },
      'v1.1': { ...home, 'install.md': setup, 'guide.md': `${guide}\n\n## Tips\n\n${tips}` },
    });
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const build = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id: build.id })).status, 'passing');
    for (const [path, location] of [
      ['/latest/guide/setup.html?q=1', '/latest/install.html?q=1'],
      ['/v1.1/guide/setup', '/v1.1/install.html'],
      ['/v1.0/install.html', '/v1.0/guide/setup.html'],
      ['/v1.1/tips.html', '/v1.1/guide.html#tips'],
    ]) {
      const { status, headers } = await server.get(`/docs/guide/en${path}`);
      t.deepEqual([status, headers.get('location')], [301, `/docs/guide/en${location}`], path);
    }
    t.is((await server.get('/docs/guide/en/v1.0/nothing.html')).status, 404);
    const answer = await server.get('/docbuild/desc/guide?path=/en/v1.0/tips.html');
    const { data } = (await answer.json()) as { data: { here: { alternates: readonly { version: string }[] } } };
    const place = { url: 'en/v1.1/guide.html', exists: true, section: 'tips' };
    t.like(
      data.here.alternates.find(({ version }) => version === 'v1.1'),
      place,
    );
  },
);

test.serial('moved pages and homes answer with a redirect on own hosts', async (t) => {
  const server = await createMoved(t);
  for (const host of ['guide.docs.test', 'guide.example'])
    for (const [path, status, location] of MOVES('')) {
      const answer = await sendToHost(server.origin, { host, path });
      t.deepEqual([answer.status, answer.headers.location ?? null], [status, location], `${host}${path}`);
    }
});

test.serial('moved pages and homes answer with a redirect from S3', async (t) => {
  process.env.AWS_ACCESS_KEY_ID = 'key';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret';
  t.teardown(() => {
    delete process.env.AWS_ACCESS_KEY_ID;
    delete process.env.AWS_SECRET_ACCESS_KEY;
  });
  const s3 = await serveS3(t);
  const server = await createMoved(t, `sites: s3://docs/live?endpoint=${s3.url}\n`);
  for (const [path, status, location] of MOVES('/docs/guide')) {
    const answer = await server.get(`/docs/guide${path}`);
    t.deepEqual([answer.status, answer.headers.get('location')], [status, location], path);
  }
});

const language = { tag: 'en', dir: 'ltr' } as const;
const moved = (url: string): string => createComposer().composeRedirect({ url, language });
/** As docbuild wrote it before readers' queries were passed on. */
const formerly = (url: string): string =>
  moved(url)
    .replace(/\n<script>[\s\S]*<\/script>\n/, '')
    .replace(/(<meta name="robots".*\n<link rel="canonical".*\n)(<meta http-equiv="refresh".*\n)/, '$2$1');

test.serial('readMovedPage() reads where a page of docbuild leads, those of sites published before, too', (t) => {
  for (const url of [
    './en/latest/',
    '../a%20b.html?x=1&y="\'<>`#z',
    'https://example.org/?a=1&amp;b',
    '../日本.html',
  ]) {
    t.is(readMovedPage(Buffer.from(moved(url))), url);
    t.regex(formerly(url), /color-scheme.*\n<title>.*\n<meta http-equiv="refresh"/);
    t.is(readMovedPage(Buffer.from(formerly(url))), url);
  }
});

test.serial('readMovedPage() takes no other page for one', (t) => {
  const page = moved('../a.html');
  const others = [
    '',
    '<!doctype html>\n',
    page.replace('rel="canonical" href="../a.html"', 'rel="canonical" href="../b.html"'),
    page.replace('content="0; url', 'content="5; url'),
    page.replace('noindex', 'all'),
    page.replace('<head>', '<head><meta http-equiv="refresh" content="0; url=../c.html">'),
    `<p>${page}`,
    page.replace('<title>', `<title>${'x'.repeat(100_000)}`),
  ];
  for (const other of others) t.is(readMovedPage(Buffer.from(other)), undefined, other.slice(0, 500));
});

test.serial('a moved page never leads where its author has not said', async (t) => {
  const pages = {
    'index.html': moved('./en/latest/'),
    'deep/up.html': moved('../../../../control/'),
    'slashes.html': moved('.//evil.example/'),
    'deep/slashes.html': moved('..//evil.example/%5c..//'),
    'outside.html': moved('//outside.example/a'),
    'script.html': moved('javascript:alert(1)'),
    'self.html': moved('./self?x'),
    'self/index.html': moved('../self/'),
    'mail.html': moved('mailto:a@example.org'),
    'broken.html': moved('http://[broken'),
    'lines.html': moved('./a\r\nX-Evil: 1').replaceAll('\r\n', '&#13;&#10;'),
    'same.html': moved('http://own.example:81/b?x=1#y'),
  };
  const site = await serveSite(t, pages);
  const go = async (path: string, headers = {}) => {
    const answer = await site.ask(path, { headers });
    t.is(answer.headers['x-evil'], undefined);
    return [answer.status, answer.headers.location];
  };
  t.deepEqual(await go('/deep/up.html'), [301, '/control/'], 'like the link in the page');
  t.deepEqual(await go('/slashes.html'), [301, '/evil.example/']);
  t.deepEqual(await go('/deep/slashes.html'), [301, '/evil.example/%5c..//']);
  t.deepEqual(await go('/docs/guide/slashes.html'), [301, '/docs/guide//evil.example/']);
  t.deepEqual(await go('/outside.html?q=1'), [301, 'http://outside.example/a']);
  t.deepEqual(await go('/lines.html'), [301, '/aX-Evil:%201']);
  for (const path of ['/script.html', '/self.html', '/self/', '/mail.html', '/broken.html'])
    t.deepEqual(await go(path), [200, undefined], `${path} is the page that says so`);
  const own = { host: 'own.example:81' };
  t.deepEqual(
    await go('/same.html?q=1', own),
    [301, 'http://own.example:81/b?x=1&q=1#y'],
    'its own host gets the query',
  );
  t.deepEqual(await go('/same.html?q=1', { host: 'own.example' }), [301, 'http://own.example:81/b?x=1#y']);
  for (const path of ['/?//evil.example', '//?x', '/index.html?\\evil'])
    t.true(String((await go(path))[1] ?? '/').startsWith('/'), path);
});

test.serial('a moved page is what was published last', async (t) => {
  const site = await serveSite(t, { 'a.html': moved('./b.html') });
  t.is((await site.ask('/a.html')).headers.location, '/b.html');
  site.write('a.html', moved('./c.html'));
  t.is((await site.ask('/a.html')).headers.location, '/c.html');
  site.write('a.html', '<p>Here again</p>');
  t.is((await site.ask('/a.html')).status, 200);
});

test.serial(
  'the root of a site leads to the language that its reader prefers, of those that the latest version has',
  async (t) => {
    const server = await createMoved(t);
    const go = async (field: string): Promise<string | null> => {
      const answer = await server.get('/docs/guide/?q=1', { 'accept-language': field });
      t.is(answer.status, 302);
      t.is(answer.headers.get('cache-control'), 'private, no-cache');
      t.is(answer.headers.get('vary'), 'Accept-Language');
      return answer.headers.get('location');
    };
    t.is(await go('zh-CN,zh;q=0.9,en;q=0.8'), '/docs/guide/zh_CN/latest/?q=1');
    t.is(await go('en-GB,en;q=0.9,zh;q=0.8'), '/docs/guide/en/latest/?q=1');
    t.is(await go('fr,zh;q=0.5'), '/docs/guide/zh_CN/latest/?q=1', 'French is in an old version only');
    t.is(await go('fr'), '/docs/guide/en/latest/?q=1');
    t.is(await go('de, *'), '/docs/guide/en/latest/?q=1');
    t.is(await go('zh;q=0, en'), '/docs/guide/en/latest/?q=1');
    t.is(await go(`zh${','.repeat(600)}`), '/docs/guide/en/latest/?q=1');
    t.is(await go('\u00ff;q=x,,;,zh--,zh'), '/docs/guide/zh_CN/latest/?q=1');
    const own = { host: 'guide.example', path: '/', headers: { 'Accept-Language': 'zh' } };
    t.is((await sendToHost(server.origin, own)).headers.location, '/zh_CN/latest/');
  },
);

test.serial('the root of a site in one language, or with one version, is the same for all readers', async (t) => {
  const one = createRepository(t);
  commitFiles(one, { 'docs/index.md': '# One\n' });
  const single = createRepository(t);
  commitFiles(single, { 'docs/en/index.md': '# One\n', 'docs/zh_CN/index.md': '# 一\n' });
  const server = await createServer(t);
  await server.operations.createProject({ name: 'one', settings: { url: one.folder } });
  await server.operations.createProject({ name: 'single', settings: { url: single.folder, single: true } });
  for (const name of ['one', 'single']) {
    const { id } = await server.operations.build({ name, all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  }
  const answer = await server.get('/docs/one/', { 'accept-language': 'zh' });
  t.deepEqual([answer.status, answer.headers.get('location')], [302, '/docs/one/en/latest/']);
  t.deepEqual([answer.headers.get('vary'), answer.headers.get('cache-control')], [null, 'no-cache']);
  t.is((await server.get('/docs/single/', { 'accept-language': 'zh' })).status, 200);
});

test.serial('chooseHome() prefers the tag, then what is nearest to it', (t) => {
  const choose = (field: string, ...tags: readonly string[]) =>
    chooseHome(
      tags.map((tag) => ({ path: tag, tag })),
      field,
    )?.path;
  t.is(choose('pt-PT', 'en', 'pt-BR', 'pt'), 'pt');
  t.is(choose('pt-PT', 'en', 'pt-BR'), 'pt-BR');
  t.is(choose('PT-br', 'en', 'pt', 'pt-BR'), 'pt-BR');
  t.is(choose('zh', 'en', 'zh-TW', 'zh-CN'), 'zh-CN');
  t.is(choose('zh-HK', 'en', 'zh-CN', 'zh-TW'), 'zh-TW');
  t.is(choose('zh-Hant', 'en', 'zh-CN', 'zh-TW'), 'zh-TW');
  t.is(choose('zh-TW', 'en', 'zh', 'zh-Hant'), 'zh-Hant');
  t.is(choose('zh-TW,en;q=0.5', 'en', 'zh-CN'), 'zh-CN', 'another script, but the language');
  t.is(choose('fr;q=0.5,de;q=0.9', 'en', 'fr', 'de'), 'de');
  t.is(choose('xx', 'en', 'fr'), 'en');
  t.is(choose('', 'en', 'fr'), 'en');
  t.is(choose('fr', 'en'), 'en');
  t.is(choose('fr', 'en', 'docs-x', 'i-nothing-', 'fr'), 'fr', 'codes that are no tags');
  t.is(choose('fr'), undefined);
});
