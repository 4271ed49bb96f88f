import test from 'ava';
import { createSigningSecret } from '../../lib/standard-webhooks.ts';
import { createConsole } from '../helpers/create-console.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { serveReceiver } from '../helpers/serve-receiver.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test('a push that breaks a version and one that mends it are told, and seen in console, metrics, log and commands', async (t) => {
  const receiver = await serveReceiver(t);
  const { server, operator, logIn } = await createConsole(t, 'notifications: {allowed: ["127.0.0.1"]}\n');
  const { operations } = server;
  const notifySecret = createSigningSecret();
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await operations.createProject({
    name: 'guide',
    settings: { url: repository.folder, notify: receiver.url, notifySecret },
  });
  const build = async () =>
    operations.waitForBuild({ id: (await operations.build({ name: 'guide', ref: 'main' })).id });
  t.is((await build()).status, 'passing');
  commitFiles(repository, { 'docs/index.md': '---\ntitle: "Never closed\n---\n\n# Two\n' });
  const broken = await build();
  const [failing] = await receiver.waitFor(1);
  t.like(failing!.content, { type: 'version.failing' });
  t.like(failing!.content.data, {
    project: 'guide',
    ref: 'main',
    status: 'failing',
    build: broken.id,
    errors: 1,
    siteUrl: `${server.origin}/docs/guide/`,
  });
  t.regex(String(failing!.content.data['messages']), /docs\/index\.md/);
  t.is((await fetch(String(failing!.content.data['buildUrl']))).status, 200);

  receiver.answer = (response) => void response.writeHead(500).end();
  commitFiles(repository, { 'docs/index.md': '# Three\n' });
  await build();
  const [, mended] = await receiver.waitFor(2);
  t.like(mended!.content, { type: 'version.mended' });
  const client = await logIn(operator);
  const readPage = async () => (await client.get('/control/projects/guide')).html;
  await waitUntil(async () => (await readPage()).includes('answered 500'));
  const page = await readPage();
  t.regex(page, /main <span class="status passing">mended<\/span>.*waiting/s);
  t.regex(page, /answered 500<\/span>; 1 attempt, the next one at/);
  t.false(page.includes(notifySecret));
  const metrics = await (await server.get('/metrics')).text();
  t.regex(metrics, /^docbuild_notifications_total\{outcome="delivered"\} 1$/m);
  t.regex(metrics, /^docbuild_notifications_total\{outcome="delayed"\} 1$/m);
  t.regex(
    server.logged().join(''),
    /Cannot notify of project \\"guide\\", ref \\"main\\": .*answered 500; tried again/,
  );

  const path = '/control/projects/guide/notify';
  t.regex((await client.submit(path)).html, /The test was not delivered: .*answered 500/);
  receiver.answer = (response) => void response.writeHead(204).end();
  t.regex((await client.submit(path)).html, /Test notification delivered/);
  const run = (...args: string[]) => runCommand(['notifications', 'guide', ...args], { cwd: server.folder });
  t.regex((await run()).stdout, /^\S+\tmain\tmended\twaiting\t1\t"127\.0\.0\.1:\d+" answered 500\n$/);
  t.deepEqual(JSON.parse((await run('--test', '--json')).stdout), { success: true, message: '' });
  t.is(receiver.received.at(-1)?.content.type, 'test');
  await operations.updateProject({ name: 'guide', changes: 'notify:http://10.0.0.1/' });
  const refused = await run('--test');
  t.is(refused.code, 1);
  t.regex(refused.stdout, /^Not delivered: "10\.0\.0\.1" is not on the public internet; allow it with/);
});
