import { existsSync, rmSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import test from '../../helpers/serial-test.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository with a branch, a second one and a tag, and a site of all of them. */
async function createPublished(t: ExecutionContext) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n', 'docs/a.md': '# A\n' });
  repository.git('tag', 'v1');
  repository.git('branch', 'feature/x');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository.folder, { onPublished });
  return {
    repository,
    site,
    published: () => published,
    update: (...update: string[]) => site.build(repository.folder, { onPublished, refUpdate: { published, update } }),
  };
}

const oids = (refs: readonly Ref[]) => Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));

test('buildSite() tells what is published', async (t) => {
  const { published } = await createPublished(t);
  t.deepEqual(
    published()
      .map(({ kind, name }) => `${kind} ${name}`)
      .sort(),
    ['branch feature/x', 'branch main', 'tag v1'],
  );
});

test('buildSite() updates the named version and leaves the others at the commits they were published from', async (t) => {
  const { repository, site, published, update } = await createPublished(t);
  const before = oids(published());
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const moved = repository.git('rev-parse', 'HEAD');
  await update('feature/x');
  t.regex(site.read('en/main/index.html'), />One /);
  t.deepEqual(oids(published()), before);
  await update('main');
  t.regex(site.read('en/main/index.html'), />Two /);
  t.regex(site.read('en/feature-x/index.html'), />One /);
  t.deepEqual(oids(published()), { ...before, main: moved });
});

test('buildSite() adds a version and takes one out that is published no more', async (t) => {
  const { repository, site, published } = await createPublished(t);
  repository.git('branch', 'next');
  let refs: readonly Ref[] = [];
  const onPublished = (now: readonly Ref[]) => (refs = now);
  await site.build(repository.folder, { onPublished, refUpdate: { published: published(), update: ['next'] } });
  t.true(site.has('en/next/a.html'));
  const without = refs.filter(({ name }) => name !== 'feature/x');
  await site.build(repository.folder, { onPublished, refUpdate: { published: without, update: [] } });
  t.false(site.has('en/feature-x/a.html'));
  t.true(site.has('en/next/a.html') && site.has('en/v1/a.html') && site.has('en/latest/a.html'));
  t.deepEqual(refs.map(({ name }) => name).sort(), ['main', 'next', 'v1']);
});

test('buildSite() keeps a version whose branch is gone or broken at the remote until it is taken out', async (t) => {
  const { repository, site, update } = await createPublished(t);
  repository.git('branch', '-D', 'feature/x');
  commitFiles(repository, { '.docbuild.yml': 'title: [\n' });
  await update('v1');
  t.true(site.has('en/feature-x/a.html'));
  t.true(site.has('en/main/a.html'));
  const broken = await t.throwsAsync(update('main'), { name: 'BuildError' });
  t.regex(broken!.message, /YAML/);
  t.true(site.has('en/main/a.html'));
});

test('buildSite() takes a version out when its ref is gone, and builds it when the ref exists', async (t) => {
  const { repository, site, published } = await createPublished(t);
  const remove = (...names: string[]) =>
    site.build(repository.folder, { refUpdate: { published: published(), update: [], remove: names } });
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  await remove('main');
  t.regex(site.read('en/main/index.html'), />Two /);
  repository.git('branch', '-D', 'feature/x');
  await remove('feature/x');
  t.false(site.has('en/feature-x/index.html'));
  t.true(site.has('en/v1/index.html'));
});

test('buildSite() takes the site down with its last version, and puts it up again', async (t) => {
  const { repository, site } = await createPublished(t);
  const dev = { name: 'dev', kind: 'branch' as const, oid: repository.git('rev-parse', 'HEAD') };
  let refs: readonly Ref[] | undefined;
  const onPublished = (now: readonly Ref[]) => (refs = now);
  const summary = await site.build(repository.folder, {
    onPublished,
    refUpdate: { published: [dev], update: [], remove: ['dev'] },
  });
  t.deepEqual([summary.versions, summary.pages, refs], [0, 0, []]);
  t.false(existsSync(site.out));
  await site.build(repository.folder, { onPublished, refUpdate: { published: [], update: ['main'] } });
  t.true(site.has('en/main/index.html'));
});

test('buildSite() lets another version be latest until the one that is asked for is there', async (t) => {
  const { repository, site, published } = await createPublished(t);
  repository.git('branch', 'stable');
  const options = { latest: 'stable' };
  await site.build(repository.folder, { ...options, refUpdate: { published: published(), update: ['main'] } });
  t.is(JSON.parse(site.read('versions.json')).latest, 'main');
  await site.build(repository.folder, { ...options, refUpdate: { published: published(), update: ['stable'] } });
  t.is(JSON.parse(site.read('versions.json')).latest, 'stable');
});

