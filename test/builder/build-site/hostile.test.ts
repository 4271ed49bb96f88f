import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { expectRefused } from '../../helpers/expect-refused.ts';
import { type RawEntry, writeBlob, writeTree } from '../../helpers/raw-objects.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository whose branch `main` holds `docs/` with a home page and these entries. */
function createHostile(
  repository: TestRepository,
  entries: (page: string, folder: string) => readonly RawEntry[],
): void {
  const page = writeBlob(repository, '# Evil\n');
  const folder = writeTree(repository, [{ mode: '100644', name: 'a.md', oid: page }]);
  const docs = writeTree(repository, [
    { mode: '100644', name: 'index.md', oid: writeBlob(repository, '# Home\n') },
    ...entries(page, folder),
  ]);
  const root = writeTree(repository, [{ mode: '40000', name: 'docs', oid: docs }]);
  repository.git('update-ref', 'refs/heads/main', repository.git('commit-tree', root, '-m', 'x'));
}

for (const name of ['..', '.', '.git', '.GIT', '.Git ', 'git~1', '.g\u200cit', 'a/b', '']) {
  for (const kind of ['file', 'folder'] as const) {
    test(`buildSite() refuses a tree with a ${kind} named ${JSON.stringify(name)}`, async (t) => {
      const repository = createRepository(t);
      const site = createSite(t);
      commitFiles(repository, { 'docs/index.md': '# Good\n' });
      await site.build(repository.folder);
      createHostile(repository, (page, folder) => [
        kind === 'file' ? { mode: '100644', name, oid: page } : { mode: '40000', name, oid: folder },
      ]);
      const build = { repository: repository.folder };
      await expectRefused(t, site, build, { code: 'unsafe-name', message: /ref "main", docs.*: .*(?:named|name) / });
    });
  }
}

test('buildSite() skips names that some system cannot hold, with warnings that name them', async (t) => {
  const repository = createRepository(t);
  const names = ['CON.md', 'a\\b.md', 'c:x.md', 'tab\tx.md', 'x .md ', 'dot.', 'q?.md', 'z\u200b.md', 'lpt1.png'];
  createHostile(repository, (page) => names.map((name) => ({ mode: '100644', name, oid: page })));
  const site = createSite(t);
  const { warnings, pages } = await site.build(repository.folder);
  t.is(pages, 1);
  t.is(
    warnings.filter(({ code, ref, file }) => code === 'unsafe-name' && ref === 'main' && file.startsWith('docs/'))
      .length,
    names.length,
  );
});

test('buildSite() takes one of two names that are the same but for case or Unicode form', async (t) => {
  const repository = createRepository(t);
  createHostile(repository, (page, folder) => [
    { mode: '100644', name: 'A.md', oid: page },
    { mode: '100644', name: 'a.md', oid: page },
    { mode: '40000', name: 'Guide', oid: folder },
    { mode: '40000', name: 'guide', oid: folder },
    { mode: '100644', name: 'gr\u00f6\u00dfe.md', oid: page },
    { mode: '100644', name: 'gro\u0308\u00dfe.md', oid: page },
  ]);
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.is(warnings.filter(({ code }) => code === 'same-name').length, 3);
  const names = readdirSync(join(site.out, 'en/main')).map((name) => name.normalize('NFC').toLowerCase());
  t.is(new Set(names).size, names.length);
});

test('buildSite() does not fall over pages and folders that want the same path', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[a](a.md)\n',
    'docs/a.md': '# A\n',
    'docs/a.html/b.md': '# B\n',
    'docs/en_US/x.md': '# X\n',
    'docs/x.html/y.md': '# Y\n',
    'docs/de_DE/y.html/z.md': '# Z\n',
    'docs/y.md': '# Y\n',
    '.docbuild.yml': 'redirects:\n  a.html/b: index.md\n  a.html/new: index.md\n  index.html/x: a.md\n  ../x: a.md\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const skipped = warnings.filter(({ code }) => code === 'duplicate-page' || code === 'same-name');
  t.deepEqual(
    skipped.map(({ file }) => file),
    ['docs/a.html', 'docs/x.html/y.md'],
  );
  t.regex(site.read('en_US/main/a.html'), /<h1[^>]*>A/);
  t.regex(site.read('en_US/main/x.html'), /<h1[^>]*>X/);
  t.regex(site.read('de_DE/main/y.html/z.html'), /<h1[^>]*>Z/);
});

test('buildSite() does not fall over a shared file and a language folder of the same name', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n\n[file](../guide) [page](guide/a.md)\n',
    'docs/en/guide/a.md': '# A\n',
    'docs/zh_CN/index.md': '# Z\n',
    'docs/guide': 'a file\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.true(site.has('en/main/guide/a.html'));
  const href = /href="([^"]*)"[^>]*>file</.exec(site.read('en/main/index.html'))![1]!;
  t.is(site.read(join('en/main', href)), 'a file\n');
});

test('buildSite() does not fall over languages and pages that meet in a site with one version', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/zh/b.md': '# English page in a folder named zh\n',
    'docs/en/404.md': '# Own 404\n',
    'docs/en/robots.txt.md': '# Robots\n',
    'docs/zh/index.md': '# Z\n',
    'docs/zh/b.md': '# Chinese\n',
    'docs/zh/404.md': '# Own Chinese 404\n',
  });
  const site = createSite(t);
  await site.build(repository.folder, { single: true });
  t.regex(site.read('zh/b.html'), /Chinese/);
  t.regex(site.read('404.html'), /Own 404/);
  t.regex(site.read('zh/404.html'), /Own Chinese 404/);
});

