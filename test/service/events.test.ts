import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { runGit } from '../helpers/run-git.ts';
import { type Received, type Receiver, serveReceiver } from '../helpers/serve-receiver.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const cluster = shareCluster();
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const configure = ({ url }: Pick<Receiver, 'url'>): string =>
  `events: {url: "${url}", secret: "${SECRET}", allowed: ["127.0.0.1"]}\n`;

function checkSignature(t: ExecutionContext, { headers, body }: Received): void {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  t.is(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
}

test.serial(
  'an event follows each publish that changes what readers get, when they get it; one tells of a removal',
  async (t) => {
    const receiver = await serveReceiver(t);
    const server = await createServer(t, configure(receiver));
    const { operations } = server;
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    runGit(repository.folder, 'tag', 'v1.0.0');
    await operations.createProject({ name: 'guide', settings: { url: repository.folder, lang: ['en'] } });
    const wait = async (id: string) => {
      const build = await operations.waitForBuild({ id });
      t.is(build.status, 'passing', build.reason);
      return build;
    };
    const seen: unknown[] = [];
    receiver.answer = async (response, { content: { data } }) => {
      const [page, build] = await Promise.all([
        server.get('/docs/guide/en/main/index.html').then((answer) => answer.text()),
        server.get(`/docbuild/builds/${data['build']}`, { Accept: 'application/json' }).then((answer) => answer.text()),
      ]);
      seen.push([/One|Two/.exec(page)?.[0], /passing/.test(build)]);
      response.writeHead(204).end();
    };
    const all = await wait((await operations.build({ name: 'guide', all: true })).id);
    await waitUntil(() => seen.length === 1);
    const [first] = receiver.received as [Received];
    checkSignature(t, first);
    const oid = (ref: string) => runGit(repository.folder, 'rev-parse', `${ref}^{commit}`).trim();
    t.is(first.content.type, 'site.published');
    t.true(Math.abs(Date.parse(first.content.timestamp) - Date.now()) < 60_000);
    t.deepEqual(first.content.data, {
      project: 'guide',
      urls: [`${server.origin}/docs/guide/`],
      projectUrl: `${server.origin}/docbuild/projects/guide`,
      build: all.id,
      buildUrl: `${server.origin}/docbuild/builds/${all.id}`,
      ref: '',
      commit: '',
      versionCount: 2,
      versions: [
        { ref: 'main', commit: oid('main') },
        { ref: 'v1.0.0', commit: oid('v1.0.0') },
      ],
    });
    // Nothing has changed for readers.
    await wait((await operations.build({ name: 'guide', all: true })).id);
    commitFiles(repository, { 'docs/index.md': '# Two\n' });
    const main = await wait((await operations.build({ name: 'guide', ref: 'main' })).id);
    await waitUntil(() => seen.length === 2);
    t.like(receiver.received[1]!.content.data, { build: main.id, ref: 'main', commit: oid('main') });
    t.deepEqual(seen, [
      ['One', true],
      ['Two', true],
    ]);
    t.not(receiver.received[1]!.headers['webhook-id'], first.headers['webhook-id']);

    receiver.answer = (response) => void response.writeHead(204).end();
    await operations.removeProject({ name: 'guide' });
    await waitUntil(() => receiver.received.some(({ content }) => content.type === 'site.removed'));
    t.deepEqual(receiver.received.at(-1)!.content.data, { project: 'guide', urls: [`${server.origin}/docs/guide/`] });
    const metrics = await (await server.get('/metrics')).text();
    t.regex(metrics, /^docbuild_events_total\{outcome="delivered"\} [34]$/m);
  },
);

test.serial('an event that is refused holds up no build, and comes again with the same id', async (t) => {
  const receiver = await serveReceiver(t);
  let refusals = 0;
  receiver.answer = (response) => void response.writeHead(refusals++ < 1 ? 503 : 204).end();
  const server = await createServer(t, configure(receiver));
  const { operations } = server;
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await operations.build({ name: 'guide', ref: 'main' });
  t.is((await operations.waitForBuild({ id })).status, 'passing');
  const startMs = performance.now();
  const [one, again] = (await receiver.waitFor(2)) as [Received, Received];
  t.true(performance.now() - startMs > 3_000, 'not at once');
  t.is(again.headers['webhook-id'], one.headers['webhook-id']);
  checkSignature(t, again);
  await waitUntil(() =>
    server.logged().some((line) => /Cannot tell the receiver of events of project \\"guide\\"/.test(line)),
  );
  t.regex(await (await server.get('/metrics')).text(), /^docbuild_events_total\{outcome="delayed"\} 1$/m);
});

test.serial('an event goes to no private address that is not allowed', async (t) => {
  const receiver = await serveReceiver(t);
  const server = await createServer(t, `events: {url: "${receiver.url}", secret: "${SECRET}"}\n`);
  const { operations } = server;
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  await operations.waitForBuild({ id: (await operations.build({ name: 'guide', ref: 'main' })).id });
  await waitUntil(() => server.logged().some((line) => /allow it with \\"events\.allowed\\"/.test(line)));
  t.deepEqual(receiver.received, []);
});

postgresTest('of several nodes one sends an event, whichever has built', async (t) => {
  const own = await cluster();
  const receiver = await serveReceiver(t);
  const sites = createFolder(t);
  const yaml = `store: ${own.url(await own.createMigrated())}\nsites: ${sites}\n${configure(receiver)}`;
  const servers = [await createServer(t, yaml), await createServer(t, yaml)];
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const { operations } = servers[0]!;
  const names = ['alpha', 'beta', 'gamma', 'delta'];
  for (const name of names) await operations.createProject({ name, settings: { url: repository.folder } });
  const asked = await Promise.all(names.map((name) => operations.build({ name, all: true })));
  for (const { id } of asked) t.is((await operations.waitForBuild({ id })).status, 'passing');
  await receiver.waitFor(names.length);
  // The other one looks every two seconds.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const told = receiver.received.map(({ content: { type, data } }) => `${type} ${data['project']} ${data['build']}`);
  t.deepEqual(told.toSorted(), names.map((name, i) => `site.published ${name} ${asked[i]!.id}`).toSorted());
});

for (const language of ['en', 'zh_CN']) {
  test.serial(
    `the receiver of the documentation (${language}) prints a true event, and refuses a forged one`,
    async (t) => {
      const page = readFileSync(new URL(`../../../docs/${language}/operating.md`, import.meta.url), 'utf8');
      const script = /```js\n(\/\/ receive\.mjs\n[\s\S]*?)```/.exec(page)![1]!;
      const file = join(createFolder(t), 'receive.mjs');
      // Any free port, which it prints.
      writeFileSync(
        file,
        script.replace('.listen(8080)', '.listen(0, function () { console.log(this.address().port); })'),
      );
      const child = spawn(process.execPath, [file], {
        env: { ...process.env, SECRET },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.teardown(() => void child.kill());
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      await waitUntil(() => output.includes('\n'));
      const url = `http://127.0.0.1:${output.trim()}/`;
      const server = await createServer(t, configure({ url }));
      const repository = createRepository(t);
      commitFiles(repository, { 'docs/index.md': '# One\n' });
      await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
      const forged = { type: 'site.published', data: { project: 'forged', urls: [] } };
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      };
      t.is((await fetch(url, { method: 'POST', headers, body: JSON.stringify(forged) })).status, 403);
      await server.operations.build({ name: 'guide', ref: 'main' });
      const commit = runGit(repository.folder, 'rev-parse', 'main').trim();
      await waitUntil(() => output.includes(`site.published guide main ${commit}\n`));
      t.notRegex(output, /forged/);
    },
  );
}
