import test, { type ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from '../helpers/create-repository.ts';
import { createServer, type TestServer } from '../helpers/create-server.ts';
import { damageObject } from '../helpers/raw-objects.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const BROKEN = '---\ntitle: One\ntitle: Two\n---\n# Page\n';

/** A server with a project whose tag `v0.1` has a page with broken front matter, and whose tag `v0.2` misses an object. */
async function createBroken(t: ExecutionContext) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': BROKEN });
  repository.git('tag', 'v0.1');
  commitFiles(repository, { 'docs/a.md': '# Lost\n' });
  repository.git('tag', 'v0.2');
  commitFiles(repository, { 'docs/a.md': '# Good\n' });
  const restore = damageObject(repository, 'v0.2:docs/a.md');
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  return { repository, server, restore };
}

async function build(server: TestServer, ref?: string) {
  const { id } = await server.operations.build({ name: 'guide', ...(ref === undefined ? { all: true } : { ref }) });
  return server.operations.waitForBuild({ id });
}

async function readBadge(server: TestServer, ref: string): Promise<string | undefined> {
  const badge = await (await server.get(`/docbuild/badge/guide?branch=${ref}`)).text();
  return /docs: (\w+)/.exec(badge)?.[1];
}

async function readBadges(server: TestServer): Promise<readonly (string | undefined)[]> {
  return Promise.all(['main', 'v0.1', 'v0.2'].map((ref) => readBadge(server, ref)));
}

async function readData(server: TestServer, path: string): Promise<Record<string, unknown>> {
  return ((await (await server.get(path)).json()) as { data: Record<string, unknown> }).data;
}

function mend(repository: TestRepository): void {
  repository.git('checkout', '--quiet', '--detach', 'v0.1');
  commitFiles(repository, { 'docs/a.md': '# Mended\n' });
  repository.git('tag', '--force', 'v0.1');
  repository.git('checkout', '--quiet', 'main');
}

test('server: the first build of all versions publishes what can be, and each version has a status of its own', async (t) => {
  const { server } = await createBroken(t);
  const { id, status, result, reason } = await build(server);
  t.deepEqual([status, reason, result?.versions, result?.errors], ['passing', '', 2, 2]);
  t.deepEqual(await readBadges(server), ['passing', 'failing', 'failing']);
  t.is((await server.get('/docs/guide/en/main/a')).status, 200);
  t.is((await server.get('/docs/guide/en/v0.1/a')).status, 200);
  t.is((await server.get('/docs/guide/en/v0.2/a')).status, 404);
  const { failing } = await readData(server, '/docbuild/desc/guide');
  t.deepEqual(Object.keys(failing as object), ['v0.2', 'v0.1']);
  t.regex((failing as Record<string, string>)['v0.1']!, /^docs\/a\.md:3: Front matter is not valid YAML: /);
  const found = await readData(server, `/docbuild/builds/${id}/problems`);
  t.like(found, { errors: 2, warnings: 0 });
  t.like(found['problems'], [
    { severity: 'error', ref: 'v0.2', file: 'docs/a.md', line: 0, code: 'damaged-repository' },
    { severity: 'error', ref: 'v0.1', file: 'docs/a.md', line: 3, code: 'front-matter' },
  ]);
  const log = await (await server.get(`/docbuild/builds/${id}/log`)).text();
  t.regex(
    log,
    /\nError: v0\.2 docs\/a\.md: Object .* is missing; the version is left out\nError: v0\.1 docs\/a\.md:3: /,
  );
  t.regex(log, /\nPassing\n$/);
  const page = await (await server.get('/docbuild/projects/guide')).text();
  t.regex(
    page,
    /<td>v0\.2<\/td><td><a class="status failing"[\s\S]*?not published[\s\S]*?is missing; the version is left out/,
  );
  t.regex(page, /<td>v0\.1<\/td><td><a class="status failing"/);
  t.regex(page, /<td>main<\/td><td><a class="status passing"/);
  t.regex(page, /<pre[^>]*>Error: v0\.2 docs\/a\.md: [\s\S]*Error: v0\.1 docs\/a\.md:3: /);
});

