import test from 'ava';
import { WebhookError } from '../../../platform/code-hosts/code-host.ts';
import { createAppSetup, grant, HOOK_URL, INSTALLATION } from '../../helpers/create-app-setup.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { type FakeHook, serveGithub } from '../../helpers/serve-github.ts';
import { signGithub } from '../../helpers/sign-webhook.ts';
import { webhookExamples } from '../../helpers/webhook-examples.ts';

const HELLO = 'Codertocat/Hello-World';
const creations = (calls: readonly string[]): number => calls.filter((call) => /^POST .*\/hooks$/.test(call)).length;

const hook = (url: string, id = 1): FakeHook => ({
  id,
  name: 'web',
  active: true,
  events: ['push'],
  config: { url, content_type: 'json' },
});

test.serial('create-github-app() creates the webhook of a project that uses a granted repository', async (t) => {
  const { github, repository, send } = await createAppSetup(t);
  const answer = await send('installation', grant(HELLO));
  const hooks = [{ project: 'guide', result: 'created', message: '' }];
  t.deepEqual(answer as object, { status: 200, body: { success: true, message: '', hooks } });
  const config = { url: HOOK_URL, content_type: 'json', insecure_ssl: '0', secret: 'the secret' };
  t.like(repository.hooks, [{ name: 'web', active: true, events: ['push', 'release'] }]);
  t.deepEqual(repository.hooks[0]?.config, config);
  t.deepEqual(github.refusedSignIns, []);
});

test.serial('create-github-app() sends no secret for a project that has none', async (t) => {
  const { repository, send } = await createAppSetup(t, [createHookProject({ secret: '' })]);
  await send('installation', grant(HELLO));
  t.false('secret' in repository.hooks[0]!.config);
});

for (const { title, event, payload } of webhookExamples('installation', 'installation_repositories')) {
  test.serial(`create-github-app() handles example ${title}`, async (t) => {
    const { github, send, store } = await createAppSetup(t, []);
    github.addRepository('another/one', payload.installation.id);
    const named = [...(payload.repositories ?? []), ...(payload.repositories_added ?? [])];
    const names: string[] = named.map(({ full_name }: { full_name: string }) => full_name);
    for (const [index, name] of names.entries()) {
      github.addRepository(name, payload.installation.id);
      await store.projects.add(createHookProject({ name: `p${index}`, url: `https://github.com/${name}` }));
    }
    const { status, body } = await send(event, payload);
    t.is(status, 200);
    const grants = ['created', 'added', 'new_permissions_accepted'].includes(payload.action) && names.length > 0;
    t.is(creations(github.calls), grants ? names.length : 0);
    if (!grants && payload.action !== 'unsuspend') t.regex(body.message, /^ignored: /);
  });
}

test.serial('create-github-app() creates a webhook for each project of a repository', async (t) => {
  const { repository, send } = await createAppSetup(t, [
    createHookProject(),
    createHookProject({ name: 'other', url: 'https://github.com/codertocat/hello-world' }),
    createHookProject({ name: 'foreign', url: 'https://gitee.com/Codertocat/Hello-World' }),
  ]);
  await send('installation', grant(HELLO));
  t.deepEqual(
    repository.hooks.map(({ config }) => config.url),
    [HOOK_URL, HOOK_URL.replace('guide', 'other')],
  );
});

test.serial('create-github-app() creates nothing twice: events at once, later ones, after a restart', async (t) => {
  const { github, repository, send, restart } = await createAppSetup(t);
  const added = { ...grant(), action: 'added', repositories_added: [{ full_name: HELLO }], repositories_removed: [] };
  const answers = await Promise.all([
    send('installation', grant(HELLO)),
    send('installation_repositories', added),
    send('installation', grant(HELLO)),
  ]);
  t.deepEqual(answers.flatMap(({ body }) => body.hooks?.map(({ result }) => result)).sort(), [
    'created',
    'exists',
    'exists',
  ]);
  await send('installation', grant(HELLO));
  await send('installation', grant(HELLO), restart());
  t.is(repository.hooks.length, 1);
  t.is(creations(github.calls), 1);
});

test.serial('create-github-app() finds its webhook on the last page, and in either form of the address', async (t) => {
  for (const url of [HOOK_URL, `${HOOK_URL}/`, HOOK_URL.replace('webhook/guide', 'guide/webhook')]) {
    const { github, repository, send } = await createAppSetup(t);
    repository.hooks.push(hook('https://a.example'), hook('https://b.example', 2), hook('https://c.example', 3));
    repository.hooks.push(hook(`${HOOK_URL}-2`, 4), hook(url, 5));
    const { body } = await send('installation', grant(HELLO));
    t.is(body.hooks?.[0]?.result, 'exists', url);
    t.is(github.calls.filter((call) => /^GET .*\/hooks\?/.test(call)).length, 3);
  }
});

