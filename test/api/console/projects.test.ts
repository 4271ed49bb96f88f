import { mkdirSync, rmdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { translate } from '../../../api/http/language.ts';
import type { DataError } from '../../../data/data-error.ts';
import type { NewProject } from '../../../platform/operations/projects.ts';
import {
  type ConsoleAnswer,
  type ConsoleClient,
  createConsole,
  mainOf,
  PASSWORD,
} from '../../helpers/create-console.ts';
import { createFolder, createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { serveGithub } from '../../helpers/serve-github.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const EVIL = '"><img src=x onerror=alert(1)>';

function createDocumented(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': '# A\n', 'docs/zh_CN/index.md': '# A\n', 'manual/index.md': '# B\n' });
  repository.git('branch', '0.x');
  repository.git('tag', 'v1.0');
  return repository;
}

async function createOperator(t: ExecutionContext) {
  const setup = await createConsole(t);
  const client = await setup.logIn(setup.operator);
  await client.get('/control/projects');
  return { ...setup, client };
}

/** Looks at a repository and returns the form for its project: its path and how to send it. */
async function openDraft(client: ConsoleClient, url: string, source = '') {
  const { location } = await client.post('/control/new-project', { url, source });
  const page = await client.get(location!);
  const submission = /name="submission" value="([^"]+)"/.exec(page.html)![1]!;
  const fields = { submission, show_nav: '1', secret_kind: 'generate', password: PASSWORD };
  return {
    path: location!,
    page,
    send: (form: Record<string, string>) => client.post(location!, { ...fields, ...form }),
  };
}

/** Opens the form that changes a project, and sends it with its fingerprint. */
async function change(client: ConsoleClient, path: string, fields: Record<string, string>): Promise<ConsoleAnswer> {
  const { html } = await client.get(path);
  const fingerprint = /name="fingerprint" value="([^"]+)"/.exec(html)![1]!;
  return client.post(path, { fingerprint, show_nav: '1', secret_kind: 'keep', ...fields });
}

const secretsIn = ({ html }: ConsoleAnswer): readonly string[] =>
  [...html.matchAll(/class="secret" value="([^"]+)"/g)].map(([, value]) => value!);

test.serial(
  'new project: the repository is looked at first, and the project is created with what was chosen',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    const { path, page, send } = await openDraft(client, folder, 'documentation');
    t.regex(
      page.html,
      /has no folder “documentation”.*<code>docs<\/code> \(2 pages\).*<code>manual<\/code> \(1 page\)/s,
    );
    t.regex(page.html, /3, of which 3 are built/);
    t.is((await server.operations.listProjects({})).length, 0);
    const { location } = await client.post(`${path}/look`, { source: 'docs' });
    const again = await client.get(location!);
    t.regex(again.html, /<dt>Languages<\/dt><dd>en, zh_CN</);
    for (const ref of ['main', '0.x', 'v1.0']) t.true(again.html.includes(`name="exclude.${ref}"`), ref);
    const name = /name="name" value="([^"]*)"/.exec(again.html)![1]!;
    t.is(name, basename(folder).toLowerCase(), 'the name of the repository');
    const answer = await client.submit(location!, {
      name: 'guide',
      'exclude.0.x': '1',
      excluded: 'wip/* | 0.x',
      latest: 'main',
      lang: 'en zh_CN',
      timeout: '60',
      meta: 'team=docs\r\nmail = a=b',
      notify: 'https://hooks.example/x',
      hide_git: '1',
      build: '1',
      domain: 'Docs.Example.org',
      secret_kind: 'generate',
      password: PASSWORD,
    });
    t.regex(answer.html, /Project created; its first build has been requested/);
    const [secret = '', notifySecret = '', webhook] = secretsIn(answer);
    t.regex(secret, /^\w{20}$/);
    t.regex(notifySecret, /^whsec_/);
    t.true(webhook!.endsWith('/docbuild/webhook/guide'));
    t.regex(answer.html, /GitLab: Settings → Webhooks/);
    t.deepEqual(secretsIn(await client.get('/control/projects/guide')), [webhook!], 'secrets are shown once');
    t.like(await server.operations.getProject({ name: 'guide' }), {
      url: folder,
      sourceDir: 'docs',
      latest: 'main',
      lang: ['en', 'zh_CN'],
      timeout: 60,
      hideGit: true,
      meta: { excluded_branch: '0.x|wip/*', team: 'docs', mail: 'a=b' },
      domain: 'docs.example.org',
      showNav: false,
      hasSecret: true,
      hasNotifySecret: true,
      notify: 'https://hooks.example/x',
    });
    const [build] = await server.operations.listBuilds({ project: 'guide' });
    t.is(build!.cause, 'console');
    t.is((await server.operations.waitForBuild({ id: build!.id })).status, 'passing');
    const { versions } = await server.operations.getProject({ name: 'guide' });
    t.deepEqual(
      versions.map(({ ref }) => ref),
      ['main', 'v1.0'],
    );
    const push = await server.post('/docbuild/build/guide', '', {});
    t.is(push.status, 403, 'the secret counts');
    t.is((await send({ name: 'other' })).status, 303, 'the first draft is still there');
  },
);

