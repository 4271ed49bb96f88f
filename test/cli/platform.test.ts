import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { type FinishedProcess, runDocbuild } from '../helpers/run-docbuild.ts';
import { spawnListening, spawnServer } from '../helpers/spawn-server.ts';
import { startLockHolder } from '../helpers/start-lock-holder.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/** A folder with a configuration, and a repository to build. */
function createPlace(t: ExecutionContext, yaml = '') {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), `base_dir: ./base\n${yaml}`);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const read = ({ code, stdout, stderr }: FinishedProcess) => ({
    code,
    stderr,
    result: stdout === '' ? undefined : JSON.parse(stdout),
  });
  return {
    folder,
    repository,
    run: async (...args: string[]) => read(await runCommand([...args, '--json'], { cwd: folder })),
    runApart: async (...args: string[]) => read(await runDocbuild([...args, '--json'], { cwd: folder })),
  };
}

test.serial('docbuild api on embedded defaults builds its own documentation and prints where it is', async (t) => {
  // Builds run at low priority, so beside a dozen busy processes this one takes minutes.
  t.timeout(600_000);
  const server = await spawnServer(t, createFolder(t));
  await server.waitFor(/Project {2}http:\S+\n/, 590_000);
  const [site, badge, project] = ['Site', 'Badge', 'Project'].map(
    (name) => new RegExp(`^${name} +(http:\\S+)$`, 'm').exec(server.output())![1]!,
  );
  t.regex(await (await fetch(`${site}en/latest/`)).text(), /<h1[^>]*>docbuild/);
  t.regex(await (await fetch(badge!)).text(), /docs: passing/);
  t.regex(await (await fetch(project!)).text(), /Webhook/);
  t.is(await server.stop('SIGTERM'), 0);
});

test.serial('docbuild project and build work without a server and through the one that runs', async (t) => {
  const { folder, repository, run, runApart } = createPlace(t);
  const created = await runApart(
    'project',
    'create',
    '-u',
    repository.folder,
    '--secret',
    'hush and not a word',
    '--timeout',
    '90',
    'Guide',
  );
  t.deepEqual([created.code, created.result.name, created.result.hasSecret], [0, 'guide', true]);
  t.is(created.result.timeout, 90);
  t.is((await runApart('build', 'guide', '--all')).result.status, 'passing');
  const server = await spawnServer(t, folder);
  t.regex(await (await fetch(`${server.origin}/docs/guide/en/latest/`)).text(), />One /);
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const built = await runApart('build', 'guide', '-b', 'main');
  t.deepEqual([built.code, built.result.status], [0, 'passing']);
  t.regex(await (await fetch(`${server.origin}/docs/guide/en/latest/`)).text(), />Two /);
  const changed = await runApart('p', 'update', '-t', 'meta:excluded_branch=test|dev,hideGit:true,timeout:0', 'guide');
  t.deepEqual([changed.result.meta, changed.result.hideGit], [{ excluded_branch: 'test|dev' }, true]);
  t.is((await run('project', 'get', 'guide:hideGit')).result, true);
  t.is((await run('project', 'get', 'guide:timeout')).result, 0);
  t.is((await run('project', 'list')).result.length, 1);
  const { text } = (await run('project', 'transfer', '-e', 'guide')).result;
  t.is((await run('project', 'transfer', '-i', text, 'copy')).result.name, 'copy');
  t.is((await run('project', 'remove', 'guide', '--yes')).code, 0);
  t.is((await fetch(`${server.origin}/docs/guide/en/latest/`)).status, 404);
});

test.serial('docbuild build logs each warning once for all versions, and counts in words', async (t) => {
  const { folder, repository, run } = createPlace(t);
  for (const tag of ['v1', 'v2', 'v3']) {
    commitFiles(repository, { 'docs/index.html': '<p>By hand\n', 'docs/index.md': '' });
    repository.git('rm', '-q', 'docs/index.md');
    repository.git('commit', '-q', '-m', 'No page');
    repository.git('tag', tag);
  }
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  await run('project', 'create', '-u', repository.folder, 'guide');
  const { stdout, stderr } = await runCommand(['build', 'guide', '--all'], { cwd: folder });
  t.regex(stdout, /: passing; 1 version, 1 language, 1 page in \d+\.\d\d s\n$/);
  const warnings = stderr.split('\n').filter((line) => line.includes('Warning: '));
  t.is(warnings.length, 1, stderr);
  t.regex(warnings[0]!, /Version skipped: folder "docs" contains no Markdown page .* \(and 2 other versions\)$/);
});

