import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { runGit } from '../../helpers/run-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const page = { 'docs/index.md': '# Home\n', 'docs/a.md': '# A\n' };

test('buildSite() publishes every branch and tag under its slug, and latest beside them', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  repository.git('tag', 'v1.0');
  repository.git('tag', '--annotate', '--message=x', 'v1.1');
  repository.git('branch', 'feature/x');
  const site = createSite(t);
  const { versions } = await site.build(repository.folder, { refs: '**' });
  t.is(versions, 4);
  t.deepEqual(readdirSync(join(site.out, 'en')).sort(), [
    '404.html',
    'feature-x',
    'index.html',
    'latest',
    'main',
    'v1.0',
    'v1.1',
  ]);
  t.regex(site.read('index.html'), /url=\.\/en\/latest\//);
  t.regex(site.read('en/index.html'), /url=\.\/latest\//);
});

test('buildSite() leads from versions with the same content to their own languages, and warns of each of them', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n\n[Other language](../zh/b.md)\n',
    'docs/zh/index.md': '# 首页\n\n[没有](nowhere.md)\n',
    'docs/zh/b.md': '---\nimage: b.png\n---\n# B\n',
    'docs/zh/b.png': 'a picture',
  });
  for (const tag of ['v1', 'v2', 'v3']) repository.git('tag', tag);
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  for (const version of ['main', 'v1', 'v2', 'v3']) {
    t.true(site.read(`en/${version}/index.html`).includes(`href="../../zh/${version}/b.html"`));
    t.deepEqual(
      warnings.filter(({ ref }) => ref === version).map(({ file, message }) => `${file}: ${message}`),
      ['docs/zh/index.md: Link "nowhere.md" leads to no page or file'],
    );
    t.is(site.inode(`zh/${version}/b.html`), site.inode('zh/v1/b.html'));
  }
  await site.build(repository.folder, { baseUrl: 'https://docs.example/' });
  for (const version of ['v1', 'v2', 'v3']) {
    t.true(site.read(`zh/${version}/b.html`).includes(`content="https://docs.example/zh/${version}/b.png"`));
  }
});

test('buildSite() builds what --refs names and --exclude does not', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  for (const tag of ['v1.0', 'v1.1', 'v2.0']) repository.git('tag', tag);
  for (const branch of ['dependabot/npm/x', 'next']) repository.git('branch', branch);
  const site = createSite(t);
  await site.build(repository.folder, { refs: 'v1.*|next|dependabot/**', exclude: 'dependabot/**' });
  t.deepEqual(readdirSync(join(site.out, 'en')).sort(), ['404.html', 'index.html', 'latest', 'next', 'v1.0', 'v1.1']);
});

test('buildSite() lets latest stand for HEAD, for what is asked for, or else for the newest version', async (t) => {
  const repository = createRepository(t);
  for (const name of ['v1.0', 'v1.10', 'v1.9', 'main']) {
    commitFiles(repository, { 'docs/index.md': `# This is ${name}\n` });
    if (name !== 'main') repository.git('tag', name);
  }
  const site = createSite(t);
  const latest = () => />This is (v?[\w.]*)</.exec(site.read('en/latest/index.html'))?.[1];
  await site.build(repository.folder);
  t.is(latest(), 'main');
  await site.build(repository.folder, { latest: 'v1.9' });
  t.is(latest(), 'v1.9');
  await site.build(repository.folder, { refs: 'v*' });
  t.is(latest(), 'v1.10');
});

test('buildSite() warns of tags that lead to a file or a folder, and of one that has the name of a branch', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  repository.git('tag', 'folder', 'HEAD^{tree}');
  repository.git('tag', '--annotate', '--message=x', 'file', 'HEAD:docs/a.md');
  repository.git('tag', 'left-out', 'HEAD:docs/a.md');
  for (const name of ['next', 'other']) repository.git('tag', name);
  for (const name of ['next', 'other']) repository.git('branch', name);
  const site = createSite(t);
  const list = async () => {
    const { warnings, versions } = await site.build(repository.folder, { exclude: 'left-out|other' });
    return { versions, lines: warnings.map(({ ref, code, message }) => `${ref}: ${code}: ${message}`).sort() };
  };
  const { versions, lines } = await list();
  t.is(versions, 2);
  t.is(lines.length, 3);
  t.regex(lines[0]!, /^file: skipped-ref: Skipped: Object [0-9a-f]{40} is a blob, not a commit$/);
  t.regex(lines[1]!, /^folder: skipped-ref: Skipped: Object [0-9a-f]{40} is a tree, not a commit$/);
  t.is(
    lines[2],
    'next: skipped-ref: Tag "next" skipped: a branch has the same name, and the branch is published; rename one of them',
  );
  // Also where nothing has changed.
  t.deepEqual((await list()).lines, lines);
});

