import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

interface Sketch {
  readonly files: Readonly<Record<string, string>>;
  /** Targets by path of the link. */
  readonly links: Readonly<Record<string, string>>;
}

function createLinked(t: ExecutionContext, { files, links }: Sketch): TestRepository {
  const repository = createRepository(t);
  for (const [file, content] of Object.entries(files)) repository.write(file, content);
  for (const [link, target] of Object.entries(links)) {
    repository.write(join(dirname(link), '.keep'), '');
    symlinkSync(target, join(repository.folder, link));
  }
  repository.commit('Files and links');
  return repository;
}

/** Returns the pages of the latest version, and the warnings as `code file: message`. */
async function build(
  t: ExecutionContext,
  sketch: Sketch,
): Promise<{ site: TestSite; pages: string[]; found: string[] }> {
  const site = createSite(t);
  const { warnings } = await site.build(createLinked(t, sketch).folder);
  const pages = site.list().filter((path) => /^en\/main\/.*\.html$/.test(path));
  return {
    site,
    pages: pages.map((path) => path.slice('en/main/'.length)),
    found: warnings.map(({ code, file, message }) => `${code} ${file}: ${message}`),
  };
}

test('buildSite() shows a file where a link inside the repository puts it', async (t) => {
  const { site, pages, found } = await build(t, {
    files: {
      'docs/index.md': '# Home\n\n[Changes](changes.md)\n',
      'CHANGELOG.md': '# Changes\n\n[here](index.md) [there](CONTRIBUTING.md) ![logo](art/logo.png)\n',
      'CONTRIBUTING.md': '# Contributing\n',
      'art/logo.png': 'picture',
    },
    links: { 'docs/changes.md': '../CHANGELOG.md' },
  });
  t.deepEqual(pages, ['changes.html', 'index.html']);
  const page = site.read('en/main/changes.html');
  t.regex(page, /<h1[^>]*>Changes/);
  t.regex(page, /<a href="\.\/">here/, 'a relative link counts from where the page is shown');
  t.regex(page, /<img src="\.\/_files\/art\/logo\.png"/, 'then from where its file lies');
  t.is(site.read('en/main/_files/art/logo.png'), 'picture');
  t.deepEqual(found, []);
});

test('buildSite() shows what is in a folder where a link puts it, with the links in it', async (t) => {
  const { site, pages, found } = await build(t, {
    files: {
      'docs/index.md': '# Home\n\n[A](lib/guide/a.md) [API](lib/api.md)\n',
      'packages/lib/docs/guide/a.md': '# A\n\n![p](p.png) [API](../api.md)\n',
      'packages/lib/docs/guide/p.png': 'p',
      'packages/lib/API.md': '# API\n',
    },
    links: { 'docs/lib': '../packages/lib/docs', 'packages/lib/docs/api.md': '../API.md' },
  });
  t.deepEqual(pages, ['index.html', 'lib/api.html', 'lib/guide/a.html']);
  t.is(site.read('en/main/lib/guide/p.png'), 'p');
  t.deepEqual(found, []);
});

test('buildSite() takes a source folder that is a link for the folder it leads to', async (t) => {
  const { pages, found } = await build(t, {
    files: { 'website/content/index.md': '# Home\n', 'website/content/a.md': '# A\n' },
    links: { docs: 'website/content' },
  });
  t.deepEqual(pages, ['a.html', 'index.html']);
  t.deepEqual(found, []);
});

test('buildSite() names a linked page by its real file, in warnings and in the link to edit it', async (t) => {
  const repository = createLinked(t, {
    files: { 'docs/index.md': '# Home\n', 'NOTES.md': '# Notes\n\n[gone](gone.md)\n' },
    links: { 'docs/notes.md': '../NOTES.md' },
  });
  repository.git('remote', 'add', 'origin', 'https://github.com/owner/name.git');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line }) => `${file}:${line}`),
    ['NOTES.md:3'],
  );
  t.true(site.read('en/main/notes.html').includes('https://github.com/owner/name/edit/main/NOTES.md'));
});

const REFUSED: readonly (readonly [title: string, target: string, message: RegExp])[] = [
  ['an absolute path', '/etc/passwd', /points outside the repository/],
  ['a path above the root', '../../secret.md', /points outside the repository/],
  ['a path above the root and back', '../../../x/docs/index.md', /points outside the repository/],
  ['a path through another link that leaves', 'away/x.md', /points outside the repository/],
  ['a git directory', '../.git/config', /points into a git directory/],
  ['nowhere', 'gone.md', /target does not exist/],
  ['below a file', 'index.md/x', /target does not exist/],
  ['itself', 'link.md', /is circular/],
  ['its own folder', '.', /points to a folder that contains it/],
  ['the root', '..', /points to a folder that contains it/],
  ['a folder whose link leads back', '../other', /points to a folder that contains it/],
];

