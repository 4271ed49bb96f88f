import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Progress } from '../../../builder/index.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { expectRefused } from '../../helpers/expect-refused.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { type GitServer, type ServerCredentials, serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

interface Remote {
  readonly repository: TestRepository;
  readonly server: GitServer;
  readonly url: string;
  readonly site: TestSite;
}

/** A repository with two branches and two tags behind a git server. */
async function createRemote(t: ExecutionContext, credentials?: ServerCredentials): Promise<Remote> {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': '# A\n' });
  repository.git('tag', 'v1.0');
  commitFiles(repository, { 'docs/b.md': '# B\n' });
  repository.git('tag', '--annotate', '--message=x', 'v1.1');
  repository.git('branch', 'feature/x');
  const server = await serveGit(t, dirname(repository.folder), credentials);
  return { repository, server, url: `${server.url}/${basename(repository.folder)}`, site: createSite(t) };
}

/** Returns bytes that do not compress. */
function createNoise(length: number): Buffer {
  const { below } = createRandom(1);
  return Buffer.from(Array.from({ length }, () => below(256)));
}

/** A remote's address is in what it publishes, and a local repository's dates: the other has none. */
const shown = { title: 'T', hideGit: true, lastUpdated: false, refs: '**' };

async function expectSameAsLocal(t: ExecutionContext, { repository, site }: Remote): Promise<void> {
  const local = createSite(t);
  await local.build(repository.folder, shown);
  t.deepEqual(compareTrees(hashTree(local.out), hashTree(site.out)), []);
}

test.serial('buildSite() makes the same site of a remote as of the local repository', async (t) => {
  const remote = await createRemote(t);
  const { versions } = await remote.site.build(remote.url, shown);
  t.is(versions, 4);
  await expectSameAsLocal(t, remote);
});

test.serial('buildSite() tells how many versions and bytes have been fetched', async (t) => {
  const { site, url } = await createRemote(t);
  const fetched: Progress[] = [];
  await site.build(url, { refs: '**', onProgress: (progress) => progress.stage === 'fetch' && fetched.push(progress) });
  const { done, total, bytes } = fetched.at(-1)!;
  t.deepEqual([done, total], [4, 4]);
  t.true(bytes !== undefined && bytes > 100, `${bytes} bytes`);
});

test.serial('buildSite() asks an unchanged remote once', async (t) => {
  const { server, site, url } = await createRemote(t);
  await site.build(url);
  server.requests.length = 0;
  const { rendered } = await site.build(url);
  t.is(rendered, 0);
  t.deepEqual(
    server.requests.map(({ method }) => method),
    ['GET'],
  );
});

test.serial('buildSite() follows pushes, forced pushes, new and deleted branches and tags', async (t) => {
  const remote = await createRemote(t);
  const { repository, server, site, url } = remote;
  const build = async () => {
    server.requests.length = 0;
    const summary = await site.build(url, shown);
    await expectSameAsLocal(t, remote);
    return summary;
  };
  await build();
  commitFiles(repository, { 'docs/c.md': '# C\n' });
  t.is((await build()).rendered, 1);
  t.is(server.requests.length, 2, 'one list, one pack');
  repository.git('reset', '--quiet', '--hard', 'v1.0');
  commitFiles(repository, { 'docs/forced.md': '# F\n' });
  await build();
  t.false(site.has('en/main/c.html'));
  repository.git('tag', '--delete', 'v1.0');
  repository.git('branch', '-D', '--quiet', 'feature/x');
  await build();
  t.false(site.has('en/v1.0') || site.has('en/feature-x'));
  t.is(server.requests.length, 1, 'nothing to fetch');
  repository.git('tag', '--force', '--annotate', '--message=y', 'v1.1', 'main');
  repository.git('branch', 'new');
  await build();
  t.true(site.has('en/new/forced.html') && site.has('en/v1.1/forced.html'));
});

test.serial('buildSite() fetches only the refs it builds', async (t) => {
  const { repository, site, url } = await createRemote(t);
  repository.git('checkout', '--quiet', '--orphan', 'huge');
  commitFiles(repository, {
    'docs/huge.bin': createNoise(1_000_000),
  });
  repository.git('checkout', '--quiet', 'main');
  await site.build(url, { refs: 'main|v1.0' });
  const bytes = readdirSync(site.cacheFolder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(site.cacheFolder, path)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
  t.true(bytes < 200_000, `${bytes} bytes`);
});

test.serial(
  'buildSite() takes credentials from the address or the environment and never shows or stores them',
  async (t) => {
    const secret = 's3cr3t/p@ss';
    const { server, site, url } = await createRemote(t, { username: 'user', password: secret });
    const withCredentials = url.replace('//', `//user:${encodeURIComponent(secret)}@`);
    const environments: readonly (readonly [string, Record<string, string>])[] = [
      [withCredentials, {}],
      [url, { DOCBUILD_GIT_USERNAME: 'user', DOCBUILD_GIT_PASSWORD: secret }],
      [url, { DOCBUILD_GIT_USERNAME: 'user', DOCBUILD_GIT_TOKEN: secret }],
    ];
    for (const [repository, env] of environments) {
      server.requests.length = 0;
      const args = [
        'site',
        repository,
        '-o',
        site.out,
        '--cache',
        join(site.folder, `cache-${Math.random()}`),
        '--json',
      ];
      const { code, stdout, stderr } = await runDocbuild(args, { env });
      t.is(code, 0, stdout);
      t.true(server.requests.some(({ authorization }) => authorization !== undefined));
      t.false(contains(stdout + stderr, secret));
    }
    for (const path of hashTree(site.folder).keys()) {
      const file = join(site.folder, path);
      if (statSync(file).isFile()) t.false(contains(readFileSync(file, 'latin1'), secret), path);
    }
  },
);

/** Whether a text holds a secret as it is, encoded for a URL, or as HTTP sends it. */
function contains(text: string, secret: string): boolean {
  const forms = [secret, encodeURIComponent(secret), Buffer.from(`user:${secret}`).toString('base64')];
  return forms.some((form) => text.includes(form));
}

test.serial('buildSite() refuses wrong credentials without showing them, and says what to do', async (t) => {
  const { repository, site, server } = await createRemote(t, { username: 'user', password: 'right' });
  await site.build(repository.folder);
  const address = server.url.replace('//', '//user:wr0ng@');
  for (const url of [`${address}/${basename(repository.folder)}`, `${server.url}/${basename(repository.folder)}`]) {
    const expected = { code: 'authentication', message: /denies access \(401\).*DOCBUILD_GIT_TOKEN/ } as const;
    await expectRefused(t, site, { repository: url }, expected);
    const { code, stdout, stderr } = await runDocbuild(['site', url, '-o', site.out, '--cache', site.cacheFolder]);
    t.is(code, 1);
    t.false((stdout + stderr).includes('wr0ng'));
  }
});

test.serial(
  'buildSite() refuses a server that is not there, a path that is not there, and what is no git server',
  async (t) => {
    const { repository, site, server } = await createRemote(t);
    await site.build(repository.folder);
    const closed = await serveGit(t, dirname(repository.folder));
    await closed.close();
    const web = createServer((_, response) => response.end('<html>hello</html>'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    t.teardown(() => web.close());
    const webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}/x`;
    const refused = {
      code: 'network',
      message: /Cannot reach "127\.0\.0\.1:\d+": the connection was refused/,
    } as const;
    await expectRefused(t, site, { repository: `${closed.url}/x` }, refused);
    const unknown = { code: 'network', message: /its name cannot be resolved/ } as const;
    await expectRefused(t, site, { repository: 'http://no-such-host.invalid/x' }, unknown);
    await expectRefused(
      t,
      site,
      { repository: `${server.url}/nowhere` },
      { code: 'not-found', message: /does not exist \(404\)/ },
    );
    await expectRefused(
      t,
      site,
      { repository: webUrl },
      { code: 'not-a-repository', message: /is not a git repository/ },
    );
  },
);

test.serial(
  'buildSite() fails cleanly when the connection is cut in the middle, and works the next time',
  async (t) => {
    const remote = await createRemote(t);
    const { server, site, url } = remote;
    for (const bytes of [0, 50, 400]) {
      server.cutAfterBytes = bytes;
      await expectRefused(t, site, { repository: url }, { code: 'network', message: /cut|too early|Cannot/ });
    }
    server.cutAfterBytes = undefined;
    await site.build(url, shown);
    await expectSameAsLocal(t, remote);
  },
);

test.serial('buildSite() refuses a remote that sends more than the limit', async (t) => {
  const { repository, site, url } = await createRemote(t);
  commitFiles(repository, {
    'docs/huge.bin': createNoise(1_000_000),
  });
  const build = { repository: url, options: { limits: { maxFetchBytes: 100_000 } } };
  await expectRefused(t, site, build, { code: 'fetch-limit', message: /more than/ });
});

test.serial('two builds of one remote at once share its cache', async (t) => {
  const remote = await createRemote(t);
  const { server, site, url } = remote;
  const outs = ['a', 'b'].map((name) => join(site.folder, name));
  await Promise.all(outs.map((out) => site.build(url, { ...shown, out })));
  t.deepEqual(compareTrees(hashTree(outs[0]!), hashTree(outs[1]!)), []);
  t.is(server.requests.filter(({ method }) => method === 'GET').length, 2);
  await site.build(url, shown);
  await expectSameAsLocal(t, remote);
});
