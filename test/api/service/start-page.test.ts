import test, { type ExecutionContext } from 'ava';
import { startRoute } from '../../../api/service/start-page.ts';
import { createCodeHosts } from '../../../platform/code-hosts/code-hosts.ts';
import { createProject } from '../../helpers/create-records.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { openStore } from '../../helpers/open-store.ts';
import { serveRoute } from '../../helpers/serve-route.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../../helpers/share-browser.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const getBrowser = shareBrowser();

const build = async (server: TestServer, name: string): Promise<string> => {
  const { id } = await server.operations.build({ name, all: true });
  return (await server.operations.waitForBuild({ id })).status;
};
/** Links of the list of sites with their texts. */
const readSites = (html: string): readonly (readonly string[])[] => {
  const [list = ''] = /<ul class="rows" aria-labelledby="sites">.*?<\/ul>/s.exec(html) ?? [];
  return [...list.matchAll(/href="([^"]+)"[^>]*><bdi>(.*?)<\/bdi>/g)].map(([, url, text]) => [url!, text!]);
};

/** A server with two public sites, a private one, and a project without a site. */
async function createSites(t: ExecutionContext): Promise<TestServer> {
  const guide = createRepository(t);
  commitFiles(guide, {
    '.docbuild.yml': 'title: The <Guide>\n',
    'docs/en/index.md': '# Home\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  const single = createRepository(t);
  commitFiles(single, {
    '.docbuild.yml': 'title: Alone\n',
    'docs/en/index.md': '# Home\n',
    'docs/fr/index.md': '# Accueil\n',
  });
  const server = await createServer(t, 'docs: {domain: docs.test}\n');
  await server.operations.createProject({ name: 'guide', settings: { url: guide.folder } });
  await server.operations.createProject({
    name: 'alone',
    settings: { url: single.folder, single: true, domain: 'alone.example' },
  });
  await server.operations.createProject({ name: 'secretive', settings: { url: guide.folder } });
  await server.operations.createProject({ name: 'unbuilt', settings: { url: guide.folder } });
  for (const name of ['guide', 'alone', 'secretive']) t.is(await build(server, name), 'passing');
  const settings = { url: 'https://user:word@git.example/team/secretive.git' };
  await server.operations.updateProject({ name: 'secretive', settings, isPublic: true });
  return server;
}

test('the root lists the public sites with title, name and languages, and nothing of private ones', async (t) => {
  const server = await createSites(t);
  const answer = await server.get('/');
  t.is(answer.status, 200);
  t.is(answer.headers.get('cache-control'), 'no-cache');
  const html = await answer.text();
  const sites = readSites(html);
  t.deepEqual(
    sites.map(([, text]) => text),
    ['Alone', 'English', 'français', 'The &lt;Guide&gt;', 'English', '中文（中国）'],
  );
  t.deepEqual(
    sites.map(([url]) => new URL(url!).hostname.replace(/\.?docs\.test$/, '+') + new URL(url!).pathname),
    ['alone.example/', 'alone.example/', 'alone.example/fr/', 'guide+/', 'guide+/en/latest/', 'guide+/zh_CN/latest/'],
  );
  t.notRegex(html, /secretive|unbuilt|word@/);
  t.is((await server.get('/', { 'if-none-match': answer.headers.get('etag')! })).status, 304);
  t.regex(await (await server.get('/', { 'accept-language': 'zh' })).text(), /<h2 id="sites">网站<\/h2>/);
  await server.operations.removeProject({ name: 'alone' });
  t.is(readSites(await (await server.get('/')).text()).length, 3);
});

test('the root leads to sites at the host that was asked, unless they have another', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  for (const [yaml, root] of [
    ['', '/docs/guide/'],
    ['api: {port: 0, docs_api_url: "https://docs.example.org"}\n', 'https://docs.example.org/docs/guide/'],
  ] as const) {
    const server = await createServer(t, yaml);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    t.is(await build(server, 'guide'), 'passing');
    const html = await (await server.get('/')).text();
    t.deepEqual(
      readSites(html).map(([url]) => url),
      [root, `${root}en/latest/`],
    );
  }
});

test('the root lists fifty sites at a time, also among many that are private', async (t) => {
  const store = await openStore(t, createFolder(t));
  for (let at = 0; at < 1_200; at++) {
    const isPublic = at < 60 || at > 1_190;
    const url = `https://${isPublic ? '' : 'user:word@'}code.example/owner/p${at}.git`;
    await store.projects.add(createProject({ name: `p${1_000 + at}`, url, ...(at === 55 && { versions: [] }) }));
  }
  const route = startRoute({
    store,
    codeHosts: createCodeHosts(),
    siteUrl: ({ name }) => `/docs/${name}/`,
    consoleUrl: '/control/',
    hereUrl: '',
    sites: { read: () => Promise.reject(new Error('busy')) },
  });
  const origin = await serveRoute(t, route);
  const pages: (readonly string[])[] = [];
  const visited: string[] = [];
  for (let path: string | undefined = '/'; path !== undefined; ) {
    visited.push(path);
    const html: string = await (await fetch(origin + path)).text();
    pages.push(readSites(html).map(([, name]) => name!));
    t.is(/<a href="\/">First page/.test(html), path !== '/');
    path = /href="(\/\?after=[^"]+)" rel="next"/.exec(html)?.[1];
  }
  t.deepEqual(visited, ['/', '/?after=p1049', '/?after=p2049']);
  t.deepEqual(
    pages.map(({ length }) => length),
    [50, 9, 9],
    'sites that cannot be read are listed by their names',
  );
  t.deepEqual([pages[0]![0], pages[1]!.at(-1), pages[2]![0]], ['p1000', 'p1059', 'p2191']);
  t.regex(await (await fetch(`${origin}/?after=zzz`)).text(), /<p class="soft">None\.<\/p>/);
  for (const bad of ['%3Cscript%3E', 'a'.repeat(102), 'A/b']) {
    const refused = await fetch(`${origin}/?after=${bad}`);
    t.is(refused.status, 400, bad);
    t.notRegex(await refused.text(), /<script>/);
  }
});

browserTest('the list of sites is accessible, wide and narrow', async (t) => {
  const server = await createSites(t);
  for (const width of [1280, 360]) {
    const page = await openPage(t, getBrowser(), { viewport: { width, height: 700 } });
    await page.goto(`${server.origin}/`);
    t.deepEqual(await findThemeViolations(page), []);
    t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  }
});