for (const [title, target, message] of REFUSED) {
  test(`buildSite() skips a link to ${title} with a warning`, async (t) => {
    const { pages, found } = await build(t, {
      files: { 'docs/index.md': '# Home\n', 'other/a.md': '# A\n' },
      links: { 'docs/link.md': target, 'docs/away': '../..', 'other/back': '../docs' },
    });
    const own = found.filter((row) => !row.startsWith('symbolic-link docs/away'));
    t.is(own.length, 1, own.join('\n'));
    t.regex(own[0]!, message);
    t.regex(own[0]!, /^symbolic-link (?:docs\/link\.md|other\/back): Symbolic link skipped: /);
    t.deepEqual(
      pages.filter((page) => !page.startsWith('link.md/')),
      ['index.html'],
    );
  });
}

test('buildSite() refuses links that multiply files without end', async (t) => {
  const files: Record<string, string> = { 'docs/index.md': '# Home\n' };
  const links: Record<string, string> = {};
  for (let level = 0; level < 7; level++) {
    for (let n = 0; n < 12; n++) links[level === 0 ? `docs/l${n}` : `f${level - 1}/l${n}`] = `../f${level}`;
  }
  files['f6/a.txt'] = 'a';
  const site = createSite(t);
  const { folder } = createLinked(t, { files, links });
  const error = await site.fail(folder, { limits: { maxFiles: 2_000 } });
  t.is(error.code, 'too-many-files');
});

test('buildSite() builds a page again when the file that a link leads to has changed', async (t) => {
  const repository = createLinked(t, {
    files: { 'docs/index.md': '# Home\n', 'NOTES.md': '# Old\n' },
    links: { 'docs/notes.md': '../NOTES.md' },
  });
  const site = createSite(t);
  await site.build(repository.folder);
  commitFiles(repository, { 'NOTES.md': '# New\n' });
  const { rendered } = await site.build(repository.folder);
  t.is(rendered, 1);
  t.regex(site.read('en/main/notes.html'), /<h1[^>]*>New/);
});

test('buildSite() does not read a project file that is a link, and says so', async (t) => {
  const { site, found } = await build(t, {
    files: { 'docs/index.md': '# Home\n', 'other.yml': 'title: Stolen\n' },
    links: { '.docbuild.yml': 'other.yml' },
  });
  t.false(site.read('en/main/index.html').includes('Stolen'));
  t.deepEqual(found, [
    'symbolic-link .docbuild.yml: .docbuild.yml is a symbolic link and was not read: put the file itself there',
  ]);
});

test('buildSite() follows the links of a plain folder, too', async (t) => {
  const repository = createLinked(t, {
    files: { 'docs/index.md': '# Home\n', 'NOTES.md': '# Notes\n' },
    links: { 'docs/notes.md': '../NOTES.md', 'docs/etc.md': '/etc/passwd' },
  });
  const site = createSite(t);
  const folder = join(site.folder, 'plain');
  repository.git('worktree', 'add', '--detach', '--quiet', folder);
  rmSync(join(folder, '.git'));
  const { warnings } = await site.build(folder);
  t.regex(site.read('en/current/notes.html'), /<h1[^>]*>Notes/);
  t.deepEqual(
    warnings.map(({ code, file }) => `${code} ${file}`),
    ['symbolic-link docs/etc.md'],
  );
});

test('buildSite() links to the place of a file itself, not to a link that shows it elsewhere', async (t) => {
  const { site, found } = await build(t, {
    files: {
      'docs/index.md': '# Home\n\n[a](guide/a.md) [again](zzz.md) [folder](guide/) [out](../OUT.md)\n',
      'docs/guide/a.md': '# A\n\n[b](b.md)\n',
      'docs/guide/b.md': '# B\n',
      'docs/guide/index.md': '# Guide\n',
      'OUT.md': '# Out\n',
    },
    links: {
      'docs/aaa.md': 'guide/a.md',
      'docs/zzz.md': 'guide/a.md',
      'docs/alias': 'guide',
      'docs/out-1.md': '../OUT.md',
      'docs/out-2.md': '../OUT.md',
    },
  });
  t.deepEqual(found, []);
  const urls = [...site.read('en/main/index.html').matchAll(/<a href="([^"]*)">(?:a|again|folder|out)<\/a>/g)];
  t.deepEqual(
    urls.map(([, url]) => url),
    ['./guide/a.html', './zzz.html', './guide/', './out-1.html'],
  );
  t.regex(site.read('en/main/guide/a.html'), /<a href="\.\.\/guide\/b\.html">b</);
  t.regex(site.read('en/main/alias/a.html'), /<a href="\.\.\/alias\/b\.html">b</);
});
