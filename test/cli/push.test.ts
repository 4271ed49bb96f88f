import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createPushed, type PushedRepository } from '../helpers/create-pushed.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { type SpawnedServer, spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const SECRET = 'hush hush hush hush';
const PAGE = (text: string) => ({ 'docs/en/index.md': `# ${text}\n`, 'docs/fr/index.md': `# ${text} (fr)\n` });

/** A server in a separate process, which a repository's pushes tell of themselves. */
async function createLive(t: ExecutionContext, service: 'github' | 'gitee') {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\ndocs: {domain: docs.test}\n');
  const repository = await createPushed(t, PAGE('One'));
  const server = await spawnServer(t, folder);
  const created = await runCommand(['project', 'create', '-u', repository.url, '--secret', SECRET, 'guide'], {
    cwd: folder,
  });
  t.is(created.code, 0, created.stderr);
  repository.tell(`${server.origin}/docbuild/webhook/guide`, service, SECRET);
  return { ...createReader(server), folder, repository, server, ...createAuthor(t, repository, server) };
}

function createReader({ origin }: SpawnedServer) {
  const getOn = (host: string, path: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      request(origin + path, { headers: { Host: host }, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () => resolve({ status: response.statusCode!, text }));
      })
        .once('error', reject)
        .end();
    });
  const heading = async (version: string, language = 'en'): Promise<string> => {
    const [below, own] = await Promise.all([
      getOn('127.0.0.1', `/docs/guide/${language}/${version}/`),
      getOn('guide.docs.test', `/${language}/${version}/`),
    ]);
    if (below.status !== own.status) return `${below.status} below /docs, ${own.status} on its host`;
    const [a, b] = [below, own].map(({ text }) => /<h1[^>]*>([^<]*?) ?</.exec(text)?.[1]);
    return own.status === 200 ? (a === b ? a! : `${a} / ${b}`) : String(own.status);
  };
  return {
    heading,
    async versions(): Promise<readonly string[]> {
      const answer = await fetch(`${origin}/docbuild/desc/guide`);
      const { data } = (await answer.json()) as { data: { versions: Record<string, readonly string[]> } };
      return [...(data.versions['en'] ?? [])].sort();
    },
    async badge(branch: string): Promise<string> {
      const answer = await fetch(`${origin}/docbuild/badge/guide?branch=${encodeURIComponent(branch)}`);
      return /docs: (\w+)/.exec(await answer.text())![1]!;
    },
  };
}

function createAuthor(t: ExecutionContext, repository: PushedRepository, { origin, waitFor }: SpawnedServer) {
  const { clone } = repository;
  const waitForEnd = async (id: string): Promise<void> =>
    waitFor(new RegExp(`"build":"${id}"[^\\n]*"status":"(?:passing|failing|cancelled|superseded)"`));
  return {
    commit(text: string): string {
      for (const [path, content] of Object.entries(PAGE(text))) clone.write(path, content);
      return clone.commit(text);
    },
    /** Pushes and waits for all builds that this led to. */
    async push(...args: string[]) {
      const answers = await repository.push(...args);
      for (const { status, body } of answers) {
        t.is(status, 201, body.message);
        await waitForEnd(body.build!.id);
      }
      return answers.map(({ body }) => body.branch);
    },
    /** Pushes a deletion and waits for the end of the build that takes the version out: the badge tells. */
    async remove(ref: string, slug: string) {
      const [answer] = await repository.push('origin', '--delete', ref);
      t.deepEqual([answer?.status, answer?.body.success], [200, true]);
      t.regex(answer!.body.message, /^(?:branch|tag) .*was deleted; its version is being removed from the site/);
      const badge = async () =>
        (await fetch(`${origin}/docbuild/badge/guide?branch=${encodeURIComponent(ref)}`)).text();
      await waitUntil(async () => /docs: unknown/.test(await badge()));
      t.is((await fetch(`${origin}/docs/guide/en/${slug}/`)).status, 404);
    },
    waitForEnd,
  };
}