test.serial('new project: why a repository cannot be looked at is said in Chinese, too', async (t) => {
  const { server } = await createOperator(t);
  const git = await serveGit(t, createFolder(t));
  const closed = await serveGit(t, createFolder(t));
  await closed.close();
  for (const [url, says] of [
    [`${git.url}/none`, /^“http:\/\/127\.0\.0\.1:\d+\/none”不存在（404），或是需要凭据的私有仓库$/],
    [`${closed.url}/none`, /^无法连接“127\.0\.0\.1:\d+”：连接被拒绝$/],
    ['/nowhere/at/all', /^无法打开“\/nowhere\/at\/all”：文件夹不存在$/],
  ] as const) {
    const error = await t.throwsAsync(server.operations.inspectRepository({ settings: { url } }));
    t.regex(translate((error as DataError).wording, 'zh-CN'), says);
  }
});

test.serial(
  'new project: a form that is sent twice makes one project, and one that fails keeps what was typed',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { send, path } = await openDraft(client, createDocumented(t).folder);
    const typed = {
      name: 'guide',
      latest: EVIL,
      'exclude.0.x': '1',
      meta: `a=${EVIL}`,
      secret: 'hunter2 and some more',
    };
    const failed = await send({ ...typed, timeout: 'x', secret_kind: 'own' });
    t.is(failed.status, 400);
    t.regex(failed.html, /role="alert"[^>]*>Field &quot;latest&quot;/);
    t.regex(failed.html, /name="name" value="guide"/);
    t.regex(failed.html, /name="exclude\.0\.x" value="1" checked/);
    t.regex(failed.html, /name="latest" value="&quot;&gt;&lt;img/);
    t.regex(failed.html, /a=&quot;&gt;&lt;img[^<]*<\/textarea>/);
    t.notRegex(failed.html, /<img src=x|hunter2/);
    for (const [fields, message] of [
      [{ name: 'API' }, /reserved/],
      [{ name: EVIL }, /Project name/],
      [{ name: 'docs-' }, /reserved/],
      [{ name: 'guide', latest: 'a..b' }, /git allows/],
      [{ name: 'guide', timeout: 'x' }, /Field &quot;timeout&quot;/],
      [{ name: 'guide', secret_kind: 'own' }, /Enter the secret/],
      [{ name: 'guide', meta: 'nonsense' }, /Write meta fields as/],
      [{ name: 'guide', meta: '__proto__=x' }, /Write meta fields as/],
      [{ name: 'guide', meta: 'excluded_branch=x' }, /is set by the excluded/],
      [{ name: 'guide', excluded: 'a*'.repeat(300) }, /excluded_branch/],
      [{ name: 'guide', domain: 'not a host' }, /host name/],
      [{ name: 'guide', lang: 'nonsense!' }, /language codes/],
    ] as const) {
      const { status, html } = await send(fields);
      t.is(status, 400, JSON.stringify(fields));
      t.regex(html, message);
      t.notRegex(html, /<img src=x/);
    }
    t.is((await server.operations.listProjects({})).length, 0);
    const answers = await Promise.all([send({ name: 'guide' }), send({ name: 'guide' })]);
    const target = '/control/projects/guide?flash=project-created';
    t.deepEqual(
      answers.map(({ location }) => location),
      [target, target],
    );
    t.is((await server.operations.listProjects({})).length, 1);
    t.is((await send({ name: 'guide-2' })).status, 404, 'the form is used up');
    t.is((await client.get(path)).status, 404);
  },
);