test('buildSite() never lets a page or file take the place of its own marker', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[marker](.docbuild.json) [again](copy.json)\n',
    'docs/.docbuild.json': '{"evil": true}',
    'docs/copy.json': '{"evil": true}',
  });
  const site = createSite(t);
  await site.build(repository.folder, { single: true });
  t.is(site.read('copy.json'), '{"evil": true}');
  t.regex(site.read('.docbuild.json'), /"generator":"docbuild"/);
  const again = await site.build(repository.folder, { single: true });
  t.is(again.rendered, 0);
});

test('buildSite() publishes branches with strange names, escaped, and inside the output folder', async (t) => {
  const repository = createRepository(t);
  const oid = commitFiles(repository, { 'docs/index.md': '# Home\n\n[a](a.md)\n', 'docs/a.md': '# A\n' });
  const names = [
    'a$(id)',
    'x\'"<svg>',
    '--upload-pack=touch',
    'latest2',
    'a%2e%2e',
    '100%',
    'ü/ö',
    'a#b',
    'a;b',
    '`x`',
  ];
  for (const name of names) repository.git('update-ref', `refs/heads/${name}`, oid);
  const site = createSite(t);
  const { versions } = await site.build(repository.folder, {
    refs: '**',
    baseUrl: 'https://x.test/',
    latest: 'x\'"<svg>',
  });
  t.is(versions, names.length + 1);
  t.deepEqual(readdirSync(site.folder).sort(), ['.out.docbuild', 'cache', 'out']);
  for (const file of site.list().filter((path) => /\.(?:html|xml)$/.test(path)))
    t.notRegex(site.read(file), /<svg>/, file);
});

for (const name of ['index.html', '404.html', 'latest', 'INDEX.html']) {
  test(`buildSite() leaves out a branch named ${name} and says what to do`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n' });
    repository.git('branch', name);
    const site = createSite(t);
    const { errors, versions } = await site.build(repository.folder, { refs: '**' });
    t.is(versions, 1);
    t.like(errors, [{ ref: name, file: '', line: 0, code: 'slug-taken' }]);
    t.regex(errors[0]!.message, /^Ref ".*" cannot be published as .*exclude.*; the version is left out$/);
  });
}

test('buildSite() refuses packed refs that lead out of the output folder', async (t) => {
  for (const name of ['..', '../../x', '.', 'a/../..']) {
    const repository = createRepository(t);
    const oid = commitFiles(repository, { 'docs/index.md': '# Home\n' });
    repository.git('pack-refs', '--all');
    appendFileSync(join(repository.folder, '.git/packed-refs'), `${oid} refs/heads/${name}\n`);
    const site = createSite(t);
    await site.build(repository.folder).catch(() => {});
    const allowed = new Set(['.out.docbuild', 'cache', 'out']);
    t.deepEqual(
      readdirSync(site.folder).filter((found) => !allowed.has(found)),
      [],
      name,
    );
    if (site.has(''))
      t.true(
        readdirSync(site.out).every((found) => !found.endsWith('.md') && found !== 'main'),
        name,
      );
  }
});

test('buildSite() skips a path that some file system cannot hold', async (t) => {
  const repository = createRepository(t);
  const folders = Array.from({ length: 25 }, (_, index) => `${index}${'x'.repeat(200)}`);
  const page = writeBlob(repository, '# Deep\n');
  let tree = writeTree(repository, [{ mode: '100644', name: 'a.md', oid: page }]);
  for (const folder of folders) tree = writeTree(repository, [{ mode: '40000', name: folder, oid: tree }]);
  const home = { mode: '100644', name: 'index.md', oid: page };
  const docs = writeTree(repository, [{ mode: '40000', name: 'deep', oid: tree }, home]);
  const root = writeTree(repository, [{ mode: '40000', name: 'docs', oid: docs }]);
  repository.git('update-ref', 'refs/heads/main', repository.git('commit-tree', root, '-m', 'x'));
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.is(warnings.length, 1);
  t.regex(warnings[0]!.message, /longer than 700 bytes/);
});

test('buildSite() gives a clear error for a tree that holds itself a thousand times', async (t) => {
  const repository = createRepository(t);
  const page = writeBlob(repository, '# X\n');
  let tree = writeTree(repository, [{ mode: '100644', name: 'a.md', oid: page }]);
  for (let depth = 0; depth < 8; depth++) {
    tree = writeTree(
      repository,
      Array.from({ length: 16 }, (_, n) => ({ mode: '40000', name: `d${n}`, oid: tree })),
    );
  }
  const root = writeTree(repository, [{ mode: '40000', name: 'docs', oid: tree }]);
  repository.git('update-ref', 'refs/heads/main', repository.git('commit-tree', root, '-m', 'x'));
  const site = createSite(t);
  const build = { repository: repository.folder };
  await expectRefused(t, site, build, { code: 'too-many-files', message: /more than 50,000 files/ });
});

test('buildSite() reads names such as __proto__ and constructor as names', async (t) => {
  const repository = createRepository(t);
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
  const text =
    '---\n__proto__: {title: x}\nconstructor: 1\n---\n# P\n\n## __proto__\n\n[x](constructor.md#__proto__)\n\n```__proto__\nx\n```\n';
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    ...Object.fromEntries(names.filter((name) => !name.startsWith('_')).map((name) => [`docs/${name}.md`, text])),
    'docs/guide/constructor/index.md': '# C\n',
    'docs/guide/__proto__.png': 'x',
    '.docbuild.yml': 'redirects:\n  constructor/old: index.md\n  __proto__: index.md\n',
  });
  for (const name of names) repository.git('tag', name);
  const site = createSite(t);
  const { versions } = await site.build(repository.folder);
  t.is(versions, 5);
  for (const name of names) t.true(site.has(`en/${name}/constructor.html`), name);
});