test.serial('git push → github’s webhook: what readers see follows every push', async (t) => {
  const live = await createLive(t, 'github');
  const { clone } = live.repository;
  const onDisk = (language: string) => readdirSync(join(live.folder, 'base/sites/guide/site', language)).sort();

  live.commit('Two');
  t.deepEqual(await live.push('origin', 'main'), ['main']);
  t.deepEqual([await live.heading('latest'), await live.heading('main', 'fr')], ['Two', 'Two (fr)']);
  t.deepEqual(await live.versions(), ['latest', 'main']);

  clone.git('tag', '-a', 'v1.0', '-m', 'First');
  clone.git('tag', 'v0.9');
  t.deepEqual([...(await live.push('origin', 'v1.0', 'v0.9'))].sort(), ['v0.9', 'v1.0']);
  t.deepEqual([await live.heading('v1.0'), await live.heading('v0.9')], ['Two', 'Two']);

  clone.git('switch', '--quiet', '-c', 'release/2.x');
  live.commit('Feature');
  t.deepEqual(await live.push('origin', 'release/2.x'), ['release/2.x']);
  t.deepEqual([await live.heading('release-2.x'), await live.heading('main')], ['Feature', 'Two']);
  t.deepEqual(await live.versions(), ['latest', 'main', 'release/2.x', 'v0.9', 'v1.0']);
  t.deepEqual(onDisk('fr'), ['404.html', 'index.html', 'latest', 'main', 'release-2.x', 'v0.9', 'v1.0']);
  t.is(await live.badge('release/2.x'), 'passing');

  clone.git('reset', '--quiet', '--hard', 'HEAD^');
  live.commit('Forced');
  await live.push('--force', 'origin', 'release/2.x');
  t.is(await live.heading('release-2.x'), 'Forced');

  clone.write('docs/en/index.md', '---\ntitle: [\n---\n# Broken\n');
  clone.commit('Broken');
  await live.push('origin', 'release/2.x');
  // Its front matter is an error, what it says is shown all the same.
  t.deepEqual([await live.heading('release-2.x'), await live.badge('release/2.x')], ['Broken', 'failing']);
  t.is(await live.badge('main'), 'passing');
  live.commit('Mended');
  await live.push('origin', 'release/2.x');
  t.deepEqual([await live.heading('release-2.x'), await live.badge('release/2.x')], ['Mended', 'passing']);

  await live.remove('release/2.x', 'release-2.x');
  t.deepEqual(await live.versions(), ['latest', 'main', 'v0.9', 'v1.0']);
  t.deepEqual([await live.heading('release-2.x'), await live.badge('release/2.x')], ['404', 'unknown']);
  await live.remove('v0.9', 'v0.9');
  for (const language of ['en', 'fr'])
    t.deepEqual(onDisk(language), ['404.html', 'index.html', 'latest', 'main', 'v1.0']);
  t.is(await live.badge('v0.9'), 'unknown');

  clone.git('reset', '--quiet', '--hard', 'v0.9');
  live.commit('Again');
  await live.push('origin', 'release/2.x');
  t.deepEqual([await live.heading('release-2.x'), await live.badge('release/2.x')], ['Again', 'passing']);
  t.is(await live.heading('latest'), 'Two');
});

test.serial(
  'git push → gitee’s webhook: branches and tags are built, and those that are deleted are gone',
  async (t) => {
    const live = await createLive(t, 'gitee');
    const { clone } = live.repository;
    live.commit('Two');
    t.deepEqual(await live.push('origin', 'main'), ['main']);
    clone.git('tag', '-a', 'v1.0', '-m', 'First');
    clone.git('tag', 'v0.9');
    clone.git('branch', 'release/2.x');
    t.deepEqual([...(await live.push('origin', 'v1.0', 'v0.9', 'release/2.x'))].sort(), [
      'release/2.x',
      'v0.9',
      'v1.0',
    ]);
    t.deepEqual(await live.versions(), ['latest', 'main', 'release/2.x', 'v0.9', 'v1.0']);
    clone.git('reset', '--quiet', '--hard', 'HEAD^');
    live.commit('Forced');
    await live.push('--force', 'origin', 'main:release/2.x');
    t.deepEqual([await live.heading('release-2.x'), await live.heading('main')], ['Forced', 'Two']);
    await live.remove('release/2.x', 'release-2.x');
    await live.remove('v0.9', 'v0.9');
    t.deepEqual(await live.versions(), ['latest', 'main', 'v1.0']);
  },
);