test.serial(
  'new project: credentials are asked for consent, and stand on no page, in no error and in no log',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    const git = await serveGit(t, dirname(folder), { username: 'me', password: 'hunter2' });
    const address = `${git.url}/${basename(folder)}/.git`;
    const url = address.replace('//', '//me:hunter2@');
    const pages: string[] = [];
    const see = (answer: ConsoleAnswer): ConsoleAnswer => {
      pages.push(`${answer.html} ${answer.location}`);
      return answer;
    };
    const look = async (text: string) => see(await client.post('/control/new-project', { url: text }));
    t.regex((await look(address)).html, /requires credentials/);
    const wrong = await look(url.replace('hunter2', 'hunter2-'));
    t.regex(wrong.html, /does not accept the credentials/);
    t.true(wrong.html.includes(`name="url" value="${address}"`), 'the rest of the address is kept');
    for (const text of [
      ...['me:hunter2@git.example/a/b', 'https://me:hun/ter2@x:y/hunter2@a', 'ssh://me:hunter2@git.example/a'],
      ...['https:/me:hunter2@git.example/a', ' https:///me:hunter2@git.example:x/a'],
      ...[`${url}#hunter2`, 'https://me:hunter2@127.0.0.1:1/a'],
    ]) {
      t.is((await look(text)).status, 400, text);
    }
    const { page, send } = await openDraft(client, url);
    see(page);
    const refused = see(await send({ name: 'guide' }));
    t.regex(refused.html, /everybody who reaches the server may read/);
    t.is((await server.operations.listProjects({})).length, 0);
    t.is(see(await send({ name: 'guide', public: '1' })).status, 303);
    for (const path of ['', '/guide', '/guide/edit', '/guide/remove'])
      see(await client.get(`/control/projects${path}`));
    const looked = see(await client.submit('/control/projects/guide/look'));
    t.regex(looked.html, /3, of which 3 are built/, 'with the credentials that are stored');
    const shown = /name="url" value="([^"]+)"/.exec(looked.html)![1]!;
    const path = '/control/projects/guide/edit';
    t.is(see(await change(client, path, { url: shown, source: 'manual' })).status, 303);
    const elsewhere = see(await change(client, path, { url: address, source: 'manual' }));
    t.regex(elsewhere.html, /requires credentials/, 'another address does not get them');
    const { text } = await server.operations.exportProject({ name: 'guide' });
    const stored = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()) as NewProject;
    t.like(stored, { url, sourceDir: 'manual' });
    for (const html of pages) t.notRegex(html, /hunter2|ter2@/);
    t.notRegex(server.logged().join('\n'), /hunter2|ter2@/);
  },
);

test.serial('new project: names of refs, folders and files from a repository are shown as text', async (t) => {
  const { client } = await createOperator(t);
  const repository = createRepository(t);
  const folder = '<img src=x onerror=alert(1)>';
  commitFiles(repository, { [`${folder}/index.md`]: '# A\n', '.docbuild.yml': `"<img src=x>": 1\n` });
  const ref = 'release/"><img/src=x-1.2';
  repository.git('branch', ref);
  repository.git('branch', 'a|b');
  const { page, send } = await openDraft(client, repository.folder, EVIL);
  t.notRegex(page.html, /<img[ /]src=x/);
  t.true(page.html.includes('name="exclude.release/&quot;&gt;&lt;img/src=x-1.2"'));
  t.true(page.html.includes('<code>&lt;img src=x onerror=alert(1)&gt;</code>'));
  t.false(page.html.includes('exclude.a|b'), 'a list of refs cannot hold it');
  const made = await send({ name: 'guide', [`exclude.${ref}`]: '1' });
  t.is(made.location, '/control/projects/guide?flash=project-created');
  const looked = await client.submit('/control/projects/guide/look');
  t.true(looked.html.includes('name="exclude.release/&quot;&gt;&lt;img/src=x-1.2" value="1" checked'));
  t.notRegex(looked.html, /<img[ /]src=x/);
});