test('buildSite() says that the version to update does not exist', async (t) => {
  const { update } = await createPublished(t);
  await t.throwsAsync(update('nope'), { message: /Branch or tag "nope" does not exist/ });
});

test('buildSite() updates over HTTP, also when the cache was lost', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('branch', 'dev');
  const server = await serveGit(t, repository.folder);
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(server.url, { onPublished });
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const update = ['main'];
  await site.build(server.url, { onPublished, cacheFolder: `${site.folder}/other`, refUpdate: { published, update } });
  t.regex(site.read('en/main/index.html'), />Two /);
  t.regex(site.read('en/dev/index.html'), />One /);
});

/** Moves a branch away from its commit by force, and has git forget that one. */
function loseCommit(repository: TestRepository, branch: string): string {
  repository.git('checkout', '--quiet', branch);
  repository.write('docs/index.md', '# Forced\n');
  repository.git('commit', '--quiet', '--all', '--amend', '-m', 'Forced');
  const forced = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', 'main');
  repository.git('reflog', 'expire', '--expire=now', '--all');
  repository.git('gc', '--quiet', '--prune=now');
  return forced;
}

/** A published site with a branch `dev` of its own commit; `serve` gives its address. */
async function createWithDev(t: ExecutionContext, serve: (folder: string) => Promise<string>) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('checkout', '--quiet', '-b', 'dev');
  commitFiles(repository, { 'docs/dev.md': '# Dev\n' });
  repository.git('checkout', '--quiet', 'main');
  const site = createSite(t);
  const url = await serve(repository.folder);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(url, { onPublished });
  const options = () => ({ onPublished, refUpdate: { published, update: ['main'] } });
  return { repository, site, url, options, published: () => published };
}

for (const [place, serve] of [
  ['a folder', async () => async (folder: string) => folder],
  [
    'a server, without the cache',
    async (t: ExecutionContext) => async (folder: string) => (await serveGit(t, folder)).url,
  ],
] as const) {
  test(`buildSite() takes another version as it is now where its commit is gone: ${place}`, async (t) => {
    const { repository, site, url, options, published } = await createWithDev(t, await serve(t));
    const forced = loseCommit(repository, 'dev');
    rmSync(site.cacheFolder, { recursive: true });
    commitFiles(repository, { 'docs/index.md': '# Two\n', 'docs/new.md': '# New\n' });
    await site.build(url, options());
    t.regex(site.read('en/main/index.html'), />Two /);
    t.regex(site.read('en/dev/index.html'), />Forced /);
    t.is(oids(published())['dev'], forced);
  });

  test(`buildSite() keeps the files of a version that can be built no more, and says so: ${place}`, async (t) => {
    const { repository, site, url, options, published } = await createWithDev(t, await serve(t));
    const before = oids(published());
    loseCommit(repository, 'dev');
    repository.git('branch', '-D', 'dev');
    rmSync(site.cacheFolder, { recursive: true });
    commitFiles(repository, { 'docs/index.md': '# Two\n', 'docs/new.md': '# New\n' });
    const { errors } = await site.build(url, options());
    t.deepEqual(
      errors.map(({ ref }) => ref),
      ['dev'],
    );
    t.regex(errors[0]!.message, /; the version stays as it was published$/);
    t.regex(site.read('en/dev/index.html'), />One /);
    t.regex(site.read('en/main/index.html'), />Two /);
    t.is(oids(published())['dev'], before['dev']);
  });
}

test('versions.json lists languages, versions and pages once each', async (t) => {
  const { repository, site, update } = await createPublished(t);
  commitFiles(repository, { 'docs/b/index.md': '# B\n' });
  await update('main');
  const index = JSON.parse(site.read('versions.json'));
  t.deepEqual(index.languages, ['en']);
  t.deepEqual(index.versions, { en: ['latest', 'main', 'feature/x', 'v1'] });
  t.deepEqual(index.refs['feature/x'], { kind: 'branch', slug: 'feature-x' });
  t.is(index.latest, 'main');
  const pages = (name: string) => index.lists[index.pages.en[name]].map((at: number) => index.paths[at]).sort();
  t.deepEqual(pages('v1'), ['a.html', 'index.html']);
  t.deepEqual(pages('main'), ['a.html', 'b/index.html', 'index.html']);
  t.is(index.pages.en.v1, index.pages.en['feature/x'], 'equal lists are one');
  t.is(index.lists.length, 2);
});