test('buildSite() takes a name that is branch and tag for the branch', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Tag\n' });
  repository.git('tag', 'v2');
  commitFiles(repository, { 'docs/index.md': '# Branch\n' });
  repository.git('branch', 'v2');
  const site = createSite(t);
  const { versions } = await site.build(repository.folder);
  t.is(versions, 2);
  t.regex(site.read('en/v2/index.html'), />Branch/);
});

test('buildSite() calls versions as rules of .docbuild.yml say, in lists and addresses, and takes the refs that it names', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    '.docbuild.yml': 'refs: [main, release-*, topic/x]\nslug:\n  main: dev\n  release-*: v*\n',
  });
  for (const branch of ['release-8.5', 'release-8.10', 'topic/x', 'topic/y']) repository.git('branch', branch);
  const site = createSite(t);
  const { leftOut, versions } = await site.build(repository.folder);
  t.deepEqual([versions, leftOut.count], [4, 0]);
  t.deepEqual(readdirSync(join(site.out, 'en')).sort(), [
    '404.html',
    'dev',
    'index.html',
    'latest',
    'topic-x',
    'v8.10',
    'v8.5',
  ]);
  const index = JSON.parse(site.read('versions.json'));
  t.deepEqual(index.versions.en, ['latest', 'dev', 'v8.10', 'v8.5', 'topic/x']);
  t.is(index.latest, 'dev');
  t.like(index.refs['v8.10'], { slug: 'v8.10', ref: 'release-8.10', family: 'release-', rank: 2 });
  t.regex(site.read('_docbuild/versions/en.html'), />v8\.10</);
});

test('buildSite() calls the tags of one package by their versions, and those of several by their names', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  for (const tag of ['lamp@1.9.0', 'lamp@1.10.0', '@parts/bulb@2.0.0']) repository.git('tag', tag);
  const site = createSite(t);
  await site.build(repository.folder);
  const read = () => JSON.parse(site.read('versions.json')).versions.en;
  t.deepEqual(read(), ['latest', 'main', '@parts/bulb@2.0.0', 'lamp@1.10.0', 'lamp@1.9.0']);
  await site.build(repository.folder, { refs: 'main|lamp@*' });
  t.deepEqual(read(), ['latest', 'main', '1.10.0', '1.9.0']);
  t.true(site.has('en/1.10.0/index.html'));
  t.false(site.has('en/lamp@1.10.0/index.html'));
});

test('buildSite() publishes one of two refs that meet in one slug, and names both', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  repository.git('branch', 'feature/x');
  repository.git('tag', 'feature-x');
  const site = createSite(t);
  const { errors, versions } = await site.build(repository.folder, { refs: '**' });
  t.is(versions, 2);
  t.like(errors, [{ ref: 'feature/x', code: 'slug-taken' }]);
  t.regex(errors[0]!.message, /"feature\/x" cannot be published as "feature-x": so is "feature-x"/);
  t.deepEqual(Object.keys(JSON.parse(site.read('versions.json')).refs), ['main', 'feature-x']);
});

test('buildSite() skips versions without documentation with a warning', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'readme.txt': 'x' });
  repository.git('tag', 'v0.1');
  commitFiles(repository, page);
  const site = createSite(t);
  const { versions, warnings } = await site.build(repository.folder);
  t.is(versions, 1);
  t.deepEqual(
    warnings.map(({ ref, code }) => [ref, code]),
    [['v0.1', 'skipped-ref']],
  );
  t.false(site.has('en/v0.1'));
});