test.serial(
  'change: fields are kept, secrets only replaced when asked, and the site is published again where it shows',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    const meta = { excluded_branch: '0.x;dev', _sep: ';', team: 'docs' };
    await server.operations.createProject({
      name: 'guide',
      settings: { url: folder, secret: 'the first secret', single: true, meta },
    });
    const { id } = await server.operations.build({ name: 'guide', ref: 'main' });
    await server.operations.waitForBuild({ id });
    const before = await server.operations.getProject({ name: 'guide' });
    const page = await client.get('/control/projects/guide/edit');
    t.regex(page.html, /name="single" value="1" checked/);
    t.regex(page.html, /name="excluded" value="0.x \| dev"/, 'not among the versions');
    t.regex(page.html, />team=docs<\/textarea>/);
    const same = { url: folder, single: '1', excluded: '0.x | dev', meta: 'team=docs' };
    const save = (fields: Record<string, string>) =>
      change(client, '/control/projects/guide/edit', { ...same, ...fields });
    t.is((await save({})).location, '/control/projects/guide?flash=project-changed');
    t.deepEqual(await server.operations.getProject({ name: 'guide' }), before);
    t.is((await server.operations.listAudit({})).at(0)?.details, '', 'nothing changed');
    const missing = await save({ source: 'nowhere' });
    t.regex(
      missing.html,
      /Branch &quot;main&quot; has no folder &quot;nowhere&quot;; folders with pages: &quot;docs&quot;, &quot;manual&quot;/,
    );
    t.regex(missing.html, /name="source" value="nowhere"/);
    const seen = await save({ source: 'manual', excluded: '0.x', meta: '', secret_kind: 'generate' });
    t.is(seen.location, '/control/projects/guide?flash=project-changed-building');
    const shown = await client.get(seen.location!);
    t.regex(shown.html, /Secret of guide, shown only once/);
    const after = await server.operations.getProject({ name: 'guide' });
    t.like(after, { sourceDir: 'manual', hasSecret: true });
    t.deepEqual(after.meta, { excluded_branch: '0.x' });
    const [entry] = await server.operations.listAudit({});
    t.like(entry, { action: 'updateProject', target: 'guide' });
    t.deepEqual(entry?.details?.split(', ').sort(), [
      'meta:_sep',
      'meta:excluded_branch',
      'meta:team',
      'secret',
      'sourceDir',
    ]);
    t.is(
      (await save({ source: 'nowhere', excluded: '0.x', meta: '', unseen: '1' })).status,
      303,
      'if that is asked for',
    );
    const open = await save({
      source: 'manual',
      excluded: '0.x',
      meta: '',
      secret_kind: 'none',
      build: '1',
      unseen: '1',
    });
    t.is(open.location, '/control/projects/guide?flash=project-changed-building');
    t.false((await server.operations.getProject({ name: 'guide' })).hasSecret);
    await save({ excluded: '0.x', meta: '', secret_kind: 'own', secret: ' mine, and of nobody else ', unseen: '1' });
    const { text } = await server.operations.exportProject({ name: 'guide' });
    t.is(
      (JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()) as NewProject).secret,
      'mine, and of nobody else',
    );
    t.is((await client.get('/control/projects/nothing/edit')).status, 404);
  },
);

test.serial(
  'change: what is saved is said to be, with its new secrets, although its build cannot be requested',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    await server.operations.createProject({ name: 'guide', settings: { url: folder } });
    const { id } = await server.operations.build({ name: 'guide', ref: 'main' });
    await server.operations.waitForBuild({ id });
    const inTheWay = join(server.folder, 'base/store/builds.json.tmp');
    mkdirSync(inTheWay);
    const save = (fields: Record<string, string>) =>
      change(client, '/control/projects/guide/edit', { url: folder, secret_kind: 'generate', ...fields });
    const answers = [await save({ latest: 'main' }), await save({ latest: 'main', build: '1' })];
    const other = await server.operations.updateProject({ name: 'guide', settings: { latest: '0.x' } });
    rmdirSync(inTheWay);
    for (const { location } of answers) t.is(location, '/control/projects/guide?flash=project-changed-unbuilt');
    const shown = await client.get(answers[0]!.location!);
    t.regex(shown.html, /Project changed, but the build that shows it could not be requested/);
    t.regex(shown.html, /Secret of guide, shown only once/);
    t.like(other, { latest: '0.x', rebuild: undefined });
    t.regex(other.rebuildError!, /Cannot write "builds\.json"/);
    t.deepEqual(
      (await server.operations.listAudit({ action: 'updateProject' })).map(({ outcome }) => outcome),
      ['done', 'done', 'done'],
    );
  },
);