test.serial('create-github-app() asks no address that comes from payloads or answers', async (t) => {
  const { github, repository, send } = await createAppSetup(t);
  repository.hooks.push(hook('https://a.example'), hook('https://b.example', 2), hook('https://c.example', 3));
  const payload = { ...grant(HELLO), sender: { url: 'http://elsewhere.invalid/users/x' } };
  Object.assign(payload, { installation: { id: INSTALLATION, access_tokens_url: 'http://elsewhere.invalid/token' } });
  t.is((await send('installation', payload)).body.success, true);
  t.true(github.calls.length >= 4);
});

test.serial('create-github-app() takes "already exists" for an answer', async (t) => {
  const { github, repository, send } = await createAppSetup(t);
  github.refusesTwins = true;
  github.troubles.push({
    match: /^POST .*hooks$/,
    status: 422,
    message: 'Hook already exists on this repository',
    times: 1,
  });
  t.is((await send('installation', grant(HELLO))).body.hooks?.[0]?.result, 'exists');
  t.is(repository.hooks.length, 0);
});

test.serial('create-github-app() looks again before it tries again', async (t) => {
  const { github, repository, send } = await createAppSetup(t);
  github.troubles.push({ match: /^POST .*hooks$/, status: 502, doesIt: true, times: 1 });
  t.is((await send('installation', grant(HELLO))).body.hooks?.[0]?.result, 'exists');
  t.is(repository.hooks.length, 1);
});

for (const trouble of [
  { status: 500 },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 429, headers: { 'retry-after': '1' } },
  { status: 403, message: 'You have exceeded a secondary rate limit' },
]) {
  test.serial(
    `create-github-app() gets over ${trouble.status} ${JSON.stringify(trouble.headers ?? trouble.message ?? '')}`,
    async (t) => {
      const { github, repository, send } = await createAppSetup(t);
      github.troubles.push(
        { match: /access_tokens/, ...trouble, times: 1 },
        { match: /^GET .*hooks/, ...trouble, times: 1 },
      );
      t.is((await send('installation', grant(HELLO))).body.hooks?.[0]?.result, 'created');
      t.is(repository.hooks.length, 1);
    },
  );
}

test.serial('create-github-app() gives up after a few tries, or when it should wait for long', async (t) => {
  const { github, send } = await createAppSetup(t);
  github.troubles.push({ match: /^GET .*hooks/, status: 500, times: 100 });
  const { status, body } = await send('installation', grant(HELLO));
  t.is(status, 502);
  t.false(body.success);
  t.regex(body.message, /GitHub answered 500 to "GET \/repos\/\{owner\}\/\{repo\}\/hooks": "trouble"/);
  t.is(github.calls.filter((call) => /hooks/.test(call)).length, 3);
  github.troubles.length = 0;
  github.calls.length = 0;
  github.troubles.push({ match: /^GET .*hooks/, status: 429, headers: { 'retry-after': '3600' }, times: 100 });
  t.is((await send('installation', grant(HELLO))).status, 502);
  t.is(github.calls.filter((call) => /hooks/.test(call)).length, 1);
});

test.serial('create-github-app() says which permission is missing', async (t) => {
  const { github, send } = await createAppSetup(t);
  github.permissions.set(INSTALLATION, { metadata: 'read' });
  const { status, body } = await send('installation', grant(HELLO));
  t.is(status, 502);
  t.like(body.hooks, [{ project: 'guide', result: 'failed' }]);
  t.regex(body.message, /"Resource not accessible by integration"; the App needs the repository permission "Webhooks"/);
});

test.serial('create-github-app() fails for one repository and does the others', async (t) => {
  const other = createHookProject({ name: 'other', url: 'https://github.com/Codertocat/Space' });
  const { github, send } = await createAppSetup(t, [createHookProject(), other]);
  github.addRepository('Codertocat/Space', undefined);
  const { status, body } = await send('installation', grant('Codertocat/Space', HELLO));
  t.is(status, 502);
  t.deepEqual(
    body.hooks?.map(({ result }) => result),
    ['failed', 'created'],
  );
});

test.serial('create-github-app() takes a new token where the old one is refused', async (t) => {
  const { github, send } = await createAppSetup(t);
  await send('installation', grant(HELLO));
  github.revokeTokens();
  t.is((await send('installation', grant(HELLO))).body.hooks?.[0]?.result, 'exists');
  t.is(github.calls.filter((call) => /access_tokens/.test(call)).length, 2);
});

