import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type InspectionOptions, inspectRepository } from '../../builder/inspect-repository.ts';
import { createFolder, createRepository, type TestRepository } from '../helpers/create-repository.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const PAGE = '# Page\n';

function createDocumented(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': PAGE,
    'docs/en/guide.md': PAGE,
    'docs/zh_CN/index.md': PAGE,
    'manual/intro.md': PAGE,
    'src/main.c': 'int main(void) { return 0; }\n'.repeat(1000),
    '.docbuild.yml': 'excluded: wip/*\n',
  });
  repository.git('tag', 'v1.0');
  repository.git('tag', 'v1.1');
  repository.git('branch', 'wip/new');
  repository.git('branch', 'old');
  return repository;
}

/** Serves a repository; returns its address and how to look at it. */
async function createServed(t: ExecutionContext, repository: TestRepository) {
  const server = await serveGit(t, dirname(repository.folder));
  const url = `${server.url}/${basename(repository.folder)}/.git`;
  const cacheFolder = createFolder(t);
  const inspect = (options: Partial<InspectionOptions> = {}) =>
    inspectRepository({ repository: url, cacheFolder, ...options });
  return { server, url, cacheFolder, inspect };
}

test.serial(
  'inspectRepository() says of a remote what a build would find, and fetches no file but configurations',
  async (t) => {
    const { server, url, cacheFolder, inspect } = await createServed(t, createDocumented(t));
    const report = await inspect({ exclude: 'old' });
    t.deepEqual(report, {
      label: url,
      head: 'main',
      refs: [
        { name: 'main', kind: 'branch', excludedBy: 'nothing' },
        { name: 'old', kind: 'branch', excludedBy: 'options' },
        { name: 'wip/new', kind: 'branch', excludedBy: 'project-file' },
        { name: 'v1.1', kind: 'tag', excludedBy: 'nothing' },
        { name: 'v1.0', kind: 'tag', excludedBy: 'nothing' },
      ],
      refCount: 5,
      builtCount: 3,
      documentation: {
        kind: 'found',
        folder: 'docs',
        generator: null,
        isReadmeOnly: false,
        problems: [],
        pages: 3,
        languages: ['en', 'zh_CN'],
      },
    });
    t.is(server.requests.length, 3, 'the refs, the folders, and .docbuild.yml');
    t.deepEqual(readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' }), ['repos']);
  },
);

test.serial('inspectRepository() says the same of a local repository as of a remote one', async (t) => {
  const repository = createDocumented(t);
  const { inspect } = await createServed(t, repository);
  const { label: _, ...remote } = await inspect({ sourceDir: 'manual' });
  const { label, ...local } = await inspect({ sourceDir: 'manual', repository: repository.folder });
  t.is(label, repository.folder);
  t.deepEqual(local, remote);
  t.like(local.documentation, { kind: 'found', folder: 'manual', pages: 1, languages: ['en'] });
});

test.serial('inspectRepository() names the folders with pages where the requested one does not exist', async (t) => {
  const { inspect } = await createServed(t, createDocumented(t));
  t.deepEqual((await inspect({ sourceDir: 'documentation' })).documentation, {
    kind: 'missing',
    folder: 'documentation',
    folders: [
      { folder: 'docs', pages: 3 },
      { folder: 'manual', pages: 1 },
    ],
    problems: [],
  });
});

test.serial(
  'inspectRepository() counts refs with endless names, but lists neither them nor more than 500',
  async (t) => {
    const repository = createRepository(t);
    const commit = commitFiles(repository, { 'docs/index.md': PAGE });
    const long = Array(5).fill('n'.repeat(60)).join('/');
    const names = [long, ...Array.from({ length: 520 }, (_, i) => `${i}.x`)];
    const rows = names.map((name) => `${commit} refs/heads/${name}\n`);
    repository.write('.git/packed-refs', rows.join(''));
    const { inspect } = await createServed(t, repository);
    const { refs, refCount, builtCount } = await inspect();
    t.deepEqual([refs.length, refCount, builtCount], [500, 522, 521]);
    t.is(refs[0]!.name, 'main');
    t.false(refs.some(({ name }) => name === long));
  },
);

test.serial(
  'inspectRepository() reads the configuration of a generator, and reports errors of .docbuild.yml',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      'mkdocs.yml': 'site_name: A\ndocs_dir: pages\n',
      'pages/index.md': PAGE,
      '.docbuild.yml': 'latest: main\nsingel: true\n',
    });
    const { inspect } = await createServed(t, repository);
    const { documentation } = await inspect();
    t.like(documentation, { kind: 'found', folder: 'pages', generator: 'mkdocs', pages: 1 });
    t.regex(documentation.kind === 'found' ? documentation.problems.join() : '', /^\.docbuild\.yml:2: .*singel/);
  },
);

test.serial(
  'inspectRepository() says where a server cannot send folders alone, and still lists the refs',
  async (t) => {
    for (const without of ['filter', 'shallow']) {
      const { server, inspect } = await createServed(t, createDocumented(t));
      server.without = [without];
      const report = await inspect();
      t.is(report.refCount, 5);
      t.like(report.documentation, { kind: 'unknown' });
      t.is(server.requests.length, 1, 'nothing is fetched instead');
    }
  },
);

test.serial('inspectRepository() keeps to the limits of size and time', async (t) => {
  const { server, inspect } = await createServed(t, createDocumented(t));
  const small = await inspect({ limits: { maxFetchBytes: 200 } });
  t.regex(small.documentation.kind === 'unknown' ? small.documentation.reason : '', /sent more than 0 MB$/);
  server.holdAfterBytes = 20;
  const slow = await inspect({ limits: { timeoutMs: 4_000 } });
  t.regex(
    slow.documentation.kind === 'unknown' ? slow.documentation.reason : '',
    /No answer from .* in time \(.*4 s\)$/,
  );
});

test.serial('inspectRepository() says what is wrong with an address, without its credentials', async (t) => {
  const { server, inspect } = await createServed(t, createDocumented(t));
  const address = server.url.replace('//', '//me:hunter2@');
  await t.throwsAsync(inspect({ repository: `${address}/nothing` }), {
    code: 'not-found',
    message: /^((?!hunter2).)*$/,
  });
  await t.throwsAsync(inspect({ repository: 'http://me:hunter2@127.0.0.1:1/a/b' }), {
    code: 'network',
    message: /^((?!hunter2).)*$/,
  });
  const closed = await serveGit(t, '/nowhere', { username: 'me', password: 'right' });
  await t.throwsAsync(inspect({ repository: `${closed.url.replace('//', '//me:hunter2@')}/a` }), {
    code: 'authentication',
    message: /^((?!hunter2).)*$/,
  });
  await t.throwsAsync(inspect({ repository: createRepository(t).folder }), { code: 'no-refs' });
});