test.serial('git push: a deletion that comes late, or again, does not take away what was pushed since', async (t) => {
  const live = await createLive(t, 'github');
  const { clone } = live.repository;
  live.commit('Two');
  await live.push('origin', 'main');
  await live.push('origin', 'main:next');
  await live.remove('next', 'next');
  const deletion = live.repository.sent().at(-1)!;
  t.regex(deletion, /"deleted":true/);
  clone.git('switch', '--quiet', '-c', 'next');
  live.commit('Next');
  await live.push('origin', 'next');
  const late = await fetch(`${live.server.origin}/docbuild/webhook/guide`, {
    method: 'POST',
    body: deletion,
    headers: {
      'Content-Type': 'application/json',
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': randomUUID(),
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(deletion).digest('hex')}`,
    },
  });
  t.is(late.status, 200);
  await live.server.waitFor(/"ref":"next","status":"passing","reason":"The ref was reported as deleted, but it exists/);
  t.deepEqual([await live.heading('next'), await live.badge('next')], ['Next', 'passing']);
  t.true((await live.versions()).includes('next'));
  // The operator's replay is asked the same question.
  const list = await runCommand(['deliveries', 'guide', '--json'], { cwd: live.folder });
  const old = (JSON.parse(list.stdout) as { id: string; action?: { kind: string } }[]).filter(
    ({ action }) => action?.kind === 'remove',
  );
  t.is(old.length, 2);
  for (const { id } of old) {
    const { code } = await runCommand(['deliveries', 'guide', '--replay', id], { cwd: live.folder });
    t.is(code, 0);
  }
  await runCommand(['build', 'guide', '-b', 'main'], { cwd: live.folder });
  t.deepEqual([await live.heading('next'), await live.badge('next')], ['Next', 'passing']);
});

test.serial('git push: several refs at once, and one more while it is built, end as they were pushed', async (t) => {
  const live = await createLive(t, 'github');
  const { clone } = live.repository;
  live.commit('Two');
  for (const name of ['1.x', 'release/2.x', 'next']) clone.git('branch', name);
  await live.push('origin', 'main', '1.x', 'release/2.x', 'next');
  t.deepEqual(await live.versions(), ['1.x', 'latest', 'main', 'next', 'release/2.x']);
  for (let i = 0; i < 5; i++) {
    live.commit(`Commit ${i}`);
    await live.repository.push('origin', 'main');
  }
  live.commit('Last');
  await live.push('origin', 'main');
  t.deepEqual(
    [await live.heading('main'), await live.heading('latest'), await live.heading('1.x')],
    ['Last', 'Last', 'Two'],
  );
});

test.serial(
  'git push: tags that no webhook announced, and a branch that is gone, are taken over with the next push',
  async (t) => {
    const live = await createLive(t, 'github');
    const { clone } = live.repository;
    await live.push('origin', 'main:1.x');
    t.deepEqual(await live.versions(), ['1.x', 'latest', 'main']);
    live.repository.silence();
    for (const tag of ['v1.0', 'v1.1', 'v1.2', 'v1.3']) clone.git('tag', tag);
    await live.repository.push('origin', '--tags');
    await live.repository.push('origin', '--delete', '1.x');
    live.repository.tell(`${live.server.origin}/docbuild/webhook/guide`, 'github', SECRET);
    live.commit('Two');
    await live.push('origin', 'main');
    t.deepEqual(await live.versions(), ['latest', 'main', 'v1.0', 'v1.1', 'v1.2', 'v1.3']);
    t.deepEqual([await live.heading('main'), await live.heading('v1.2')], ['Two', 'One']);
    t.deepEqual([await live.badge('v1.2'), await live.badge('1.x')], ['passing', 'unknown']);
  },
);

test.serial(
  'git push: a branch that is no version is published when somebody asks for it, and followed from then on',
  async (t) => {
    const live = await createLive(t, 'github');
    live.commit('Two');
    t.deepEqual(await live.push('origin', 'main', 'main:feature/x'), ['main', 'feature/x']);
    t.deepEqual(await live.versions(), ['latest', 'main']);
    t.is(await live.badge('feature/x'), 'unknown');
    const builds = await runCommand(['builds', 'list', 'guide', '--json'], { cwd: live.folder });
    t.regex(builds.stdout, /"ref":"feature\/x"[^}]*"reason":"The branch is not named like a version/);
    await runCommand(['build', 'guide', '-b', 'feature/x'], { cwd: live.folder });
    t.deepEqual([await live.heading('feature-x'), await live.badge('feature/x')], ['Two', 'passing']);
    live.commit('Three');
    await live.push('origin', 'main:feature/x');
    t.deepEqual([await live.heading('feature-x'), await live.heading('main')], ['Three', 'Two']);
  },
);

test.serial('git push: the default branch has another name, and nothing goes on under the old one', async (t) => {
  const live = await createLive(t, 'github');
  const { clone } = live.repository;
  live.commit('Two');
  await live.push('origin', 'main');
  live.repository.silence();
  clone.git('branch', '--move', 'trunk');
  await live.repository.push('origin', 'trunk');
  live.repository.setHead('trunk');
  await live.repository.push('origin', '--delete', 'main');
  live.repository.tell(`${live.server.origin}/docbuild/webhook/guide`, 'github', SECRET);
  live.commit('Three');
  await live.push('origin', 'trunk');
  t.deepEqual(await live.versions(), ['latest', 'trunk']);
  t.deepEqual([await live.heading('latest'), await live.heading('main')], ['Three', '404']);
  t.deepEqual([await live.badge(''), await live.badge('main')], ['passing', 'unknown']);
});

test.serial('git push: with the wrong secret nothing is built, and the push goes through', async (t) => {
  const live = await createLive(t, 'github');
  live.repository.tell(`${live.server.origin}/docbuild/webhook/guide`, 'github', 'guess');
  live.commit('Two');
  t.deepEqual(
    (await live.repository.push('origin', 'main')).map(({ status, body }) => [status, body.success]),
    [[403, false]],
  );
  t.deepEqual([await live.heading('main'), await live.badge('main')], ['404', 'unknown']);
  t.false(existsSync(join(live.folder, 'base/sites/guide')));
});
