import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { createSiteServer } from '../../../api/sites/serve-sites.ts';
import { INDEX_NAME } from '../../../platform/sites/compressed-folder.ts';
import { compressedFolder } from '../../../platform/sites/precompressor.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createS3Setup } from '../../helpers/create-s3-setup.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { markText, readWhilePublishing } from '../../helpers/read-while-publishing.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { type FakeS3, serveS3 } from '../../helpers/serve-s3.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const cluster = shareCluster();

/** Sets the credentials of S3 until the test ends. */
function setCredentials(t: ExecutionContext): void {
  process.env.AWS_ACCESS_KEY_ID = 'key';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret';
  t.teardown(() => {
    delete process.env.AWS_ACCESS_KEY_ID;
    delete process.env.AWS_SECRET_ACCESS_KEY;
  });
}

const configure = ({ url }: Pick<FakeS3, 'url'>): string => `sites: s3://docs/live?endpoint=${url}\n`;
const build = async ({ operations }: TestServer, name = 'guide') => {
  const { id } = await operations.build({ name, all: true });
  return operations.waitForBuild({ id });
};

test.serial(
  'sites in S3: what a push changed is live when the build has passed, and only that is uploaded',
  async (t) => {
    setCredentials(t);
    const s3 = await serveS3(t);
    const repository = createRepository(t);
    const pages = Array.from({ length: 30 }, (_, i) => [`docs/page-${i}.md`, `# Page ${i}\n\nWords about ${i}.\n`]);
    commitFiles(repository, { 'docs/index.md': '# Home\n', ...Object.fromEntries(pages) });
    const server = await createServer(t, configure(s3));
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    t.is((await server.get('/docs/guide/en/latest/')).status, 404);
    const first = await build(server);
    t.is(first.status, 'passing', first.reason);
    t.regex(await (await server.get('/docs/guide/en/latest/page-7.html')).text(), /Words about 7/);
    t.regex((await server.operations.readLog({ project: 'guide', id: first.id })).text, /Uploaded \d+ objects, /);
    const before = s3.buckets.get('docs')!.size;
    commitFiles(repository, { 'docs/page-7.md': '# Page 7\n\nOther words.\n' });
    t.is((await build(server)).status, 'passing');
    // A busy machine may send the plain body at first.
    await waitUntil(async () => {
      const answer = await server.get('/docs/guide/en/latest/page-7.html', { 'accept-encoding': 'br' });
      t.regex(await answer.text(), /Other words/);
      return answer.headers.get('content-encoding') === 'br';
    });
    const added = s3.buckets.get('docs')!.size - before;
    t.true(added > 0 && added <= 20, String(added));
    const metrics = await (await server.get('/metrics')).text();
    t.regex(metrics, /^docbuild_s3_requests_total\{method="PUT",outcome="answered"\} [1-9]/m);
    t.regex(metrics, /^docbuild_s3_request_seconds_total\{method="GET",outcome="answered"\} 0\.\d/m);
    t.regex(metrics, /^docbuild_site_cache_reads_total\{outcome="hit"\} [1-9]/m);
    t.regex(metrics, /^docbuild_site_cache_bytes [1-9]/m);
    t.regex(metrics, /^docbuild_builds_oldest_waiting_seconds 0$/m);
    const lost = [...s3.buckets.get('docs')!.keys()].filter((key) => key.endsWith('.br'));
    for (const key of lost) s3.buckets.get('docs')!.delete(key);
    t.is((await build(server)).status, 'passing');
    t.true(
      lost.some((key) => s3.buckets.get('docs')!.has(key)),
      'a build of all versions finds what S3 has lost',
    );
    const description = (await (await server.get('/docbuild/desc/guide')).json()) as { data: { versions: object } };
    t.deepEqual(Object.keys(description.data.versions), ['en']);
    t.is((await server.get('/docs/guide/en/latest/none.html')).status, 404);
    await server.operations.removeProject({ name: 'guide' });
    t.is((await server.get('/docs/guide/en/latest/page-7.html')).status, 404);
  },
);