test.serial(
  'create-github-app() follows the redirect of a renamed repository, with method, body and token',
  async (t) => {
    const { github, repository, send } = await createAppSetup(t);
    for (const method of ['GET', 'POST']) {
      const headers = { location: '/repos/codertocat/hello-world/hooks' };
      github.troubles.push({
        match: new RegExp(`^${method} /repos/Codertocat/Hello-World/hooks`, 'i'),
        status: 307,
        headers,
        times: 1,
      });
    }
    const { body } = await send('installation', grant(HELLO));
    t.is(body.hooks?.[0]?.result, 'created', JSON.stringify(body));
    t.is(repository.hooks.length, 1);
  },
);

test.serial('create-github-app() follows no redirect to another origin', async (t) => {
  const { github, send } = await createAppSetup(t);
  const other = await serveGithub(t);
  const headers = { location: `${other.url}/repos/codertocat/hello-world/hooks` };
  github.troubles.push({ match: /^GET .*hooks/, status: 302, headers, times: 100 });
  const { status, body } = await send('installation', grant(HELLO));
  t.is(status, 502);
  t.regex(body.hooks?.[0]?.message ?? '', /: "127\.0\.0\.1:\d+" redirects to "127\.0\.0\.1:\d+"$/);
  t.deepEqual(other.calls, []);
});

test.serial('create-github-app() says that GitHub cannot be reached in time', async (t) => {
  const { github, send, restart } = await createAppSetup(t);
  github.troubles.push({ match: /^GET .*hooks/, delayMs: 2_000, times: 100 });
  const { status, body } = await send('installation', grant(HELLO), restart({ timeoutMs: 150 }));
  t.is(status, 502);
  t.regex(body.message, /^Cannot reach GitHub for .*: "127\.0\.0\.1:\d+" did not answer within 0\.15 s$/);
});

test.serial('create-github-app() answers in time and goes on behind its answer', async (t) => {
  const { github, repository, send, restart } = await createAppSetup(t);
  github.troubles.push({ match: /^GET .*hooks/, delayMs: 400, times: 1 });
  const app = restart({ answerMs: 100 });
  const { status, body } = await send('installation', grant(HELLO), app);
  t.is(status, 202);
  t.true(body.success);
  await app.settle();
  t.is(repository.hooks.length, 1);
});

test.serial('create-github-app() tells the operator of what fails behind its answer', async (t) => {
  const { github, send, restart, problems } = await createAppSetup(t);
  github.troubles.push({ match: /^GET .*hooks/, delayMs: 300, status: 404, times: 9 });
  const app = restart({ answerMs: 100 });
  t.is((await send('installation', grant(HELLO), app)).status, 202);
  await app.settle();
  t.regex(problems.join('\n'), /^Cannot set up the webhook of project "guide": GitHub answered 404/);
});

test.serial('create-github-app() says that the private key is of no use without showing it', async (t) => {
  const { send, restart } = await createAppSetup(t);
  const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nAAAAsecretAAAA\n-----END RSA PRIVATE KEY-----';
  const { status, body } = await send('installation', grant(HELLO), restart({ privateKey }));
  t.is(status, 502);
  t.regex(body.message, /sign-in/);
  t.false(JSON.stringify(body).includes('secret'));
});

test.serial('create-github-app() lists repositories itself where the event does not', async (t) => {
  const { github, repository, send } = await createAppSetup(t);
  for (const name of ['a/a', 'a/b', 'a/c']) github.addRepository(name, INSTALLATION);
  const { body } = await send('installation', { action: 'unsuspend', installation: { id: INSTALLATION } });
  t.like(body.hooks, [{ result: 'created' }]);
  t.is(repository.hooks.length, 1);
});

test.serial('create-github-app() leaves out names that no repository has', async (t) => {
  const { github, send } = await createAppSetup(t);
  const names = ['../x', 'a/..', 'a/b/c', 'a', '', 'a/b?x=1', 'a/b#', 'a/%2e', 'x'.repeat(300), '__proto__'];
  const { status, body } = await send('installation', grant(...names));
  t.is(status, 200);
  t.regex(body.message, /no project uses/);
  t.deepEqual(github.calls, []);
});

