import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const words = (about: string, count = 30): string =>
  Array.from(
    { length: count },
    (_, at) => `${about} ${['river', 'stone', 'cloud', 'ember', 'leaf'][at % 5]}${at}`,
  ).join(' ');

/** Returns the headings of a page that have a badge, each with what the badge says. */
function badges(site: TestSite, page: string): readonly (readonly [id: string, text: string])[] {
  const headings = site
    .read(page)
    .matchAll(/<h[1-6][^>]* id="([^"]*)"[^>]*>(?:(?!<\/h).)*?<span class="since"[^>]*>([^<]*)/g);
  return [...headings].map(([, id, text]) => [id!, text!]);
}

const OPTIONS = { since: true };

function createReleases(t: Parameters<typeof createRepository>[0]) {
  const repository = createRepository(t);
  const intro = `# Guide\n\n${words('intro')}\n`;
  const install = `## Install\n\n${words('install')}\n`;
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/guide.md': `${intro}\n${install}` });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, { 'docs/guide.md': `${intro}\n${install}\n## Use\n\n${words('use')}\n` });
  repository.git('tag', 'v1.1.0');
  // The page moves, a heading is renamed, and there is a new page.
  repository.git('mv', 'docs/guide.md', 'docs/start.md');
  commitFiles(repository, {
    'docs/start.md': `${intro}\n${install.replace('Install', 'Set up')}\n## Use\n\n${words('use')} more\n`,
    'docs/new.md': `# New\n\n${words('new')}\n\n## Part\n\n${words('part')}\n`,
  });
  repository.git('tag', 'v1.2.0');
  commitFiles(repository, {
    'docs/new.md': `# New\n\n${words('new')}\n\n## Part\n\n${words('part')}\n\n## Ahead\n\n${words('ahead')}\n`,
  });
  return repository;
}

test.serial('headings say since which release they are there, through moves and new names', async (t) => {
  const repository = createReleases(t);
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, OPTIONS);
  t.deepEqual(warnings, []);
  t.deepEqual(badges(site, 'en/v1.0.0/guide.html'), []);
  t.deepEqual(badges(site, 'en/v1.1.0/guide.html'), [['use', 'since v1.1.0']]);
  t.deepEqual(badges(site, 'en/v1.2.0/start.html'), [['use', 'since v1.1.0']]);
  t.deepEqual(badges(site, 'en/v1.2.0/new.html'), [['new', 'since v1.2.0']]);
  t.deepEqual(badges(site, 'en/main/new.html'), [
    ['new', 'since v1.2.0'],
    ['ahead', 'unreleased'],
  ]);
  t.is(site.inode('en/v1.2.0/start.html'), site.inode('en/main/start.html'));
});

test.serial('a release without documentation is passed over', async (t) => {
  const repository = createReleases(t);
  repository.git('rm', '-rq', 'docs');
  repository.commit('none');
  repository.git('tag', 'v1.3.0');
  repository.git('checkout', '-q', 'HEAD~1', '--', 'docs');
  repository.commit('there again');
  const site = createSite(t);
  await site.build(repository.folder, OPTIONS);
  t.deepEqual(badges(site, 'en/main/new.html'), [
    ['new', 'since v1.2.0'],
    ['ahead', 'unreleased'],
  ]);
});

test.serial('a build that updates one version leaves the same site as one from scratch, with badges', async (t) => {
  const repository = createReleases(t);
  const site = createSite(t);
  await site.build(repository.folder, OPTIONS);
  repository.git('tag', 'v1.3.0');
  commitFiles(repository, { 'docs/index.md': `# Home\n\n## More\n\n${words('more')}\n` });
  await site.build(repository.folder, OPTIONS);
  const other = createSite(t);
  await other.build(repository.folder, OPTIONS);
  const pages = site.list().filter((path) => path.endsWith('.html'));
  t.deepEqual(
    pages,
    other.list().filter((path) => path.endsWith('.html')),
  );
  for (const page of pages) t.is(site.read(page), other.read(page), page);
  t.deepEqual(badges(site, 'en/v1.3.0/new.html').at(-1), ['ahead', 'since v1.3.0']);
  t.deepEqual(badges(site, 'en/main/index.html'), [['more', 'unreleased']]);
  // Without its release, what came with it is that of the next one.
  repository.git('tag', '-d', 'v1.2.0');
  await site.build(repository.folder, OPTIONS);
  t.deepEqual(badges(site, 'en/v1.3.0/new.html'), [['new', 'since v1.3.0']]);
});

test.serial('a note that names a version after one that has the section is reported where it stands', async (t) => {
  const repository = createReleases(t);
  commitFiles(repository, {
    'docs/start.md': [
      `# Guide\n\n${words('intro')}\n`,
      `## Set up\n\n!!! info "Added in version 1.4"\n\n${words('install')}\n`,
      `## Use <Badge text="1.1+" />\n\n${words('use')}\n`,
    ].join('\n'),
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, OPTIONS);
  t.deepEqual(
    warnings.map(({ ref, file, line, code, message }) => ({ ref, file, line, code, message })),
    [
      {
        ref: 'main',
        file: 'docs/start.md',
        line: 7,
        code: 'since',
        message: 'Note says that this came with 1.4, but it is in "v1.0.0" already',
      },
    ],
  );
  t.deepEqual(badges(site, 'en/main/start.html'), []);
});

test.serial('a translation has the ages of its original', async (t) => {
  const repository = createRepository(t);
  const page = (...parts: string[]) => parts.map((part) => `## ${part} {#${part}}\n\n${words(part)}\n`).join('\n');
  commitFiles(repository, {
    '.docbuild.yml': 'lang: [en, de]\nsince: true\n',
    'docs/en/a.md': `# A\n\n${page('one')}`,
  });
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/en/a.md': `# A\n\n${page('one', 'two')}` });
  repository.git('tag', 'v2');
  commitFiles(repository, { 'docs/de/a.md': `# A\n\n${page('one', 'two').replaceAll('river', 'Fluss')}` });
  repository.git('tag', 'v3');
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(badges(site, 'en/v3/a.html'), [['two', 'since v2']]);
  t.deepEqual(badges(site, 'de/v3/a.html'), [['two', 'seit v2']]);
});

test.serial('without the option no heading says anything', async (t) => {
  const site = createSite(t);
  await site.build(createReleases(t).folder);
  t.deepEqual(badges(site, 'en/v1.2.0/new.html'), []);
});