test('server: a version stays failing after the next build of all while it still fails, and passes once it is mended', async (t) => {
  const { repository, server, restore } = await createBroken(t);
  await build(server);
  const own = await build(server, 'v0.2');
  t.deepEqual([own.status, await readBadge(server, 'v0.2')], ['failing', 'failing']);
  await build(server);
  t.deepEqual(await readBadges(server), ['passing', 'failing', 'failing']);
  commitFiles(repository, { 'docs/b.md': '# New\n' });
  t.is((await build(server, 'main')).status, 'passing');
  t.deepEqual(await readBadges(server), ['passing', 'failing', 'failing']);
  mend(repository);
  t.is((await build(server, 'v0.1')).result?.errors, 1, 'those of v0.2');
  t.deepEqual(await readBadges(server), ['passing', 'passing', 'failing']);
  restore();
  await build(server);
  t.deepEqual(await readBadges(server), ['passing', 'passing', 'passing']);
  t.deepEqual((await readData(server, '/docbuild/desc/guide'))['failing'], {});
});

test('server: a version whose page breaks is published and failing, until the page is mended', async (t) => {
  const { repository, server } = await createBroken(t);
  await build(server, 'main');
  t.is(await readBadge(server, 'main'), 'passing');
  commitFiles(repository, { 'docs/a.md': BROKEN, 'docs/new.md': '# New\n' });
  const broken = await build(server, 'main');
  t.deepEqual([broken.status, broken.result?.errors], ['passing', 3], 'those of both tags, too');
  t.is(await readBadge(server, 'main'), 'failing');
  t.is((await server.get('/docs/guide/en/main/new')).status, 200);
  commitFiles(repository, { 'docs/a.md': '# Mended\n' });
  await build(server, 'main');
  t.is(await readBadge(server, 'main'), 'passing');
});

test('server: a version that is gone at the remote fails no more', async (t) => {
  const { repository, server } = await createBroken(t);
  await build(server);
  repository.git('tag', '--delete', 'v0.2');
  await build(server);
  t.deepEqual(await readBadges(server), ['passing', 'failing', 'unknown']);
});

test('server: a build of all versions that fails as a whole leaves the site up and fails all', async (t) => {
  const { repository, server } = await createBroken(t);
  await build(server);
  commitFiles(repository, { '.docbuild.yml': 'title: [\n' });
  t.is((await build(server)).status, 'failing');
  t.deepEqual(await readBadges(server), ['failing', 'failing', 'failing']);
  t.is((await server.get('/docs/guide/en/main/a')).status, 200);
  repository.git('rm', '--quiet', '.docbuild.yml');
  repository.commit('Mend');
  await build(server);
  t.deepEqual(await readBadges(server), ['passing', 'failing', 'failing']);
});

test('server: a badge tells how the translation of a version stands', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/a.md': '# A\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  repository.git('tag', 'v1.0');
  commitFiles(repository, { 'docs/zh_CN/a.md': '# 甲\n' });
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  await build(server);
  const read = async (query: string): Promise<string | undefined> => {
    const response = await server.get(`/docbuild/badge/guide?${query}`);
    t.is(response.status, 200);
    return /<title>([^<]*)<\/title>/.exec(await response.text())?.[1];
  };
  t.is(await read('lang=zh_CN'), 'zh_CN: 100 %');
  t.is(await read('lang=zh-cn&branch=v1.0'), 'zh-cn: 50 %');
  t.is(await read('lang=zh_CN&branch=latest&label=Chinese'), 'Chinese: 100 %');
  t.is(await read('lang=en'), 'en: 100 %');
  t.is(await read('lang=fr'), 'fr: unknown');
  t.is(await read('lang=zh_CN&branch=gone'), 'zh_CN: unknown');
  t.is(await read('lang='), 'docs: passing');
});