test.serial('change: what somebody else has changed meanwhile is not changed back unawares', async (t) => {
  const { server, client } = await createOperator(t);
  const { folder } = createDocumented(t);
  await server.operations.createProject({ name: 'guide', settings: { url: folder } });
  const path = '/control/projects/guide/edit';
  const [, fingerprint] = /name="fingerprint" value="([^"]+)"/.exec((await client.get(path)).html)!;
  await server.operations.updateProject({ name: 'guide', settings: { latest: '0.x' } });
  const typed = { url: folder, show_nav: '1', secret_kind: 'keep', lang: 'en' };
  const refused = await client.post(path, { ...typed, fingerprint: fingerprint! });
  t.is(refused.status, 400);
  t.regex(refused.html, /has been changed since this page was opened/);
  t.regex(refused.html, /name="lang" value="en"/);
  t.like(await server.operations.getProject({ name: 'guide' }), { latest: '0.x', lang: [] });
  const again = /name="fingerprint" value="([^"]+)"/.exec(refused.html)![1]!;
  t.is((await client.post(path, { ...typed, fingerprint: again })).status, 303);
  t.like(await server.operations.getProject({ name: 'guide' }), { latest: '', lang: ['en'] });
});

test.serial('new project: refs that are known not to be built are refused at their field', async (t) => {
  const { server, client } = await createOperator(t);
  const { send } = await openDraft(client, createDocumented(t).folder);
  for (const [fields, field, message] of [
    [{ latest: 'nosuch' }, 'latest', 'Latest version: the repository has no branch or tag &quot;nosuch&quot;'],
    [{ latest: '0.x', 'exclude.0.x': '1' }, 'latest', 'Latest version: &quot;0.x&quot; is excluded; '],
    [{ latest: 'v1.0', excluded: 'v*' }, 'latest', 'Latest version: &quot;v1.0&quot; is excluded; '],
    [{ excluded: '**' }, 'excluded', 'All branches and tags of the repository are excluded; leave one to build'],
  ] as const) {
    const { status, html } = await send({ name: 'guide', ...fields });
    t.is(status, 400);
    t.true(html.includes(`role="alert" tabindex="-1">${message}`), message);
    t.true(html.includes(`<p class="reason" id="${field}-error">${message}`), field);
    t.is([...html.matchAll(/aria-invalid="true"/g)].length, 1);
    t.regex(html, new RegExp(`aria-describedby="${field}-hint ${field}-error" aria-invalid="true"`));
  }
  t.deepEqual(await server.operations.listProjects({}), []);
  t.is((await send({ name: 'guide', latest: '0.x', excluded: 'main | v*' })).status, 303);
});

test.serial(
  'change: refs that are known not to be built are refused, unless the repository cannot be looked at',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    const path = '/control/projects/guide/edit';
    await server.operations.createProject({ name: 'guide', settings: { url: folder } });
    const save = (fields: Record<string, string>) => change(client, path, { url: folder, ...fields });
    for (const [fields, message] of [
      [{ latest: 'nosuch' }, /the repository has no branch or tag &quot;nosuch&quot;/],
      [{ latest: '0.x', excluded: '0.x' }, /&quot;0.x&quot; is excluded/],
      [{ excluded: '**' }, /All branches and tags of the repository are excluded/],
    ] as const) {
      const { status, html } = await save(fields);
      t.is(status, 400);
      t.regex(html, message);
    }
    t.like(await server.operations.getProject({ name: 'guide' }), { latest: '', meta: {} });
    t.is((await save({ latest: 'nosuch', unseen: '1' })).status, 303, 'whoever insists');
    t.is((await save({ latest: 'nosuch', lang: 'en' })).status, 303, 'what was there before');
    await server.operations.updateProject({ name: 'guide', settings: { url: `${folder}/gone` } });
    t.is((await save({ url: `${folder}/gone`, latest: 'other' })).status, 303, 'nobody knows');
    t.like(await server.operations.getProject({ name: 'guide' }), { latest: 'other' });
  },
);

test.serial('a project named "new" has pages like any other', async (t) => {
  const { server, client } = await createOperator(t);
  const { location } = await client.post('/control/new-project', { url: createDocumented(t).folder });
  await client.get(location!);
  const made = await client.submit(location!, { name: 'new', password: PASSWORD });
  t.regex(made.html, /<h1>(?:<img[^>]*> )?new</);
  t.regex((await client.get('/control/projects/new/edit')).html, /Change new/);
  t.is((await server.operations.listProjects({})).length, 1);
});

