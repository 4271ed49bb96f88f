import test from 'ava';
import type { PageEvent } from '../../../builder/history/page-events.ts';
import { bucketOfPath } from '../../../lib/follow-page.ts';
import { createHistory, say } from '../../helpers/create-history.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';

const HOME = `# Home\n\n${say('home')}`;
const SETUP = `# Setup\n\n${say('setup')}\n\n## Linux\n\n${say('linux')}`;
const GUIDE = `# Guide\n\n${say('guide')}`;

function readTarget(site: TestSite, path: string): string | undefined {
  return /http-equiv="refresh" content="0; url=([^"]*)"/.exec(site.read(path))?.[1];
}

function readEvents(site: TestSite, code: string, path: string): readonly PageEvent[] {
  const { history } = JSON.parse(site.read('versions.json')) as { history: Readonly<Record<string, number>> };
  const file = `_docbuild/history/${code}/${bucketOfPath(path, history[code]!)}.json`;
  return (JSON.parse(site.read(file)) as { pages: Readonly<Record<string, readonly PageEvent[]>> }).pages[path] ?? [];
}

test('history: pages that moved are found at each of their paths in all versions, forwards and backwards', async (t) => {
  const repository = createHistory(t, {
    'v1.0': { 'index.md': HOME, 'guide/setup.md': SETUP },
    'v1.1': { 'index.md': HOME, 'install.md': `${SETUP}\n\nOne more sentence.` },
    'v1.2': { 'index.md': HOME, 'start/install.md': `${SETUP}\n\nOne more sentence.` },
  });
  const site = createSite(t);
  const { pages, errors, warnings } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  t.is(pages, 8);
  t.is(readTarget(site, 'en/v1.0/install.html'), './guide/setup.html');
  t.is(readTarget(site, 'en/v1.0/start/install.html'), '../guide/setup.html');
  t.is(readTarget(site, 'en/v1.2/guide/setup.html'), '../start/install.html');
  t.is(readTarget(site, 'en/v1.2/install.html'), './start/install.html');
  t.is(readTarget(site, 'en/latest/guide/setup.html'), '../start/install.html');
  t.is(readTarget(site, 'en/main/guide/setup.html'), '../start/install.html');
  t.is(site.inode('en/v1.2/install.html'), site.inode('en/latest/install.html'));
  const { lists, paths } = JSON.parse(site.read('versions.json')) as { lists: number[][]; paths: string[] };
  t.deepEqual(
    lists.map((list) => list.map((place) => paths[place]).join()),
    ['index.html,start/install.html', 'index.html,install.html', 'guide/setup.html,index.html'],
  );
  t.false(site.read('_docbuild/search.json').includes('guide/setup'));
});