test.serial(
  'docbuild refuses fields that do not exist, and to build one ref and all of them, as wrong use',
  async (t) => {
    const { folder, repository, run } = createPlace(t);
    await run('project', 'create', '-u', repository.folder, 'guide');
    const field = await run('project', 'get', 'guide:nofield');
    t.deepEqual([field.code, field.result.error.code], [2, 'invalid']);
    t.regex(field.result.error.message, /Unknown field "nofield"; known fields are name, /);
    const both = await runCommand(['build', 'guide', '--all', '-b', 'main'], { cwd: folder });
    t.is(both.code, 2);
    t.regex(both.stderr, /use '--all' or '--branch', not both/);
    t.deepEqual((await run('builds', 'list')).result, []);
  },
);

test.serial('docbuild says what is wrong, and ends with 2 where that was typed, otherwise with 1', async (t) => {
  const { folder, run } = createPlace(t);
  const cases: readonly (readonly [args: readonly string[], code: string, message: RegExp])[] = [
    [['project', 'create', '-u', 'https://h.test/r', 'badge'], 'invalid', /"badge" is reserved for the service's own/],
    [['project', 'get', 'none'], 'not-found', /Project "none" does not exist/],
    [['project', 'create', '-u', 'git@host.test:a/b.git', 'guide'], 'invalid', /must be an http or https URL/],
    [['project', 'create', '-u', 'ftp://host.test/a', 'guide'], 'invalid', /must be an http or https URL/],
    [['project', 'create', '-u', 'h.test/a/b', 'guide'], 'invalid', /did you mean "https:\/\/h\.test\/a\/b"\?/],
    [['project', 'create', '-u', 'host.test:a/b', 'guide'], 'invalid', /did you mean "https:\/\/host\.test\/a\/b"\?/],
    [['project', 'create', '-u', '127.0.0.1:6/a', 'guide'], 'invalid', /did you mean "http:\/\/127\.0\.0\.1:6\/a"\?/],
    [['project', 'create', '-u', '~/a', 'guide'], 'invalid', /must be .* the absolute path of a repository$/],
    [['build', 'none'], 'not-found', /Project "none" does not exist/],
    [['cfg', 'api', 'prot'], 'invalid', /no key "api\.prot"/],
    [['cfg', 'nosuch'], 'invalid', /no key "nosuch"/],
    [['init', '-c', 'docbuild.yml'], 'taken', /already exists/],
  ];
  for (const [args, code, message] of cases) {
    const answer = await run(...args);
    t.deepEqual([answer.code, answer.result.error.code], [code === 'invalid' ? 2 : 1, code], args.join(' '));
    t.regex(answer.result.error.message, message);
  }
  writeFileSync(join(folder, 'docbuild.yml'), 'api:\n  prot: 1\n');
  const { code, stderr } = await runDocbuild(['api'], { cwd: folder });
  t.is(code, 1);
  t.regex(stderr, /docbuild\.yml", line 2: unknown key "api\.prot"/);
});

test.serial('docbuild init writes a configuration that means the defaults', async (t) => {
  const folder = createFolder(t);
  t.is((await runCommand(['init', '-c', 'x.yml'], { cwd: folder })).code, 0);
  const [written, defaults] = await Promise.all([
    runCommand(['cfg', '-j', '-c', 'x.yml'], { cwd: folder }),
    runDocbuild(['cfg', '-j'], { cwd: folder, env: { HOME: folder } }),
  ]);
  t.deepEqual(JSON.parse(written.stdout), JSON.parse(defaults.stdout));
});

test.serial('docbuild api refuses a folder that another server owns', async (t) => {
  const { folder } = createPlace(t);
  const first = await spawnServer(t, folder);
  const { code, stderr } = await runDocbuild(['api', '--port', '0'], { cwd: folder });
  t.is(code, 1);
  t.regex(stderr, new RegExp(`${first.child.pid}`));
});

test.serial('docbuild api killed while it builds keeps what waits and runs what ran once more', async (t) => {
  const { folder, repository, run } = createPlace(t, 'builds: {concurrency: 1}\n');
  repository.git('branch', 'next');
  // The second run notes which processes of the first one are left.
  const first = 'sleep 300 & echo $$ $! > first; wait';
  const then = 'for pid in $(cat first); do grep -s State /proc/$pid/status | grep -v zombie >> left; done';
  await run(
    'project',
    'create',
    '-u',
    repository.folder,
    '--before',
    `test -e first && { ${then}; true; } || { ${first}; }`,
    'guide',
  );
  const server = await spawnServer(t, folder);
  const ask = async (branch: string): Promise<string> => {
    const answer = await fetch(`${server.origin}/docbuild/build/guide?branch=${branch}`, { method: 'POST' });
    return ((await answer.json()) as { build: { id: string } }).build.id;
  };
  const running = await ask('main');
  await server.waitFor(new RegExp(`"build":"${running}"[^\\n]*"status":"running"`));
  const waiting = await ask('next');
  const hookFolder = join(folder, 'base/sites/guide');
  await waitUntil(() => existsSync(join(hookFolder, 'first')));
  await server.stop('SIGKILL');
  const second = await spawnServer(t, folder);
  const statusOf = async (id: string) => {
    const answer = await fetch(`${second.origin}/docbuild/builds/${id}`, { headers: { Accept: 'application/json' } });
    return ((await answer.json()) as { data: { status: string } }).data.status;
  };
  await second.waitFor(new RegExp(`"build":"${waiting}"[^\\n]*"status":"passing"`));
  t.is(await statusOf(running), 'interrupted');
  await waitUntil(async () => (await fetch(`${second.origin}/docs/guide/en/main/`)).status === 200);
  t.is((await fetch(`${second.origin}/docs/guide/en/next/`)).status, 200);
  t.is(readFileSync(join(hookFolder, 'left'), 'utf8'), '');
});

test.serial('docbuild project get names the fields where there is none of that name', async (t) => {
  const { repository, run } = createPlace(t);
  await run('project', 'create', '-u', repository.folder, 'guide');
  for (const field of ['nosuch', 'secret', '__proto__', 'constructor']) {
    const { code, result } = await run('project', 'get', `guide:${field}`);
    t.deepEqual([code, result.error.code], [2, 'invalid'], field);
    t.regex(result.error.message, /known fields are .*sourceDir/);
  }
  t.is((await run('project', 'update', '-t', 'meta:__proto__=x', 'guide')).code, 2);
});

test.serial('docbuild api says in one line why it cannot listen', async (t) => {
  const { folder } = createPlace(t);
  const { origin } = await spawnServer(t, folder);
  const other = createPlace(t);
  const start = (...args: string[]) => runDocbuild(['api', ...args], { cwd: other.folder });
  const taken = await start('--port', new URL(origin).port);
  t.is(taken.code, 1);
  t.regex(taken.stderr, /^Error: Cannot listen at 127\.0\.0\.1, port \d+: another process listens there[^\n]*\n$/);
  const unknown = await start('--host', 'nosuch.invalid', '--port', '0');
  t.is(unknown.code, 1);
  t.regex(unknown.stderr, /^Error: Cannot listen at nosuch\.invalid[^\n]*\n$/);
  for (const port of ['abc', '70000', '-1', '80.5', ''])
    t.is((await runCommand(['api', '--port', port], { cwd: other.folder })).code, 2, port);
});

test.serial('docbuild build ends with 0 where versions have errors, and names them', async (t) => {
  const { folder, repository, run } = createPlace(t);
  commitFiles(repository, { 'docs/a.md': '---\ntitle: [\n---\n' });
  repository.git('tag', 'v0.1');
  commitFiles(repository, { 'docs/a.md': '# A\n' });
  await run('project', 'create', '-u', repository.folder, 'guide');
  const { code, result } = await run('build', 'guide', '--all');
  t.deepEqual([code, result.status, result.result.errors], [0, 'passing', 1]);
  t.like(result.problems, [{ severity: 'error', ref: 'v0.1', file: 'docs/a.md', line: 2, code: 'front-matter' }]);
  t.like(result.failing, [{ ref: 'v0.1', errors: 1, build: result.id }]);
  const text = await runCommand(['build', 'guide', '--all'], { cwd: folder });
  t.is(text.code, 0);
  t.regex(text.stderr, /\nError: v0\.1 docs\/a\.md:2: Front matter is not valid YAML/);
  t.regex(text.stdout, /^Failing: v0\.1: docs\/a\.md:2: .*\nBuild \S+ of all versions: passing; .* pages, 1 error in /);
  t.deepEqual((await run('project', 'get', 'guide:failing')).result.length, 1);
});

test.serial('docbuild build says that the server stopped, and the build goes on with the next one', async (t) => {
  const { folder, repository, run, runApart } = createPlace(t);
  await run('project', 'create', '-u', repository.folder, '--before', 'test -e go || sleep 60', 'guide');
  const server = await spawnServer(t, folder);
  const building = runApart('build', 'guide');
  await server.waitFor(/"status":"running"/);
  t.is(await server.stop('SIGTERM'), 0);
  const { code, result, stderr } = await building;
  // The command may not have begun to wait for the build.
  t.regex(result.status, /^(?:queued|running)$/);
  t.deepEqual([code, stderr], [1, '']);
  writeFileSync(join(folder, 'base/sites/guide/go'), '');
  const second = await spawnServer(t, folder);
  await second.waitFor(/"status":"passing"/);
  const killed = run('build', 'guide', '-b', 'none');
  t.is((await killed).code, 1);
});

test.serial('commands side by side wait for each other, without a server, too', async (t) => {
  const { repository, run, runApart } = createPlace(t);
  const names = Array.from({ length: 10 }, (_, at) => `project-${at}`);
  const created = await Promise.all(names.map((name) => runApart('project', 'create', '-u', repository.folder, name)));
  for (const { code, stderr } of created) t.is(code, 0, stderr);
  t.deepEqual(
    (await run('project', 'list')).result.map((project: { name: string }) => project.name),
    names,
  );
});

/** A server that waits because another process uses its store. */
async function createWaitingServer(t: ExecutionContext) {
  const { folder } = createPlace(t);
  mkdirSync(join(folder, 'base/store'), { recursive: true, mode: 0o700 });
  const holder = await startLockHolder(t, join(folder, 'base/store/lock'));
  const ready = new RegExp(`(process ${holder.child.pid} is using it; waiting for up to 15 seconds)`);
  const server = await spawnListening(t, { cwd: folder, args: ['api', '--port', '0'], ready });
  return { folder, holder, server };
}

test.serial('docbuild api waits for the process that uses the store, and says so', async (t) => {
  const { folder, holder, server } = await createWaitingServer(t);
  const command = runDocbuild(['project', 'list'], { cwd: folder });
  holder.child.stdin!.end();
  await server.waitFor(/docbuild serves http/);
  const origin = /docbuild serves (http:\S+)\n/.exec(server.output())![1]!;
  t.is((await fetch(`${origin}/healthz`)).status, 200);
  t.is((await command).code, 0);
});

test.serial('docbuild api stops at once while it waits for the process that uses the store', async (t) => {
  const { holder, server } = await createWaitingServer(t);
  t.is(await server.stop('SIGTERM'), 0);
  t.is(server.output().match(/is using it/g)?.length, 1, 'it says nothing of a failure');
  t.is(holder.child.exitCode, null);
});

test.serial(
  'docbuild project takes secrets by standard input or makes them, and says that a project has none',
  async (t) => {
    const { folder, repository } = createPlace(t);
    const project = (args: readonly string[], input?: string) =>
      runCommand(['project', ...args], { cwd: folder, ...(input !== undefined && { input }) });
    const open = await project(['create', '-u', repository.folder, 'open']);
    t.is(open.code, 0);
    t.regex(open.stderr, /Anybody who reaches the server may request builds of "open".*--generate-secret open\n$/);
    const generated = await project(['update', '--generate-secret', 'open']);
    t.regex(generated.stdout, /\nSecret: \w{20}\n$/);
    const create = ['project', 'create', '-u', repository.folder, '--secret-stdin', 'given'];
    const given = await runDocbuild(create, { cwd: folder, input: 'a:b,c:d and more of it\n' });
    t.deepEqual([given.code, given.stderr], [0, '']);
    t.notRegex(given.stdout, /a:b/);
    const readSettings = async (name: string) => {
      const { text } = JSON.parse((await project(['transfer', '-e', name, '--json'])).stdout) as { text: string };
      return JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()) as { secret: string };
    };
    t.is((await readSettings('given')).secret, 'a:b,c:d and more of it');
    t.is((await project(['create', '-u', repository.folder, '--secret', 'x', '--generate-secret', 'two'])).code, 2);
    t.is((await project(['update', 'open'])).code, 2);
    t.is((await project(['update', '--secret-stdin', '--generate-secret', 'open'], 'x\n')).code, 2);
    t.is((await project(['update', '-t', '', '--generate-secret', 'open'])).code, 2, 'what is given is read');
    // The secret of its own flag counts, not one among the changes.
    await project(['update', '-t', 'secret:weak,latest:main', '--secret-stdin', 'open'], 'strong and quite long\n');
    t.is((await readSettings('open')).secret, 'strong and quite long');
    const weak = await project(['update', '-t', 'secret:fifteen letters', 'open']);
    t.is(weak.code, 2);
    t.regex(weak.stderr, /"secret" must have at least 16 characters, .*--generate-secret/);
    const removed = await project(['update', '-t', 'secret:', 'open']);
    t.deepEqual([removed.code, (await readSettings('open')).secret], [0, '']);
    t.regex(
      removed.stderr,
      /^Anybody who reaches the server may request builds of "open"; .* --generate-secret open\n$/,
    );
    t.is((await project(['update', '-t', 'latest:main', 'open'])).stderr, '', 'nothing is removed');
  },
);

test.serial(
  'docbuild project reads what may contain credentials from standard input, and asks for consent when such a project is imported',
  async (t) => {
    const { folder } = createPlace(t);
    const project = (args: readonly string[], input?: string) =>
      runCommand(['project', ...args], { cwd: folder, ...(input !== undefined && { input }) });
    const readUrl = async (name: string) => {
      const { text } = JSON.parse((await project(['transfer', '-e', name, '--json'])).stdout) as { text: string };
      return { text, url: JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()).url as string };
    };
    const url = 'https://user:pass@host.test/a/b';
    const created = await project(['create', '-u', '-', '--public', '--generate-secret', 'guide'], `${url}\n`);
    t.deepEqual([created.code, created.stderr], [0, '']);
    t.is((await readUrl('guide')).url, url);
    t.is((await project(['update', '-t', '-', 'guide'], 'url:https://user:word@host.test/a/b\n')).code, 0);
    const { text, url: changed } = await readUrl('guide');
    t.is(changed, 'https://user:word@host.test/a/b');
    const refused = await project(['transfer', '-i', '-', 'copy'], `${text}\n`);
    t.is(refused.code, 2);
    t.regex(refused.stderr, /The URL has credentials, but everybody .* --public/);
    t.is((await project(['transfer', '-i', '-', '--public', 'copy'], `${text}\n`)).code, 0);
    t.is((await readUrl('copy')).url, changed);
    t.is((await project(['create', '-u', '-', 'empty'], '')).code, 2);
    t.is((await project(['create', '-u', '-', '--secret-stdin', 'two'], `${url}\n`)).code, 2);
    t.is((await project(['update', '-t', '-', '--secret-stdin', 'guide'], 'latest:main\n')).code, 2);
  },
);

