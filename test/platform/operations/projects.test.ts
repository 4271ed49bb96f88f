import { basename, dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveGit } from '../../helpers/serve-git.ts';
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

test.serial('updateProject() moves the webhook of the GitHub App to the new repository', async (t) => {
  const { server, old, moved } = await createWithApp(t);
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://github.com/team/old.git' } });
  t.deepEqual([old.hooks.length, moved.hooks.length], [1, 0]);
  await server.operations.updateProject({
    name: 'guide',
    changes: 'url:https://github.com/Team/Old,secret:new and long enough',
  });
  t.deepEqual([old.hooks.length, moved.hooks.length], [1, 0], 'another spelling is the same repository');
  t.is(old.hooks[0]!.config['secret'], 'new and long enough');
  await server.operations.updateProject({ name: 'guide', changes: 'url:https://github.com/team/moved' });
  t.deepEqual([old.hooks.length, moved.hooks.length], [0, 1]);
  t.is(moved.hooks[0]!.config['secret'], 'new and long enough');
});

test.serial('updateProject() publishes the site anew for another address, which pages show', async (t) => {
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

test.serial(
  'updateProject() takes values as well as text, and says which build publishes the site again',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    const server = await createServer(t);
    const meta = { team: 'docs', excluded_branch: '0.x' };
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, meta } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    await server.operations.waitForBuild({ id });
    const unseen = await server.operations.updateProject({
      name: 'guide',
      settings: { secret: 'a,b:c of many characters', timeout: 60, meta: { team: '', mail: 'x=y,z' } },
    });
    t.deepEqual(unseen.meta, { excluded_branch: '0.x', mail: 'x=y,z' });
    t.like(unseen, { hasSecret: true, timeout: 60, rebuild: undefined });
    const { rebuild = '' } = await server.operations.updateProject({ name: 'guide', settings: { hideGit: true } });
    t.like(await server.operations.waitForBuild({ id: rebuild }), { kind: 'refresh', status: 'passing' });
    await t.throwsAsync(server.operations.updateProject({ name: 'guide', settings: { timeout: -1 } }), {
      message: /^Field "timeout"/,
    });
  },
);

test.serial(
  'inspectRepository() looks at an address, or at a project with other settings, and names what is wrong',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n', 'manual/index.md': '# One\n' });
    repository.git('branch', '0.x');
    const git = await serveGit(t, dirname(repository.folder), { username: 'me', password: 'hunter2' });
    const address = `${git.url}/${basename(repository.folder)}/.git`;
    const url = address.replace('//', '//me:hunter2@');
    const server = await createServer(t);
    const { inspectRepository } = server.operations;
    const report = await inspectRepository({ settings: { url } });
    t.like(report, { label: address, refCount: 2, builtCount: 2, documentation: { kind: 'found', folder: 'docs' } });
    const meta = { excluded_branch: '0.x' };
    await server.operations.createProject({ name: 'guide', settings: { url, meta }, isPublic: true });
    const changed = await inspectRepository({ name: 'guide', settings: { sourceDir: 'manual' } });
    t.like(changed, { builtCount: 1, documentation: { kind: 'found', folder: 'manual' } });
    t.false(JSON.stringify([report, changed]).includes('hunter2'));
    const refuse = (settings: { readonly url?: string }, message: RegExp) =>
      t.throwsAsync(inspectRepository({ settings }), { code: 'invalid', message });
    await refuse({ url: address }, /^"http:[^"]*" requires credentials: /);
    await refuse({ url: url.replace('hunter2', 'wrong') }, /^"http:\/\/127[^"]*" does not accept the credentials/);
    await refuse({ url: 'github.com/a/b' }, /did you mean "https:\/\/github\.com\/a\/b"/);
    await refuse({ url: '/nowhere' }, /"\/nowhere"/);
    await refuse({}, /missing/);
  },
);

test.serial(
  'inspectRepository() refuses what would wait for too long, and works again after a server that was silent',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    const git = await serveGit(t, dirname(repository.folder));
    git.holdAfterBytes = 10;
    const server = await createServer(t);
    const { inspectRepository } = server.operations;
    const url = `${git.url}/${basename(repository.folder)}/.git`;
    const waiting = Array.from({ length: 12 }, () =>
      inspectRepository({ settings: { url } }).catch((error: Error) => error),
    );
    await t.throwsAsync(inspectRepository({ settings: { url } }), { code: 'busy' });
    await git.close();
    const answers = await Promise.all(waiting);
    t.true(answers.every((answer) => answer instanceof Error || answer.documentation.kind === 'unknown'));
    t.like(await inspectRepository({ settings: { url: repository.folder } }), { refCount: 1 });
  },
);

test.serial('projects: a new secret has 16 characters; one from before stays, and is told of', async (t) => {
  const server = await createServer(t);
  const url = 'https://example.com/you/guide.git';
  for (const secret of ['x', 'x'.repeat(15), '😀'.repeat(15)]) {
    const refused = server.operations.createProject({ name: 'guide', settings: { url, secret } });
    await t.throwsAsync(refused, { message: /^Field "secret" must have at least 16 characters/ });
  }
  await server.operations.createProject({ name: 'open', settings: { url } });
  t.like(await server.operations.createProject({ name: 'guide', settings: { url, secret: 'x'.repeat(16) } }), {
    hasSecret: true,
    hasShortSecret: undefined,
  });
  const { text } = await server.operations.exportProject({ name: 'guide' });
  const [prefix, json] = text.split('.') as [string, string];
  const settings = JSON.parse(Buffer.from(json, 'base64url').toString()) as object;
  const old = `${prefix}.${Buffer.from(JSON.stringify({ ...settings, secret: 'hush' })).toString('base64url')}`;
  t.like(await server.operations.importProject({ text: old, name: 'old' }), { hasShortSecret: true });
  await server.operations.updateProject({ name: 'old', changes: 'hideGit:true' });
  await t.throwsAsync(server.operations.updateProject({ name: 'old', changes: 'secret:hash' }), {
    message: /16 characters/,
  });
  await server.close();
  const again = await createServer(t, '', server.folder);
  t.deepEqual(again.warnings.length, 1);
  t.regex(again.warnings[0]!, /^1 project has a secret of less than 16 characters, .*\(old\)/);
});

test.serial('purgeSite() says that no CDN is configured, and knows no project that is not there', async (t) => {
  const { operations } = await createServer(t);
  await t.throwsAsync(operations.purgeSite({ name: 'guide' }), { message: /"guide" does not exist/ });
  await operations.createProject({ name: 'guide', settings: { url: 'https://h.invalid/guide' } });
  await t.throwsAsync(operations.purgeSite({ name: 'guide' }), { message: /No CDN is configured: "cdn\.url"/ });
});