test.serial('create-github-app() refuses wrong signatures and payloads', async (t) => {
  const { app, send } = await createAppSetup(t);
  for (const secret of ['', 'another']) {
    const call = signGithub('installation', grant(HELLO), secret === '' ? {} : { secret });
    const code = call.headers['x-hub-signature-256'] === undefined ? 'missing-signature' : 'wrong-signature';
    t.like(await t.throwsAsync(app.handle(call), { instanceOf: WebhookError }), { code });
  }
  const payloads: unknown[] = [null, [], 'x', {}, { action: 1 }, { action: 'created', installation: {} }];
  payloads.push({ action: 'created', installation: { id: '1' } }, { action: 'created', installation: { id: 1e300 } });
  payloads.push({ action: 'created', installation: { id: -1 } }, { ...grant(), repositories: {} });
  payloads.push({ ...grant(), repositories: [{ full_name: 1 }] });
  for (const payload of payloads) {
    t.like(
      await t.throwsAsync(send('installation', payload), { instanceOf: WebhookError }),
      { code: 'wrong-shape' },
      JSON.stringify(payload),
    );
  }
});

test.serial('create-github-app() answers pings and ignores other events by name', async (t) => {
  const { send } = await createAppSetup(t);
  t.is((await send('ping', { zen: '' })).body.ping, 'pong');
  t.regex((await send('push', {})).body.message, /^ignored: event "push"/);
  t.regex(
    (await send('installation', { ...grant(), action: 'x\ny' })).body.message,
    /^ignored: installation action "x�y"/,
  );
});

test.serial('project-hooks add() finds the installation itself, for projects that come later', async (t) => {
  const { repository, app, project, github } = await createAppSetup(t);
  t.is((await app.hooks.add(project)).result, 'created');
  t.is(repository.hooks.length, 1);
  t.deepEqual(github.refusedSignIns, []);
});

test.serial(
  'project-hooks add() does nothing where the App is not installed, or the repository is elsewhere',
  async (t) => {
    const { repository, app, project, github, store, clock } = await createAppSetup(t);
    repository.installation = undefined;
    t.is((await app.hooks.add(project)).result, 'none');
    repository.installation = INSTALLATION;
    t.is((await app.hooks.add(project)).result, 'none', 'believed for minutes');
    clock.ms += 6 * 60_000;
    t.is((await app.hooks.add(project)).result, 'created');
    const elsewhere = createHookProject({ name: 'b', url: 'https://github.com.evil.example/a/b' });
    await store.projects.add(elsewhere);
    github.calls.length = 0;
    t.is((await app.hooks.add(elsewhere)).result, 'none');
    t.deepEqual(github.calls, []);
  },
);

test.serial('project-hooks remove() removes the webhooks of the project, and no others', async (t) => {
  const { repository, app, project, send, store, restart } = await createAppSetup(t);
  await send('installation', grant(HELLO));
  repository.hooks.push(
    hook('https://a.example'),
    hook(`${HOOK_URL}-2`, 2),
    hook(HOOK_URL.replace('webhook/guide', 'guide/webhook'), 3),
  );
  await store.projects.remove('guide');
  t.is((await restart().hooks.remove(project)).result, 'removed');
  t.deepEqual(
    repository.hooks.map(({ id }) => id),
    [1, 2],
  );
  t.is((await app.hooks.remove(project)).result, 'none');
});

test.serial('project-hooks remove() wins over an add() that comes with it', async (t) => {
  const { repository, app, project, store } = await createAppSetup(t);
  await store.projects.remove('guide');
  await Promise.all([app.hooks.remove(project), app.hooks.add(project)]);
  t.is(repository.hooks.length, 0);
});

test.serial('project-hooks remove() tells what went wrong and does not throw', async (t) => {
  const { repository, app, project, github, send } = await createAppSetup(t);
  await send('installation', grant(HELLO));
  github.troubles.push({ match: /^DELETE /, status: 500, times: 9 });
  t.like(await app.hooks.remove(project), { result: 'failed' });
  github.troubles.length = 0;
  github.troubles.push({ match: /^DELETE /, status: 502, doesIt: true, times: 1 });
  t.is((await app.hooks.remove(project)).result, 'removed');
  t.is(repository.hooks.length, 0);
});

test.serial('project-hooks update() sets a new secret', async (t) => {
  const { repository, app, project, send } = await createAppSetup(t);
  await send('installation', grant(HELLO));
  t.is((await app.hooks.update({ ...project, secret: 'new' })).result, 'updated');
  t.is(repository.hooks[0]?.config.secret, 'new');
  t.is(repository.hooks[0]?.config.url, HOOK_URL);
});

test.serial('create-github-app() follows a repository to another installation', async (t) => {
  const { github, repository, app, project, send } = await createAppSetup(t);
  await send('installation', { ...grant(HELLO), installation: { id: 5 } });
  github.permissions.set(5, { repository_hooks: 'write' });
  t.is((await app.hooks.add(project)).result, 'exists');
  t.is(repository.hooks.length, 1);
  await send('installation', { action: 'deleted', installation: { id: INSTALLATION }, repositories: [] });
  repository.installation = 5;
  t.is((await app.hooks.add(project)).result, 'exists');
});
