import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { execGit, runGit } from '../../helpers/run-git.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns the date that a page shows, as machines read it. */
const dateOf = (site: TestSite, page: string): string | undefined =>
  /<time datetime="([^"]*)"/.exec(site.read(page))?.[1];

/** Writes files and commits them at the beginning of a day. */
function commitOn(repository: TestRepository, day: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.git('add', '--all');
  const date = `${day}T00:00:00Z`;
  // The committer's date of a rebased commit is another one.
  const env = { GIT_AUTHOR_DATE: date };
  execGit(['commit', '--quiet', '-m', day], { cwd: repository.folder, env });
}

function createHistory(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  commitOn(repository, '2020-01-01', { 'docs/a.md': '# A\n', 'docs/b.md': '# B\n', 'src/x.ts': '1' });
  commitOn(repository, '2020-02-01', { 'docs/b.md': '# B 2\n' });
  repository.git('tag', 'v1');
  commitOn(repository, '2020-03-01', { 'docs/index.md': '# Home\n', 'src/x.ts': '2' });
  return repository;
}

test('buildSite() shows when each page was written, by the first commit in which it is as it is', async (t) => {
  const repository = createHistory(t);
  repository.git('checkout', '--quiet', '-b', 'side', 'v1');
  commitOn(repository, '2020-04-01', { 'docs/a.md': '# A on the side\n' });
  repository.git('checkout', '--quiet', 'main');
  commitOn(repository, '2020-05-01', { 'docs/c.md': '# C\n' });
  repository.git('merge', '--quiet', '-m', 'merge', 'side');
  const site = createSite(t);
  await site.build(repository.folder);
  const dates = (version: string, ...pages: readonly string[]) =>
    pages.map((page) => dateOf(site, `en/${version}/${page}.html`)?.slice(0, 10));
  t.deepEqual(dates('main', 'index', 'a', 'b', 'c'), ['2020-03-01', '2020-04-01', '2020-02-01', '2020-05-01']);
  t.deepEqual(dates('v1', 'a', 'b'), ['2020-01-01', '2020-02-01']);
  t.regex(site.read('en/main/a.html'), /Last updated: <time datetime="2020-04-01T00:00:00Z">April 1, 2020<\/time>/);
});

test('buildSite() dates the pages of a folder inside a repository as those of the repository', async (t) => {
  const repository = createHistory(t);
  // Written before the folder is read: a plain folder shows what is not committed.
  repository.write('docs/b.md', '# B, edited\n');
  const site = createSite(t);
  const folder = join(repository.folder, 'docs');
  const datesOf = (...pages: readonly string[]) =>
    pages.map((page) => dateOf(site, `en/latest/${page}.html`)?.slice(0, 10));
  await site.build(folder, { sourceDir: '.' });
  t.deepEqual(datesOf('index', 'a', 'b'), ['2020-03-01', '2020-01-01', undefined]);
  const other = createSite(t);
  await other.build(repository.folder, { cacheFolder: site.cacheFolder });
  t.is(dateOf(other, 'en/main/a.html'), '2020-01-01T00:00:00Z');
  commitOn(repository, '2021-01-01', {});
  await site.build(folder, { sourceDir: '.' });
  t.deepEqual(datesOf('index', 'a', 'b'), ['2020-03-01', '2020-01-01', '2021-01-01'], 'committed without a change');
  rmSync(join(repository.folder, '.git', 'HEAD'));
  await site.build(folder, { sourceDir: '.' });
  t.deepEqual(datesOf('index', 'a', 'b'), [undefined, undefined, undefined], 'no repository any more');
});