test.serial(
  'change: a branch that is excluded stays so, although the list that it was chosen from is gone',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    await server.operations.createProject({ name: 'guide', settings: { url: folder } });
    const looked = await client.submit('/control/projects/guide/look');
    t.regex(looked.html, /name="exclude\.0\.x" value="1">/);
    const [, look] = /name="look" value="([^"]+)"/.exec(looked.html)!;
    const path = '/control/projects/guide/edit';
    for (const fields of [{ look: look! }, { look: 'expired' }]) {
      const failed = await change(client, path, { ...fields, url: folder, 'exclude.0.x': '1', lang: '!' });
      t.is(failed.status, 400);
      t.is(failed.html.match(/name="exclude\.0\.x" value="1" checked/g)?.length, 1, fields.look);
    }
  },
);

test.serial(
  'commands of a project need the password of the operator, whose wrong attempts count like logins',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    const { send } = await openDraft(client, folder);
    for (const [fields, status] of [
      [{ before: 'touch /tmp/x', password: '' }, 400],
      [{ after: 'touch /tmp/x', password: 'wrong' }, 401],
    ] as const) {
      const answer = await send({ name: 'guide', ...fields });
      t.is(answer.status, status);
      t.notRegex(answer.html, /value="wrong"/);
    }
    t.is((await server.operations.listProjects({})).length, 0);
    t.is((await send({ name: 'guide', before: 'true', password: PASSWORD })).status, 303);
    const save = (fields: Record<string, string>) =>
      change(client, '/control/projects/guide/edit', { url: folder, ...fields });
    t.is((await save({ before: 'true', latest: 'main' })).status, 303, 'the same command');
    t.is((await save({ before: 'false' })).status, 400);
    t.is((await save({ before: '' })).status, 303, 'no command');
  },
);

test.serial('a path on the server needs the password of the operator as soon as a project has it', async (t) => {
  const { server, client } = await createOperator(t);
  const [{ folder }, other] = [createDocumented(t), createDocumented(t)];
  const { page, send } = await openDraft(client, folder);
  t.regex(page.html, /name="password"[^>]* required/);
  const refused = await send({ name: 'guide', password: '' });
  t.is(refused.status, 400);
  t.regex(refused.html, /This is a folder of the server: enter your password/);
  t.is((await send({ name: 'guide', password: 'wrong' })).status, 401);
  t.is((await server.operations.listProjects({})).length, 0);
  t.is((await send({ name: 'guide' })).status, 303);
  const save = (fields: Record<string, string>) => change(client, '/control/projects/guide/edit', fields);
  t.is((await save({ url: folder, latest: 'main' })).status, 303, 'the same path');
  for (const url of [other.folder, `file://${other.folder}`]) {
    t.regex((await save({ url })).html, /This is a folder of the server/);
    t.is((await save({ url, password: 'wrong' })).status, 401);
  }
  t.is((await server.operations.getProject({ name: 'guide' })).url, folder);
  t.is((await save({ url: other.folder, password: PASSWORD })).status, 303);
  t.is((await save({ url: 'https://git.example/a', unseen: '1' })).status, 303, 'not on the server');
});

test.serial('removal: what goes is counted, the name must be entered, and nothing is left', async (t) => {
  const { server, client } = await createOperator(t);
  await server.operations.createProject({ name: 'guide', settings: { url: createDocumented(t).folder } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  const page = await client.get('/control/projects/guide/remove');
  t.regex(page.html, /the site with 3 versions:.*1 build with its log.*0 webhook calls/s);
  const path = '/control/projects/guide/remove';
  for (const confirm of ['', 'Guide', EVIL]) {
    const refused = await client.post(path, { confirm });
    t.is(refused.status, 400);
    t.notRegex(refused.html, /<img src=x/);
  }
  const submission = /name="submission" value="([^"]+)"/.exec(page.html)![1]!;
  const twice = [
    client.post(path, { confirm: 'guide', submission }),
    client.post(path, { confirm: 'guide', submission }),
  ];
  for (const { location } of await Promise.all(twice)) t.is(location, '/control/projects?flash=project-removed');
  t.is((await client.get(path)).status, 404);
  t.is((await server.get('/docs/guide/')).status, 404);
  t.is((await server.get(`/docbuild/builds/${id}`)).status, 404);
});