test.serial('docbuild project makes a secret for notifications, without which none can be asked for', async (t) => {
  const { folder, run } = createPlace(t);
  const create = ['project', 'create', '-u', folder, '--notify', 'https://hooks.example/a'];
  const refused = await run(...create, 'guide');
  t.regex(JSON.stringify(refused.result), /\\"notify\\" needs \\"notifySecret\\".*--generate-notify-secret/);
  const created = (await run(...create, '--generate-notify-secret', 'guide')).result;
  t.regex(String(created.notifySecret), /^whsec_/);
  t.is(created.notify, 'https://hooks.example/a');
  const shown = (await run('project', 'get', 'guide')).result;
  t.true(shown.hasNotifySecret);
  t.notRegex(JSON.stringify(shown), /whsec_/);
  const renewed = await runCommand(['project', 'update', '--generate-notify-secret', 'guide'], { cwd: folder });
  t.regex(renewed.stdout, /\nSecret of notifications: whsec_\S{44}\n$/);
});

test.serial(
  'docbuild project wants to hear that what a repository with credentials contains becomes public',
  async (t) => {
    const { run } = createPlace(t);
    const url = 'https://user:pass@host.test/a/b';
    const refused = await run('project', 'create', '-u', url, 'guide');
    t.is(refused.code, 2);
    t.regex(JSON.stringify(refused.result), /everybody who reaches the server may read.*--public/);
    t.is((await run('project', 'create', '-u', url, '--public', 'guide')).code, 0);
    t.is((await run('project', 'update', '-t', 'url:https://other:word@host.test/a/b', 'guide')).code, 0);
    t.is((await run('project', 'update', '-t', 'url:https://other:word@host.test/c', 'guide')).code, 2);
  },
);