test('buildSite() names the folder that a skipped version was asked for, by its project file or by the command', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { '.docbuild.yml': 'sourceDir: manual\n', 'docs/index.md': '# Home\n' });
  repository.git('tag', 'v0.1');
  commitFiles(repository, { '.docbuild.yml': '', 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ ref, file, message }) => [ref, file, message]),
    [['v0.1', 'manual', 'Version skipped: it has no folder "manual"']],
  );
  const { warnings: none } = await site.build(repository.folder, { sourceDir: 'docs' });
  t.deepEqual(none, []);
});

test('buildSite() skips versions whose folder holds no page, none in a chosen language or drafts only, with a warning each', async (t) => {
  const repository = createRepository(t);
  const before = {
    empty: { 'docs/index.html': '<p>Made by hand' },
    foreign: { 'docs/fr/index.md': '# Bonjour\n', 'docs/fr-CA/index.md': '# Bonjour\n' },
    drafts: { 'docs/en/index.md': '---\ndraft: true\n---\n# Soon\n' },
  };
  for (const [tag, files] of Object.entries(before)) {
    commitFiles(repository, files);
    repository.git('tag', tag);
    repository.git('rm', '-rq', 'docs');
  }
  commitFiles(repository, { 'docs/en/index.md': '# Home\n' });
  const site = createSite(t);
  const build = () => site.build(repository.folder, { lang: ['en'] });
  const { versions, warnings, sources } = await build();
  t.is(versions, 1);
  const none = 'Version skipped: folder "docs" contains no Markdown page (.md, .markdown, .mdx) in en';
  t.deepEqual(warnings.map(({ ref, file, code, message }) => [ref, file, code, message]).sort(), [
    ['drafts', 'docs', 'skipped-ref', `${none}; 1 draft not published`],
    ['empty', 'docs', 'skipped-ref', none],
    ['foreign', 'docs', 'skipped-ref', none],
  ]);
  t.deepEqual(
    sources.map(({ refs }) => refs),
    [['main']],
  );
  t.deepEqual((await build()).warnings, warnings);
  commitFiles(repository, { 'docs/en/index.md': '# New home\n' });
  t.deepEqual((await build()).warnings, warnings);
});

test('buildSite() with single publishes one version at the root', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n\n[A](a.md)\n',
    'docs/en/a.md': '# A\n',
    'docs/de/a.md': '# A\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const { versions, pages, fallbacks } = await site.build(repository.folder, {
    single: true,
    baseUrl: 'https://x.test/d/',
  });
  t.deepEqual([versions, pages, fallbacks], [1, 3, 1]);
  const own = site.list().filter((path) => !path.startsWith('_docbuild/'));
  t.deepEqual(own, [
    '.docbuild.json',
    '404.html',
    'a.html',
    'a.md',
    'de/404.html',
    'de/a.html',
    'de/a.md',
    'de/index.html',
    'de/index.md',
    'de/llms-full.txt',
    'de/llms.txt',
    'index.html',
    'index.md',
    'llms-full.txt',
    'llms.txt',
    'robots.txt',
    'sitemap.xml',
    'versions.json',
  ]);
  t.regex(site.read('index.html'), /href="(?:\.\/)?a\.html"/);
  t.regex(site.read('sitemap.xml'), /<loc>https:\/\/x\.test\/d\/de\/a\.html<\/loc>/);
});

test('buildSite() removes what is gone: versions, languages, pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { ...page, 'docs/zh_CN/a.md': '# A\n', 'docs/deep/er/x.md': '# X\n' });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder);
  t.true(site.has('en/v1/deep/er/x.html') && site.has('zh_CN/v1/a.html'));
  repository.git('tag', '--delete', 'v1');
  repository.git('rm', '-r', '--quiet', 'docs/zh_CN', 'docs/deep');
  repository.commit('Less');
  await site.build(repository.folder);
  t.false(site.has('en/v1') || site.has('zh_CN') || site.has('en/main/deep'));
});