test('buildSite() changes no page when a commit changes another one', async (t) => {
  const repository = createHistory(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const pages = ['a', 'b', 'index'].map((name) => `en/main/${name}.html`);
  const before = pages.map((page) => site.inode(page));
  commitOn(repository, '2021-01-01', { 'docs/a.md': '# A\n\nMore.\n', 'src/x.ts': '3' });
  await site.build(repository.folder);
  const [a, b, index] = pages.map((page) => site.inode(page));
  t.deepEqual([b, index], before.slice(1));
  t.not(a, before[0]);
  t.is(dateOf(site, 'en/main/a.html'), '2021-01-01T00:00:00Z');
  t.is(site.inode('en/main/b.html'), site.inode('en/latest/b.html'));
});

test('buildSite() gives the dates of a full build after many commits, too', async (t) => {
  const repository = createHistory(t);
  const [site, fresh] = [createSite(t), createSite(t)];
  for (let at = 10; at < 70; at++) commitOn(repository, `20${at}-06-01`, { 'docs/n.md': `# ${at}\n` });
  await site.build(repository.folder);
  for (let at = 70; at < 75; at++) commitOn(repository, `20${at}-06-01`, { 'docs/n.md': `# ${at}\n` });
  await site.build(repository.folder);
  await fresh.build(`${repository.folder}/.`);
  for (const page of ['n', 'a', 'index'].map((name) => `en/main/${name}.html`)) t.is(site.read(page), fresh.read(page));
  t.is(dateOf(site, 'en/main/a.html'), '2020-01-01T00:00:00Z');
});

test('buildSite() gives the dates of a full build while a history grows, branches, joins and is rewritten', async (t) => {
  const repository = createHistory(t);
  const random = createRandom(7);
  const site = createSite(t);
  const commit = (day: number) => {
    const date = new Date(Date.UTC(2021, 0, day)).toISOString().slice(0, 10);
    // Pages also become again what they were.
    const page = `docs/${random.pick(['a', 'b', 'n'])}.md`;
    commitOn(repository, date, { [page]: `# ${random.below(3)}\n`, 'src/x.ts': String(day) });
  };
  const steps: readonly ((day: number) => void)[] = [
    commit,
    () => repository.git('checkout', '--quiet', '-B', `branch-${random.below(2)}`, `main~${random.below(3)}`),
    () => repository.git('checkout', '--quiet', 'main'),
    () => repository.git('merge', '--quiet', '-X', 'ours', '-m', 'Merge', random.pick(['main', 'v1', 'HEAD~1'])),
    () => repository.git('reset', '--quiet', '--hard', 'HEAD~1'),
  ];
  for (let day = 1; day <= 48; day++) {
    if (day % 2 === 0) random.pick(steps)(day);
    else commit(day);
    if (day % 6 !== 0) continue;
    await site.build(repository.folder);
    const fresh = createSite(t);
    // Under another name, since the process remembers histories by the name of the repository.
    await fresh.build(`${repository.folder}/.`);
    t.deepEqual(compareTrees(hashTree(site.out), hashTree(fresh.out)), [], `day ${day}`);
  }
});

test('buildSite() shows no date where a shallow clone does not know it', async (t) => {
  const repository = createHistory(t);
  commitOn(repository, '2020-06-01', { 'docs/b.md': '# B 3\n' });
  const clone = createSite(t).folder;
  const folder = join(clone, 'clone');
  runGit(clone, 'clone', '--quiet', '--depth', '2', `file://${repository.folder}`, folder);
  const site = createSite(t);
  await site.build(folder);
  t.deepEqual(
    ['a', 'b', 'index'].map((name) => dateOf(site, `en/main/${name}.html`)),
    [undefined, '2020-06-01T00:00:00Z', undefined],
  );
});

test('buildSite() knows the dates of a clone that is no longer shallow', async (t) => {
  const repository = createHistory(t);
  for (let at = 10; at < 70; at++) commitOn(repository, `20${at}-06-01`, { 'docs/n.md': `# ${at}\n` });
  const site = createSite(t);
  const folder = join(site.folder, 'clone');
  runGit(site.folder, 'clone', '--quiet', '--depth', '55', `file://${repository.folder}`, folder);
  await site.build(folder);
  t.is(dateOf(site, 'en/main/a.html'), undefined);
  commitOn(repository, '2070-06-01', { 'docs/n.md': '# 70\n' });
  runGit(folder, 'pull', '--quiet', '--unshallow');
  await site.build(folder);
  t.is(dateOf(site, 'en/main/a.html'), '2020-01-01T00:00:00Z');
  t.is(dateOf(site, 'en/main/n.html'), '2070-06-01T00:00:00Z');
});

/** Serves a repository as a code host does. */
async function serveRepository(t: ExecutionContext, repository: TestRepository) {
  const server = await serveGit(t, dirname(repository.folder));
  return { server, url: `${server.url}/${basename(repository.folder)}` };
}

/** A remote's address is in what it publishes. */
const dated = { title: 'T', hideGit: true, lastUpdated: true };

test('buildSite() dates the pages of a remote like those of the local repository, if it is asked to', async (t) => {
  const repository = createHistory(t);
  const { server, url } = await serveRepository(t, repository);
  const [local, remote] = [createSite(t), createSite(t)];
  const compare = async (requests: number, what: string) => {
    server.requests.length = 0;
    await local.build(repository.folder, dated);
    await remote.build(url, dated);
    t.deepEqual(compareTrees(hashTree(local.out), hashTree(remote.out)), [], what);
    t.is(server.requests.length, requests, what);
  };
  await remote.build(url, { ...dated, lastUpdated: undefined });
  t.is(dateOf(remote, 'en/main/a.html'), undefined, 'not asked');
  await compare(2, 'files are here: list, history');
  t.is(dateOf(remote, 'en/main/a.html'), '2020-01-01T00:00:00Z');
  await compare(1, 'nothing changed');
  commitOn(repository, '2021-01-01', { 'docs/a.md': '# A 2\n' });
  await compare(2, 'a pushed commit: list, files');
  commitOn(repository, '2021-02-01', { 'docs/b.md': '# B 3\n' });
  commitOn(repository, '2021-03-01', { 'docs/a.md': '# A 3\n' });
  await compare(3, 'pushed commits: list, files, history');
  repository.git('reset', '--quiet', '--hard', 'v1');
  commitOn(repository, '2021-04-01', { 'docs/index.md': '# Forced\n' });
  await compare(2, 'a forced push');
  repository.git('branch', '0.x', 'v1~1');
  await compare(2, 'a branch of the first commit');
});

test('buildSite() reads from .docbuild.yml whether a history is to be fetched', async (t) => {
  const repository = createHistory(t);
  const { url } = await serveRepository(t, repository);
  const site = createSite(t);
  for (const [setting, date] of [
    ['lastUpdated: true', '2020-01-01T00:00:00Z'],
    ['lastUpdated: false', undefined],
    ['title: T', undefined],
    ['lastUpdated: true', '2020-01-01T00:00:00Z'],
  ] as const) {
    commitOn(repository, '2022-01-01', { '.docbuild.yml': `${setting}\n` });
    const { warnings } = await site.build(url);
    t.deepEqual(warnings, []);
    t.deepEqual([dateOf(site, 'en/main/a.html'), dateOf(site, 'en/v1/a.html')], [date, date], setting);
  }
});

test('buildSite() dates all versions when a push to the default branch asks for it', async (t) => {
  const repository = createHistory(t);
  const { server, url } = await serveRepository(t, repository);
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => {
    published = refs;
  };
  const push = () => site.build(url, { onPublished, refUpdate: { published, update: ['main'] } });
  await site.build(url, { onPublished });
  repository.git('branch', 'next');
  commitOn(repository, '2022-01-01', { '.docbuild.yml': 'lastUpdated: true\n' });
  const { warnings, rendered } = await push();
  t.deepEqual([warnings, rendered], [[], 0]);
  const dates = () => ['main', 'v1', 'latest'].map((version) => dateOf(site, `en/${version}/b.html`)?.slice(0, 10));
  t.deepEqual(dates(), ['2020-02-01', '2020-02-01', '2020-02-01']);
  commitOn(repository, '2022-02-01', { 'docs/b.md': '# B 3\n' });
  server.requests.length = 0;
  await push();
  t.deepEqual(dates(), ['2022-02-01', '2020-02-01', '2022-02-01']);
  t.is(server.requests.length, 2);
});

test('buildSite() publishes without dates what a server cannot send, says so, and dates it once it can', async (t) => {
  const repository = createHistory(t);
  const { server, url } = await serveRepository(t, repository);
  const site = createSite(t);
  server.without = ['filter'];
  for (const requests of [2, 1]) {
    server.requests.length = 0;
    const { warnings } = await site.build(url, { lastUpdated: true, refs: 'main' });
    t.deepEqual(
      warnings.map(({ ref, code, message }) => ({ ref, code, message })),
      [
        {
          ref: 'main',
          code: 'history',
          message:
            'Pages do not say when they were written, as their history was not fetched: the server cannot send a history without its files (in git: uploadpack.allowFilter)',
        },
      ],
    );
    t.is(server.requests.length, requests);
  }
  t.is(dateOf(site, 'en/main/a.html'), undefined);
  server.without = [];
  commitOn(repository, '2021-01-01', { 'src/x.ts': '9' });
  t.deepEqual((await site.build(url, { lastUpdated: true, refs: 'main' })).warnings, []);
  t.is(dateOf(site, 'en/main/a.html'), '2020-01-01T00:00:00Z');
});

test('buildSite() keeps the dates it has when a connection is cut, and completes them with the next build', async (t) => {
  const repository = createHistory(t);
  const { server, url } = await serveRepository(t, repository);
  const site = createSite(t);
  await site.build(url, { lastUpdated: true, refs: 'v1' });
  commitOn(repository, '2020-04-01', { 'docs/b.md': '# B 3\n' });
  await site.build(url, { lastUpdated: false });
  server.cutAfterBytes = 50;
  const { warnings } = await site.build(url, { lastUpdated: true });
  t.deepEqual(
    warnings.map(({ code }) => code),
    ['history'],
  );
  const dates = () => ['v1', 'main'].map((version) => dateOf(site, `en/${version}/a.html`));
  t.deepEqual(dates(), ['2020-01-01T00:00:00Z', undefined]);
  server.cutAfterBytes = undefined;
  t.deepEqual((await site.build(url, { lastUpdated: true })).warnings, []);
  t.deepEqual(dates(), ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z']);
});

test('buildSite() publishes without dates a history beyond the limit, and dates it once the limit is raised', async (t) => {
  const repository = createHistory(t);
  for (let at = 10; at < 60; at++) commitOn(repository, `20${at}-06-01`, { 'src/x.ts': `${at}` });
  const { url } = await serveRepository(t, repository);
  const site = createSite(t);
  const build = (maxFetchBytes: number) => site.build(url, { lastUpdated: true, limits: { maxFetchBytes } });
  const { errors, warnings } = await build(5_000);
  t.deepEqual(errors, []);
  t.regex(warnings[0]!.message, /sent more than 0\.005 MB, the limit for one fetch; raise it with --max-fetch/);
  t.is(dateOf(site, 'en/main/a.html'), undefined);
  t.deepEqual((await build(100_000)).warnings, []);
  t.is(dateOf(site, 'en/main/a.html'), '2020-01-01T00:00:00Z');
});

test('buildSite() shows the dates of front matter, in the words of the language, or none', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '---\nlastUpdated: 2019-05-04\n---\n\n# Home\n',
    'docs/en/a.md': '---\nlastUpdated: false\n---\n\n# A\n',
    'docs/de/index.md': '+++\nlastmod = 2019-05-04\n+++\n\n# Anfang\n',
    'docs/de/b.md': '# B\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(dateOf(site, 'en/main/a.html'), undefined);
  t.regex(site.read('en/main/index.html'), /<time datetime="2019-05-04">May 4, 2019<\/time>/);
  t.regex(site.read('de/main/index.html'), /Zuletzt geändert: <time datetime="2019-05-04">4\. Mai 2019<\/time>/);
  repository.write('.docbuild.yml', 'lastUpdated: false\n');
  repository.commit('off');
  await site.build(repository.folder);
  t.is(dateOf(site, 'de/main/b.html'), undefined);
  t.is(dateOf(site, 'en/main/index.html'), '2019-05-04', 'that of an author is shown');
});