test.serial('sites in S3: readers get the same as from a folder: pages, search, policies, missing pages', async (t) => {
  setCredentials(t);
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n\n[Sheet](sheet.pdf), [form](form.html), ![drawing](a.svg)\n',
    'docs/en/a.md': `# A\n\n\`\`\`mermaid\nflowchart LR\n  A --> B\n\`\`\`\n\n$x^2$ ${'Words. '.repeat(500)}\n`,
    'docs/en/sheet.pdf': '%PDF-1.4\n',
    'docs/en/form.html': '<!doctype html><title>Form</title><form></form>\n',
    'docs/en/a.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  const servers: TestServer[] = [];
  for (const config of ['', configure(await serveS3(t))]) {
    const server = await createServer(t, config);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    t.is((await build(server)).status, 'passing');
    servers.push(server);
  }
  const [folder, bucket] = servers as [TestServer, TestServer];
  const site = join(folder.folder, 'base/sites/guide/site');
  // A bucket has compressed bodies when a site is live; beside a folder they are made afterwards.
  await waitUntil(() => existsSync(join(compressedFolder(site), INDEX_NAME)));
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.docbuild'))
    .map((entry) => relative(site, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('_docbuild/diagrams/'));
  for (const name of [
    /^_docbuild\/search-en/,
    /^_docbuild\/search\.json/,
    /^versions\.json/,
    /^zh_CN\/404/,
    /sheet\.pdf/,
  ])
    t.true(
      files.some((path) => name.test(path)),
      `${name}`,
    );
  const describe = async (server: TestServer, path: string, coding: string) => {
    const answer = await server.get(`/docs/guide/${path}`, { 'accept-encoding': coding });
    const names = ['content-type', 'content-security-policy', 'content-disposition', 'cache-control'];
    return {
      path,
      status: answer.status,
      'content-encoding': answer.headers.get('content-encoding'),
      ...Object.fromEntries(names.map((name) => [name, answer.headers.get(name)])),
      // Markdown names the host that was asked.
      text: (await answer.text()).replace(/127\.0\.0\.1:\d+/g, 'host'),
    };
  };
  for (const path of [...files, 'en/latest/', 'en/latest/none.html', 'zh_CN/latest/none.html', ''])
    for (const coding of ['br', 'identity']) {
      let answers: Awaited<ReturnType<typeof describe>>[] = [];
      // A compressed body that is not at hand after 50 ms is sent to whoever asks next.
      await waitUntil(async () => {
        answers = await Promise.all([bucket, folder].map((server) => describe(server, path, coding)));
        return answers[0]!['content-encoding'] === answers[1]!['content-encoding'];
      });
      t.deepEqual(answers[0], answers[1]);
    }
});

test.serial('sites in S3: while S3 is away, pages come from this machine, and others are a 503', async (t) => {
  setCredentials(t);
  const s3 = await serveS3(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': `# A\n\n${'Words. '.repeat(500)}\n` });
  const first = await createServer(t, configure(s3));
  await first.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  t.is((await build(first)).status, 'passing');
  await first.close();

  s3.fault = () => 503;
  const second = await createServer(t, configure(s3), first.folder);
  t.regex(await (await second.get('/docs/guide/en/latest/a.html')).text(), /Words/);
  t.is((await second.get('/docs/guide/en/latest/none.html')).status, 404);
  t.true(
    second
      .logged()
      .some((line) =>
        line.includes('answered 503 (SlowDown) to GET; sites are served from what this machine has kept'),
      ),
  );
  await second.close();

  // Another machine has the records, but none of the pages.
  rmSync(join(first.folder, 'base/cache/sites'), { recursive: true });
  const third = await createServer(t, configure(s3), first.folder);
  const busy = await third.get('/docs/guide/en/latest/a.html');
  t.is(busy.status, 503);
  t.truthy(busy.headers.get('retry-after'));
  t.is((await third.get('/docs/guide/en/latest/none.html')).status, 503, 'nobody knows');
  t.is((await third.get('/docbuild/desc/guide')).status, 503);
  s3.fault = undefined;
  let status = 503;
  while (status === 503) status = (await third.get('/docs/guide/en/latest/a.html')).status;
  t.is(status, 200);
});

test.serial(
  'sites in S3: a server that kept its sites in folders serves them from there until they are uploaded',
  async (t) => {
    setCredentials(t);
    const s3 = await serveS3(t);
    s3.buckets.set('docs', new Map());
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n' });
    const first = await createServer(t);
    await first.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    t.is((await build(first)).status, 'passing');
    await first.close();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    s3.before = async (method) => (method === 'PUT' ? released : undefined);
    const second = await createServer(t, configure(s3), first.folder);
    const read = async () => {
      const answer = await second.get('/docs/guide/en/latest/');
      return `${answer.status} ${/>Home/.test(await answer.text())}`;
    };
    t.is(await read(), '200 true');
    const description = async () => (await second.get('/docbuild/desc/guide')).status;
    t.is(await description(), 200);
    s3.requests.length = 0;
    t.is(await read(), '200 true');
    t.deepEqual(
      s3.requests.filter((request) => request.startsWith('GET')),
      [],
    );
    release();
    const isUploaded = async () => (await second.operations.listBuilds({ project: 'guide' }))[0]?.status === 'passing';
    while (!(await isUploaded())) t.is(await read(), '200 true');
    rmSync(join(first.folder, 'base', 'sites', 'guide'), { recursive: true });
    t.is(await read(), '200 true', 'from S3');
    t.deepEqual(
      (await second.operations.listBuilds({ project: 'guide', limit: 1 })).map(({ cause, kind }) => `${cause} ${kind}`),
      ['start refresh'],
    );
  },
);

postgresTest('sites in S3: nodes with folders of their own serve what any of them has built', async (t) => {
  setCredentials(t);
  const s3 = await serveS3(t);
  const { createMigrated, url } = await cluster();
  const yaml = `store: ${url(await createMigrated())}\n${configure(s3)}`;
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const nodes = [await createServer(t, yaml), await createServer(t, yaml)] as const;
  await nodes[0].operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  for (const word of ['One', 'Two', 'Three']) {
    commitFiles(repository, { 'docs/index.md': `# ${word}\n` });
    repository.git('tag', word);
    const { status, reason } = await build(nodes[0]);
    t.is(status, 'passing', reason);
    // Also where nobody asks for a page, and a description was given before.
    await waitUntil(async () => (await (await nodes[1].get('/docbuild/desc/guide')).text()).includes(word));
    t.regex(await (await nodes[1].get('/docbuild/desc/guide')).text(), new RegExp(word));
    for (const node of nodes) {
      let text = '';
      while (!text.includes(`>${word}`)) text = await (await node.get('/docs/guide/en/latest/')).text();
    }
  }
});

test.serial('sites in S3: readers of another node get whole and current pages while builds publish', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  const [builder, reader] = [open(), open()];
  const { middleware } = createSiteServer({
    findSite: async () => ({
      files: await reader.sites.find('guide'),
      basePath: '',
      isShared: false,
      languages: [],
    }),
  });
  const listener = new Koa().use(middleware).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  t.teardown(() => {
    listener.close();
    listener.closeAllConnections();
  });
  s3.before = async () => {
    for (let turns = Math.floor(Math.random() * 10); turns > 0; turns--) await new Promise(setImmediate);
  };
  const paths = Array.from({ length: 8 }, (_, i) => `en/v${i % 3}/page-${i}.html`);
  const seen = await readWhilePublishing({
    urls: paths.map((path) => `http://127.0.0.1:${(listener.address() as AddressInfo).port}/${path}`),
    publish: async (mark) => {
      const files = paths.map((path, i) => [path, `${`${path} ${markText(mark)}\n`.repeat(1 + i * 20)}</html>\n`]);
      await publish(builder, Object.fromEntries(files) as Record<string, string>, { build: `b${mark}` });
    },
    publishes: 12,
    readers: 6,
  });
  t.deepEqual(seen.errors, []);
  t.true(seen.marks > 5 && seen.answers > 100, JSON.stringify(seen));
  // Whether a reader comes back between two builds is chance.
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/${paths[0]}`;
  const tag = (await fetch(url)).headers.get('etag')!;
  t.is((await fetch(url, { headers: { 'if-none-match': tag } })).status, 304);
});

test.serial(
  'sites in S3: a server without credentials, or with a URL that cannot be used, does not start',
  async (t) => {
    const s3 = await serveS3(t);
    await t.throwsAsync(createServer(t, configure(s3)), { message: /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/ });
    for (const [sites, message] of [
      ['s3://key:secret@docs', /must hold no credentials/],
      ['s3://docs?endpoint=ftp://x', /must have an endpoint such as/],
      ['s3://docs?zone=eu', /unknown parameter "zone"/],
      ['s3://D', /must name a bucket/],
      ['s3://docs/../other', /must have a prefix of letters/],
    ] as const) {
      await t.throwsAsync(createServer(t, `sites: '${sites}'\n`), { message }, sites);
    }
    setCredentials(t);
    s3.fault = () => 403;
    await t.throwsAsync(createServer(t, configure(s3)), {
      message: /^Bucket "docs" at 127.0.0.1:\d+ answered 403 \(InternalError\) to GET/,
    });
  },
);

test.serial('sites may be in a folder elsewhere', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const server = await createServer(t, 'sites: ./elsewhere\n');
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  t.is((await build(server)).status, 'passing');
  t.true(existsSync(join(server.folder, 'elsewhere/guide/site/index.html')));
  t.regex(await (await server.get('/docs/guide/en/latest/')).text(), />Home/);
});

/** Prints which bundles that hold what S3 needs a process has loaded. */
const LIST_MODULES = `--import=data:text/javascript,${encodeURIComponent(
  'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; const read = fs.readFileSync; fs.readFileSync = (path, ...rest) => { if (/command\\/s3-bucket-/.test(path)) console.error("loaded", path); return read(path, ...rest); }; syncBuiltinESMExports();',
)}`;

test.serial('sites in folders: nothing that S3 needs is loaded', async (t) => {
  setCredentials(t);
  const { folder } = createRepository(t);
  const run = (env: Record<string, string>, yaml: string) => {
    writeFileSync(join(folder, 'docbuild.yml'), yaml);
    return runDocbuild(['project', 'list'], { cwd: folder, env: { NODE_OPTIONS: LIST_MODULES, ...env } });
  };
  const plain = await run({}, '');
  t.is(plain.code, 0, plain.stderr);
  t.notRegex(plain.stderr, /loaded/);
  const s3 = await serveS3(t);
  const credentials = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
  const remote = await run(credentials, configure(s3));
  t.is(remote.code, 0, remote.stderr);
  t.regex(remote.stderr, /loaded .*s3-bucket/);
});
