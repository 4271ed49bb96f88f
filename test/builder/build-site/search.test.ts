import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openSearch } from '../../../bench/corpus/open-search.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const FILES = {
  'docs/en/index.md': '---\nlayout: home\nhero: {name: Kettle, tagline: Boils quickly}\n---\n',
  'docs/en/use.md': '# Use\n\nPour water.\n\n## Clean\n\nWith vinegar.\n',
  'docs/en/more.md': '# More\n\nNothing yet.\n',
  'docs/fr/index.md': '# Bouilloire\n\nEau chaude.\n',
};

const searchFiles = (site: TestSite): readonly string[] =>
  readdirSync(join(site.out, '_docbuild')).filter((name) => /^search-/.test(name));
const paths = (site: TestSite, query: string, language = 'en', everywhere = false) =>
  openSearch(site.out, language)
    .find(query, everywhere)
    .pages.map(({ path, slugs }) => `${path} ${slugs.join(' ')}`);

test('buildSite() writes an index of each language, which knows pages, sections, and openings of landing pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(paths(site, 'vinegar'), ['use.html main']);
  t.is(openSearch(site.out, 'en').find('vinegar').pages[0]!.passages[0]!.id, 'clean');
  t.deepEqual(paths(site, 'boils kettle'), ['index.html main']);
  t.deepEqual(paths(site, 'bouilloire', 'fr'), ['index.html main']);
  // A page that has no translation is shown in the default language, and found there.
  t.deepEqual(paths(site, 'vinegar', 'fr'), ['use.html main']);
});

test('buildSite() leaves out of search what its front matter keeps from it, hidden pages, drafts and redirects', async (t) => {
  const repository = createRepository(t);
  const page = (matter: string): string => `---\n${matter}\n---\n# Secret\n\nTreasure\n`;
  commitFiles(repository, {
    ...FILES,
    'docs/en/a.md': page('search: false'),
    'docs/en/b.md': page('hidden: true'),
    'docs/en/c.md': page('draft: true'),
    'docs/en/d.md': page('unlisted: true'),
    'docs/en/e.md': page('redirect_to: use.md'),
    'docs/en/f.md': page('search: true'),
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(paths(site, 'treasure'), ['f.html main']);
});

test('buildSite() finds in all versions, and says in which', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/en/use.md': '# Use\n\nPour water.\n' });
  repository.git('tag', 'v2');
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'main' });
  t.deepEqual(paths(site, 'vinegar'), []);
  t.deepEqual(paths(site, 'vinegar', 'en', true), ['use.html v1']);
  t.deepEqual(paths(site, 'water', 'en', true), ['use.html main v2 v1']);
  t.is(searchFiles(site).filter((name) => name.startsWith('search-en.')).length, 1, 'versions share an index');
});

test('buildSite() reads the words of changed pages only, and leaves indexes without changes as they are', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  const site = createSite(t);
  await site.build(repository.folder);
  const french = searchFiles(site).find((name) => name.startsWith('search-fr.'))!;
  const inode = site.inode(`_docbuild/${french}`);
  commitFiles(repository, { 'docs/en/index.md': FILES['docs/en/index.md'].replace('quickly', 'silently') });
  t.is((await site.build(repository.folder)).rendered, 1);
  t.deepEqual(paths(site, 'silently'), ['index.html main']);
  t.deepEqual(paths(site, 'quickly'), []);
  t.deepEqual(paths(site, 'vinegar'), ['use.html main'], 'the words of other pages come from the cache');
  t.true(searchFiles(site).includes(french));
  t.is(site.inode(`_docbuild/${french}`), inode);
  t.is(searchFiles(site).filter((name) => name.startsWith('search-en.')).length, 1, 'the old index is gone');
});

test('buildSite() makes the index whole again when the cache is lost and versions stay as they are published', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'main' });
  rmSync(site.cacheFolder, { recursive: true });
  commitFiles(repository, { 'docs/en/new.md': '# New\n\nWhistle\n' });
  await site.build(repository.folder, { latest: 'main' });
  t.deepEqual(paths(site, 'vinegar', 'en', true), ['use.html main v1']);
  t.deepEqual(paths(site, 'whistle', 'en', true), ['new.html main']);
});

test('buildSite() with a single version has a search, too', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  const site = createSite(t);
  await site.build(repository.folder, { single: true });
  t.deepEqual(paths(site, 'vinegar'), ['use.html main']);
  t.deepEqual(paths(site, 'chaude', 'fr'), ['index.html main']);
});

test('buildSite() writes an index that is whole for pages without words', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': '', 'docs/en/x.md': '---\ntitle: X\n---\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(paths(site, 'x'), ['x.html main']);
  t.deepEqual(paths(site, '?!'), []);
});
