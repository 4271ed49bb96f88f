import { existsSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
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
  await site.build(repository.folder, { onPublished, refs: '**' });
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

test('buildSite() takes all that changed with the version that it is for', async (t) => {
  const { repository, site, published, update } = await createPublished(t);
  const before = oids(published());
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const moved = repository.git('rev-parse', 'HEAD');
  await update('feature/x');
  t.regex(site.read('en/main/index.html'), />Two /);
  t.regex(site.read('en/feature-x/index.html'), />One /);
  t.deepEqual(oids(published()), { ...before, main: moved });
});

test('buildSite() publishes tags that nobody announced, and takes out what is gone', async (t) => {
  const { repository, site, published, update } = await createPublished(t);
  for (const tag of ['v2', 'v3', 'v4', 'v5']) repository.git('tag', tag);
  repository.git('tag', '-d', 'v1');
  repository.git('branch', '-D', 'feature/x');
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  await update('main');
  t.deepEqual(
    published().map(({ name }) => name),
    ['main', 'v5', 'v4', 'v3', 'v2'],
  );
  t.false(site.has('en/v1/index.html') || site.has('en/feature-x/index.html'));
});

test('buildSite() builds no branch that is no version when it is pushed, unless somebody asks for it', async (t) => {
  const { repository, site, published, update } = await createPublished(t);
  repository.git('branch', 'topic/y');
  const { leftOut } = await update('topic/y');
  t.deepEqual(leftOut, { count: 1, names: ['topic/y'] });
  t.false(site.has('en/topic-y/index.html'));
  t.true(site.has('en/feature-x/index.html'), 'what is published stays');
  const asked = { published: published(), update: ['topic/y'], isAsked: true };
  await site.build(repository.folder, { refUpdate: asked });
  t.true(site.has('en/topic-y/index.html'));
});

test('buildSite() leaves the default branch as it is while its .docbuild.yml is not valid', async (t) => {
  const { repository, site, update } = await createPublished(t);
  repository.git('tag', 'v2');
  commitFiles(repository, { '.docbuild.yml': 'title: [\n', 'docs/index.md': '# Two\n' });
  const { errors } = await update('v2');
  t.true(site.has('en/v2/a.html'));
  t.regex(site.read('en/main/index.html'), />One /);
  t.deepEqual(
    errors.map(({ ref, file }) => [ref, file]),
    [['main', '.docbuild.yml']],
    'its status is not that of what is published',
  );
  t.regex(errors[0]!.message, /; the version stays as it was published$/);
  const broken = await t.throwsAsync(update('main'), { name: 'BuildError' });
  t.regex(broken!.message, /YAML/);
  t.true(site.has('en/main/a.html'));
});

test('buildSite() takes a version out when its ref is said to be gone, and builds it when the ref exists', async (t) => {
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
  let refs: readonly Ref[] | undefined;
  const onPublished = (now: readonly Ref[]) => (refs = now);
  const dev = { name: 'dev', kind: 'branch' as const, oid: repository.git('rev-parse', 'HEAD') };
  const summary = await site.build(repository.folder, {
    onPublished,
    exclude: '**',
    refUpdate: { published: [dev], update: [], remove: ['dev'] },
  });
  t.deepEqual([summary.versions, summary.pages, refs], [0, 0, []]);
  t.false(existsSync(site.out));
  await site.build(repository.folder, { onPublished, refUpdate: { published: [], update: ['main'] } });
  t.true(site.has('en/main/index.html'));
});

test('buildSite() lets another version be latest while the one that is asked for is not there, and says so', async (t) => {
  const { repository, site, published } = await createPublished(t);
  const update = (...names: string[]) =>
    site.build(repository.folder, { latest: 'master', refUpdate: { published: published(), update: names } });
  const { warnings } = await update('main');
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['Ref "master", requested as latest, does not exist, and another one takes its place; change --latest'],
  );
  t.is(JSON.parse(site.read('versions.json')).latest, 'main');
  repository.git('branch', 'master');
  await update('main');
  t.is(JSON.parse(site.read('versions.json')).latest, 'master');
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
  t.is(published.length, 2);
  const update = ['main'];
  await site.build(server.url, { onPublished, cacheFolder: `${site.folder}/other`, refUpdate: { published, update } });
  t.regex(site.read('en/main/index.html'), />Two /);
  t.regex(site.read('en/dev/index.html'), />One /);
});

test('versions.json lists languages, versions and pages once each', async (t) => {
  const { repository, site, update } = await createPublished(t);
  commitFiles(repository, { 'docs/b/index.md': '# B\n' });
  await update('main');
  const index = JSON.parse(site.read('versions.json'));
  t.deepEqual(index.languages, ['en']);
  t.deepEqual(index.versions, { en: ['latest', 'main', 'feature/x', 'v1'] });
  t.deepEqual(index.refs['feature/x'], { kind: 'branch', slug: 'feature-x', base: 'main' });
  t.is(index.latest, 'main');
  const pages = (name: string) => index.lists[index.pages.en[name]].map((at: number) => index.paths[at]).sort();
  t.deepEqual(pages('v1'), ['a.html', 'index.html']);
  t.deepEqual(pages('main'), ['a.html', 'b/index.html', 'index.html']);
  t.is(index.pages.en.v1, index.pages.en['feature/x'], 'equal lists are one');
  t.is(index.lists.length, 2);
});