test('history: the files of events tell what happened to a page, under each of its paths', async (t) => {
  const repository = createHistory(t, {
    'v1.0': { 'index.md': HOME, 'setup.md': SETUP, 'gone.md': GUIDE },
    'v1.1': { 'index.md': HOME, 'setup.md': SETUP.replace('## Linux', '## Windows\n\nNew.\n\n## Linux') },
    'v1.2': {
      'index.md': HOME,
      'install.md': SETUP.replace('## Linux', '## Windows\n\nNew.\n\n## Linux'),
      'new.md': `# New\n\n${say('new')}`,
    },
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const [changed, left] = readEvents(site, 'en', 'setup.html');
  t.like(changed, { version: 'v1.1', kind: 'changed', sections: { added: ['windows'] } });
  t.true(changed!.amount! > 0 && changed!.amount! < 0.2);
  t.deepEqual(left, { version: 'v1.2', kind: 'left', other: 'install.html' });
  t.deepEqual(readEvents(site, 'en', 'install.html'), [{ version: 'v1.2', kind: 'moved', other: 'setup.html' }]);
  t.deepEqual(readEvents(site, 'en', 'gone.html'), [{ version: 'v1.1', kind: 'removed' }]);
  t.deepEqual(readEvents(site, 'en', 'new.html'), [{ version: 'v1.2', kind: 'added' }]);
  t.deepEqual(readEvents(site, 'en', 'index.html'), []);
});

test('history: a page that became a section leads to that section, and back', async (t) => {
  const joined = `${GUIDE}\n\n## Setup\n\n${say('setup')}\n\n### Linux\n\n${say('linux')}`;
  const repository = createHistory(t, {
    'v1.0': { 'index.md': HOME, 'guide.md': GUIDE, 'setup.md': SETUP },
    'v1.1': { 'index.md': HOME, 'guide.md': joined },
    'v1.2': { 'index.md': HOME, 'guide.md': GUIDE, 'install.md': SETUP },
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(readTarget(site, 'en/v1.1/setup.html'), './guide.html#setup');
  t.is(readTarget(site, 'en/v1.1/install.html'), './guide.html#setup');
  // There the section is a page again.
  t.is(readTarget(site, 'en/v1.2/setup.html'), './install.html');
});

test('history: what authors lead on themselves, and their files, are left as they are', async (t) => {
  const redirects = (from: string): string => `redirects:\n  ${from}: guide.html\n`;
  const repository = createHistory(t, {
    'v1.0': { 'index.md': HOME, 'guide.md': GUIDE, 'setup.md': SETUP },
    'v1.1': { 'index.md': HOME, 'guide.md': GUIDE, 'install.md': SETUP, '.docbuild.yml': redirects('setup.html') },
    'v1.2': { 'index.md': HOME, 'guide.md': GUIDE, 'install.md': SETUP, 'setup.md': `# Other\n\n${say('other')}` },
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(readTarget(site, 'en/v1.1/setup.html'), './guide.html');
  t.is(readTarget(site, 'en/v1.2/setup.html'), undefined);
  t.is(readTarget(site, 'en/v1.0/install.html'), './setup.html');
  const { moves, paths } = JSON.parse(site.read('versions.json')) as {
    moves: { en: Readonly<Record<string, { led?: readonly number[] }>> };
    paths: readonly string[];
  };
  t.deepEqual(
    moves.en['v1.1']!.led?.map((place) => paths[place]),
    ['setup.html'],
  );
});

test('history: a page that is pushed changes its own file of events only, and a clean build makes the same', async (t) => {
  const pages = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`p${at}.md`, `# P${at}\n\n${say(`subject${at}`)}`]),
  );
  const changed = Object.fromEntries(
    Object.entries(pages).map(([path, text]) => [
      path,
      `${text}\n\n${say(`more ${path}`)}\n\n## Section of ${path}\n\nMore.`,
    ]),
  );
  const more = Object.fromEntries(
    Object.entries(changed).map(([path, text]) => [path, `${text}\n\n## Another section of ${path}\n\n${say(path)}`]),
  );
  const { 'p3.md': renamed, ...rest } = more;
  const repository = createHistory(t, { 'v1.0': pages, 'v1.1': changed, 'v1.2': { ...rest, 'q3.md': renamed! } });
  const site = createSite(t);
  await site.build(repository.folder);
  const files = site.list().filter((path) => path.startsWith('_docbuild/history/'));
  t.true(files.length > 1, `${files.length}`);
  const before = new Map(files.map((path) => [path, site.read(path)]));
  repository.write('docs/p7.md', `${more['p7.md']}\n\nPushed.`);
  repository.commit('one page');
  const { rendered } = await site.build(repository.folder);
  t.is(rendered, 1);
  const others = site
    .list()
    .filter((path) => path.startsWith('_docbuild/history/') && site.read(path) !== before.get(path));
  t.is(others.length, 1);
  t.like(readEvents(site, 'en', 'p7.html').at(-1), { version: 'main', kind: 'changed' });
  t.is(readTarget(site, 'en/main/p3.html'), './q3.html');
  const clean = createSite(t);
  await clean.build(repository.folder);
  t.deepEqual(clean.list(), site.list());
  for (const path of site.list())
    if (/history|versions\.json/.test(path)) t.is(clean.read(path), site.read(path), path);
});

test('history: a site with one version has none', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/index.md', HOME);
  repository.commit('one');
  const site = createSite(t);
  await site.build(repository.folder);
  t.false('history' in (JSON.parse(site.read('versions.json')) as object));
  t.deepEqual(
    site.list().filter((path) => path.includes('history/')),
    [],
  );
});