test.serial(
  'projects are created, changed and removed by operators only, from pages of the console only',
  async (t) => {
    const { server, user, client, logIn } = await createOperator(t);
    const { folder } = createDocumented(t);
    await server.operations.createProject({ name: 'guide', settings: { url: folder, secret: 'the first secret' } });
    const { path } = await openDraft(client, folder);
    const reader = await logIn(user);
    const missing = (await reader.get('/control/nothing')).html;
    for (const page of [
      '/control/new-project',
      path,
      '/control/projects/guide/edit',
      '/control/projects/guide/remove',
    ]) {
      const { status, html } = await reader.get(page);
      t.deepEqual([status, html.replace(page, '/control/nothing')], [404, missing], page);
    }
    await reader.get('/control/');
    const forms = [
      ['/control/new-project', { url: folder }],
      [path, { name: 'other' }],
      [`${path}/look`, {}],
      ['/control/projects/guide/edit', { url: folder, secret_kind: 'none' }],
      ['/control/projects/guide/look', {}],
      ['/control/projects/guide/remove', { confirm: 'guide' }],
    ] as const;
    for (const [action, fields] of forms) {
      t.is((await reader.post(action, fields)).status, 404, action);
      t.is((await client.post(action, fields, { Origin: 'https://evil.example' })).status, 403, action);
      t.is((await client.post(action, { ...fields, form: 'guessed' })).status, 403, action);
    }
    const second = await server.operations.createUser({ account: 'second', password: PASSWORD, isOperator: true });
    t.is((await (await logIn(second)).get(path)).status, 404, 'what another operator has looked at');
    const projects = await server.operations.listProjects({});
    t.deepEqual(
      projects.map(({ name, hasSecret }) => [name, hasSecret]),
      [['guide', true]],
    );
  },
);

test.serial(
  'change of a project: what somebody else saves while its new repository is looked at is not replaced',
  async (t) => {
    const { server, client } = await createOperator(t);
    const { folder } = createDocumented(t);
    await server.operations.createProject({ name: 'guide', settings: { url: folder } });
    const git = await serveGit(t, dirname(folder));
    const { promise: released, resolve: release } = withResolvers();
    const { promise: asked, resolve: onAsked } = withResolvers();
    const slow = createHttpServer(async (request, response) => {
      onAsked();
      await released;
      response.writeHead(302, { location: git.url + request.url }).end();
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    t.teardown(() => slow.close());
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/${basename(folder)}/.git`;
    const saved = change(client, '/control/projects/guide/edit', { url, latest: '0.x' });
    await asked;
    await server.operations.updateProject({ name: 'guide', changes: 'latest:main' });
    release();
    const { status, html } = await saved;
    t.is(status, 400);
    t.regex(html, /The project has been changed since this page was opened/);
    t.like(await server.operations.getProject({ name: 'guide' }), { url: folder, latest: 'main' });
  },
);

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test.serial(
  'project: where the GitHub App has set up the webhook, no steps are shown, and why where it could not',
  async (t) => {
    const github = await serveGithub(t);
    github.permissions.set(7, { repository_hooks: 'write' });
    const repository = github.addRepository('team/guide', 7);
    const settings = { enabled: true, app_id: github.appId, private_key: github.privateKey };
    const app = { ...settings, webhook_secret: 'hush', api_url: github.url };
    const { server, operator, logIn } = await createConsole(t, `github_app: ${JSON.stringify(app)}\n`);
    const client = await logIn(operator);
    const url = 'https://github.com/team/guide';
    const show = async (name: string) => {
      await server.operations.createProject({ name, settings: { url } });
      return mainOf(await client.get(`/control/projects/${name}`));
    };
    const created = await show('guide');
    t.is(repository.hooks.length, 1);
    t.regex(created, /The GitHub App has set up this webhook.*<details>/s);
    github.permissions.set(7, {});
    t.regex(await show('other'), /could not set up this webhook: .*needs the repository permission.*<details open>/s);
    await server.operations.createProject({ name: 'elsewhere', settings: { url: 'https://h.invalid/x' } });
    const elsewhere = mainOf(await client.get('/control/projects/elsewhere'));
    t.regex(elsewhere, /<details open>/);
    t.notRegex(elsewhere, /GitHub App/);
  },
);
