import type { ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import test from '../../helpers/serial-test.ts';
import { serveGithub } from '../../helpers/serve-github.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const INSTALLATION = 7;

/** A server with the App, on a fake GitHub with two repositories. */
async function createWithApp(t: ExecutionContext) {
  const github = await serveGithub(t);
  github.permissions.set(INSTALLATION, { repository_hooks: 'write' });
  const [old, moved] = ['team/old', 'team/moved'].map((name) => github.addRepository(name, INSTALLATION));
  const settings = { enabled: true, app_id: github.appId, private_key: github.privateKey };
  const app = { ...settings, webhook_secret: 'hush', api_url: github.url };
  const server = await createServer(t, `github_app: ${JSON.stringify(app)}\n`);
  return { server, old: old!, moved: moved! };
}

test('updateProject() moves the webhook of the GitHub App to the new repository', async (t) => {
  const { server, old, moved } = await createWithApp(t);
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://github.com/team/old.git' } });
  t.deepEqual([old.hooks.length, moved.hooks.length], [1, 0]);
  await server.operations.updateProject({ name: 'guide', changes: 'url:https://github.com/Team/Old,secret:new' });
  t.deepEqual([old.hooks.length, moved.hooks.length], [1, 0], 'another spelling is the same repository');
  t.is(old.hooks[0]!.config['secret'], 'new');
  await server.operations.updateProject({ name: 'guide', changes: 'url:https://github.com/team/moved' });
  t.deepEqual([old.hooks.length, moved.hooks.length], [0, 1]);
  t.is(moved.hooks[0]!.config['secret'], 'new');
});

test('updateProject() publishes the site anew for another address, which pages show', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  await server.operations.updateProject({ name: 'guide', changes: `url:${repository.folder}/.git` });
  const page = await (await server.get('/docbuild/projects/guide')).text();
  t.is(new Set(page.match(/builds\/[0-9a-z]{20}/g)).size, 2);
});
