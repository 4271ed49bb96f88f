import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const words = (about: string, count = 40): string =>
  Array.from(
    { length: count },
    (_, at) => `${about}${at} ${['river', 'stone', 'cloud', 'ember', 'leaf'][at % 5]}`,
  ).join(' ');

function createReleases(t: Parameters<typeof createRepository>[0]) {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/old.md': `# Old\n\n${words('old')}\n`,
    'docs/guide.md': `# Guide\n\n${words('guide')}\n\n## Use\n\n${words('use')}\n`,
    'docs/move.md': `# Moving\n\n${words('move')}\n`,
  });
  repository.git('tag', 'v1.0.0');
  repository.git('rm', '--quiet', 'docs/old.md');
  repository.git('mv', 'docs/move.md', 'docs/moved.md');
  commitFiles(repository, {
    'docs/guide.md': `# Guide\n\n${words('guide')}\n\n## Use\n\n${words('use')} and more\n\n## New part\n\n${words('part')}\n`,
    'docs/new.md': `# New <b>&amp;</b>\n\n${words('new')}\n`,
  });
  repository.git('tag', 'v1.1.0');
  return repository;
}

/** Returns what a page says was added, removed, moved and changed, as text. */
function changes(site: TestSite, page: string): readonly string[] {
  const [, article = ''] = /<article[^>]*>(.*?)<\/article>/s.exec(site.read(page)) ?? [];
  const lines = article.replace(/<\/(?:h\d|p|li|ul)>|<ul[^>]*>/g, '\n').replace(/<[^>]*>/g, '');
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

test.serial('a page tells what changed in each version', async (t) => {
  const repository = createReleases(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const told = changes(site, '_docbuild/changes/en/v1.1.0.html');
  t.deepEqual(
    told.map((line) => line.replace(/\d+%/, 'N%')),
    [
      'What changed in v1.1.0',
      'Compared with v1.0.0',
      'Added 1',
      'New &amp;',
      'Removed 1',
      'Old',
      'Moved 1',
      'Moving move.html',
      'Changed 1',
      'Guide N% of the text · Compare',
      'Added: New part',
      'Changed: Use',
      'Unchanged pages: 1',
      'What changed between versions',
    ],
  );
  const html = site.read('_docbuild/changes/en/v1.1.0.html');
  for (const [, url = ''] of html.matchAll(/<a href="(\.\.[^"]*)"/g)) {
    const path = new URL(url, 'file:///_docbuild/changes/en/v1.1.0.html').pathname
      .slice(1)
      .replace(/\/?$/, (end) => end && '/index.html');
    t.true(site.has(path), url);
  }
  t.true(html.includes('guide.html?compare=v1.0.0"'));
  t.true(html.includes('guide.html#new-part"'));
  t.false(site.has('_docbuild/changes/en/v1.0.0.html'));
  t.deepEqual(changes(site, '_docbuild/changes/en.html').slice(0, 3), [
    'What changed between versions',
    'main',
    'v1.1.0',
  ]);
  t.false(site.has('_docbuild/changes/en.xml'));
});

test.serial('a version without documentation is passed over', async (t) => {
  const repository = createReleases(t);
  repository.git('rm', '-rq', 'docs');
  repository.commit('none');
  repository.git('tag', 'v1.2.0');
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  repository.git('tag', 'v1.3.0');
  const site = createSite(t);
  await site.build(repository.folder);
  t.false(site.has('en/v1.2.0/index.html'));
  t.deepEqual(changes(site, '_docbuild/changes/en/v1.3.0.html').slice(0, 3), [
    'What changed in v1.3.0',
    'Compared with v1.1.0',
    'Removed 3',
  ]);
});

test.serial('a feed tells of releases in which something changed', async (t) => {
  const repository = createReleases(t);
  repository.git('tag', 'v1.1.1');
  commitFiles(repository, { 'docs/new.md': `# New\n\n${words('another')}\n` });
  repository.git('tag', 'v1.2.0-rc.1');
  const site = createSite(t);
  await site.build(repository.folder, { baseUrl: 'https://docs.example.org/x' });
  const feed = site.read('_docbuild/changes/en.xml');
  t.deepEqual(
    [...feed.matchAll(/<entry><title>([^<]*)<\/title><id>([^<]*)/g)].map(([, title, id]) => [title, id]),
    [['v1.1.0', 'https://docs.example.org/x/_docbuild/changes/en/v1.1.0.html']],
  );
  t.true(feed.includes('href=&quot;https://docs.example.org/x/en/v1.1.0/guide.html?compare=v1.0.0&quot;'));
  t.true(
    site
      .read('en/v1.1.0/guide.html')
      .includes(
        'type="application/atom+xml" title="What changed between versions" href="../../_docbuild/changes/en.xml"',
      ),
  );
});

test.serial('pages of what changed are those of the last build where nothing did', async (t) => {
  const repository = createReleases(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const inode = site.inode('_docbuild/changes/en/v1.1.0.html');
  commitFiles(repository, { 'docs/new.md': `# New\n\n${words('another')}\n` });
  await site.build(repository.folder);
  t.is(site.inode('_docbuild/changes/en/v1.1.0.html'), inode);
  t.true(changes(site, '_docbuild/changes/en/main.html').includes('Changed 1'));
});

test.serial('what is shown in another language for want of a translation does not count', async (t) => {
  const repository = createRepository(t);
  const page = (about: string) => `# ${about}\n\n${words(about)}\n`;
  commitFiles(repository, {
    'docs/en/a.md': page('a'),
    'docs/en/b.md': page('b'),
    'docs/de/a.md': page('de-a'),
    '.docbuild.yml': 'lang: [en, de]\n',
  });
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/en/b.md': page('changed'), 'docs/en/c.md': page('c'), 'docs/de/c.md': page('de-c') });
  repository.git('tag', 'v2');
  commitFiles(repository, { 'docs/de/b.md': page('de-b') });
  repository.git('tag', 'v3');
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(changes(site, '_docbuild/changes/de/v2.html').slice(2), [
    'Neu 1',
    'de-c',
    'Unveränderte Seiten: 1',
    'Änderungen zwischen Versionen',
  ]);
  t.deepEqual(changes(site, '_docbuild/changes/de/v3.html').slice(2, 4), ['Neu 1', 'de-b']);
});

test.serial('a site with one version has no such pages', async (t) => {
  const repository = createReleases(t);
  const site = createSite(t);
  await site.build(repository.folder, { single: true });
  t.deepEqual(
    site.list().filter((path) => path.includes('changes')),
    [],
  );
});