const shapes: Readonly<Record<string, (t: Parameters<typeof createFolder>[0], source: string) => string>> = {
  'a bare repository': (t, source) => clone(t, source, '--bare'),
  'a repository with packed refs': (t, source) => {
    const folder = clone(t, source, '--mirror');
    runGit(folder, 'pack-refs', '--all');
    return folder;
  },
  'a linked worktree': (t, source) => {
    const folder = join(createFolder(t), 'tree');
    runGit(source, 'worktree', 'add', '--quiet', '--detach', folder);
    return folder;
  },
  'a detached HEAD': (t, source) => {
    const folder = clone(t, source, '--mirror');
    runGit(folder, 'update-ref', '--no-deref', 'HEAD', runGit(folder, 'rev-parse', 'main'));
    return folder;
  },
  'a repository whose objects are borrowed': (t, source) => clone(t, source, '--bare', '--shared'),
  'a file URL': (t, source) => `file://${clone(t, source, '--bare')}`,
  'the .git folder itself': (_, source) => join(source, '.git'),
};

function clone(t: Parameters<typeof createFolder>[0], source: string, ...options: readonly string[]): string {
  const folder = join(createFolder(t), 'clone');
  runGit(source, 'clone', '--quiet', ...options, source, folder);
  return folder;
}

for (const [shape, make] of Object.entries(shapes)) {
  test(`buildSite() makes the same site of ${shape} as of the work tree`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, page);
    repository.git('tag', '--annotate', '--message=x', 'v1.0');
    repository.git('branch', 'feature/x');
    commitFiles(repository, { 'docs/b.md': '# B\n' });
    const [expected, found] = [createSite(t), createSite(t)];
    await expected.build(repository.folder, { title: 'T', refs: '**' });
    const { versions } = await found.build(make(t, repository.folder), { title: 'T', refs: '**' });
    t.is(versions, 3);
    t.deepEqual(compareTrees(hashTree(expected.out), hashTree(found.out)), []);
  });
}

test('buildSite() counts the branches of a bundle that was cloned', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  repository.git('branch', 'next');
  repository.git('tag', 'v1');
  const bundle = join(createFolder(t), 'x.bundle');
  repository.git('bundle', 'create', '--quiet', bundle, '--all', 'HEAD');
  const folder = join(createFolder(t), 'clone');
  repository.git('clone', '--quiet', bundle, folder);
  const site = createSite(t);
  const { versions } = await site.build(folder);
  t.is(versions, 3);
  t.true(site.has('en/next/a.html'));
});

test('buildSite() builds a shallow clone, also one without a branch', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  commitFiles(repository, { 'docs/b.md': '# B\n' });
  const folder = join(createFolder(t), 'clone');
  runGit(repository.folder, 'clone', '--quiet', '--depth=1', `file://${repository.folder}`, folder);
  const site = createSite(t);
  t.is((await site.build(folder)).versions, 1);
  t.true(site.has('en/main/b.html'));
  runGit(folder, 'checkout', '--quiet', '--detach');
  runGit(folder, 'branch', '--quiet', '-D', 'main');
  runGit(folder, 'remote', 'remove', 'origin');
  t.is((await site.build(folder)).versions, 1);
  t.true(site.has('en/current/b.html'));
});

test('buildSite() takes a plain folder for one version and sees what changes in it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { ...page, '.docbuild.yml': 'title: Plain\n' });
  const folder = join(createFolder(t), 'plain');
  runGit(repository.folder, 'worktree', 'add', '--quiet', '--detach', folder);
  repository.git('worktree', 'prune');
  rmSync(join(folder, '.git'));
  const site = createSite(t);
  t.is((await site.build(folder)).versions, 1);
  t.regex(site.read('en/current/a.html'), /<title>A \| Plain<\/title>/);
  t.is((await site.build(folder)).rendered, 0);
  writeFileSync(join(folder, 'docs/a.md'), '# Changed\n');
  t.is((await site.build(folder)).rendered, 1);
  t.regex(site.read('en/latest/a.html'), />Changed/);
});

test('buildSite() writes equal files of all versions to the disk once', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, page);
  for (let n = 0; n < 10; n++) repository.git('tag', `v1.${n}`);
  const site = createSite(t);
  await site.build(repository.folder);
  const inodes = ['main', 'v1.0', 'v1.9', 'latest'].map((slug) => statSync(join(site.out, `en/${slug}/a.html`)).ino);
  t.is(new Set(inodes).size, 1);
});
