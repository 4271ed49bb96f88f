import test from 'ava';
import { describeTranslations } from '../../../builder/index.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { listLate, readBoard } from '../../helpers/read-board.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const GUIDE = {
  en: '# Guide\n\nWords.\n\n## Install {#install}\n\nRun it.\n\n## Use {#use}\n\nUse it well.\n',
  de: '# Anleitung\n\nWorte.\n\n## Einrichten {#install}\n\nStart.\n\n## Benutzen {#use}\n\nGut benutzen.\n',
};

function createTranslated(t: Parameters<typeof createRepository>[0]) {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/de/index.md': '# Anfang\n',
    'docs/en/guide.md': GUIDE.en,
    'docs/de/guide.md': GUIDE.de,
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, {
    'docs/en/guide.md': `${GUIDE.en.replace('well', 'very well')}\n## More {#more}\n\nEven more.\n`,
    'docs/en/new.md': '# New\n',
  });
  repository.git('tag', 'v1.1.0');
  commitFiles(repository, {
    'docs/de/guide.md': GUIDE.de.replace('Worte', 'Wörter'),
    'docs/de/new.md': '# Neu\n',
    'docs/en/last.md': '# Last\n',
  });
  return repository;
}

test('a board tells how each translation stands in each version, down to the section', async (t) => {
  const repository = createTranslated(t);
  const site = createSite(t);
  const summary = await site.build(repository.folder);
  const board = readBoard(site.out, 'de');
  t.deepEqual(
    board.versions.map(({ name, pages, current, behind, missing }) => [name, pages, current, behind, missing]),
    [
      ['main', 4, 2, 1, 1],
      ['v1.1.0', 3, 1, 1, 1],
      ['v1.0.0', 2, 2, 0, 0],
    ],
  );
  const late = ['changed use since v1.1.0 (v1.0.0)', 'missing more since v1.1.0 (v1.0.0)'];
  t.deepEqual(listLate(board, 'v1.1.0'), { 'guide.html': late, 'new.html': ['missing since v1.1.0'] });
  t.deepEqual(listLate(board, 'main'), { 'guide.html': late, 'last.html': ['missing since main'] });
  const [main, , first] = board.versions;
  t.true(main!.percent > 50 && main!.percent < 75, String(main!.percent));
  t.is(first!.percent, 100);
  t.deepEqual(
    summary.translations,
    board.versions.map(({ name: ref, slug: _slug, ...counts }) => ({ ref, language: 'de', ...counts })),
  );
  const badge = site.read('_docbuild/translations/de.svg');
  t.regex(badge, new RegExp(`<title>de: ${main!.percent} %</title>`));
  t.regex(badge, /^<svg /);
  t.deepEqual(describeTranslations(summary.translations), [`Translations of main: de ${main!.percent} %`]);
  const { translated } = JSON.parse(site.read('versions.json')) as { translated: unknown };
  t.deepEqual(translated, { de: Object.fromEntries(board.versions.map(({ name, percent }) => [name, percent])) });
  t.deepEqual((await site.build(repository.folder)).translations, summary.translations, 'in an unchanged build, too');
});

test('pages that say the same under other ids are as far behind as each other', async (t) => {
  const repository = createRepository(t);
  const long = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
  const page = (id: string, text: string) => `# Page\n\nShort.\n\n## Part {#${id}}\n\n${text}\n`;
  const pages = (text: string) => ({ 'docs/en/a.md': page('one', text), 'docs/en/b.md': page('two', text) });
  commitFiles(repository, {
    ...pages(long),
    'docs/de/a.md': page('one', 'Worte.'),
    'docs/de/b.md': page('two', 'Worte.'),
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, pages(`${long} more`));
  const site = createSite(t);
  await site.build(repository.folder);
  const amounts = readBoard(site.out, 'de').pages.map(({ states }) => states.map(({ amount }) => amount));
  t.is(amounts.length, 2);
  t.deepEqual(amounts[0], amounts[1]);
  t.true(
    amounts.flat().some((amount) => amount !== undefined && amount < 0.5),
    JSON.stringify(amounts),
  );
});

test('pages of a board lead to what has changed, and pages of the translation know where to ask', async (t) => {
  const repository = createTranslated(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const html = site.read('_docbuild/translations/de.html');
  t.regex(html, /<a href="\.\.\/\.\.\/en\/main\/guide\.html\?compare=v1\.0\.0" title="Was sich geändert hat">/);
  t.regex(html, /<a href="\.\.\/\.\.\/en\/main\/guide\.html\?compare=v1\.0\.0#use" lang="en" dir="ltr">Use<\/a>/);
  t.regex(html, /<a href="\.\.\/\.\.\/en\/main\/guide\.html#more" lang="en" dir="ltr">More<\/a>/);
  t.regex(html, /<tr class="missing">\s*<th scope="row"><a href="\.\.\/\.\.\/de\/main\/last\.html" lang="en"/);
  t.regex(site.read('_docbuild/versions/en.html'), /href="\.\.\/\.\.\/_docbuild\/translations\/de\.html"/);
  t.deepEqual(JSON.parse(site.read('_docbuild/translations/de.notices.json')), {
    original: 'en',
    latest: 'main',
    slugs: ['main', 'v1.1.0', 'v1.0.0'],
    pages: { 'guide.html': [[[0, 1], 'v1.0.0']] },
  });
  const page = site.read('de/main/guide.html');
  t.regex(
    page,
    /<p class="original-changed" data-notices="\.\.\/\.\.\/_docbuild\/translations\/de\.notices\.json" hidden>/,
  );
  t.regex(page, /Das Original \(Englisch\) wurde seither geändert/);
  t.notRegex(site.read('en/main/guide.html'), /original-changed/);
  t.notRegex(site.read('de/main/last.html'), /original-changed/, 'it is the original');
  t.notRegex(page, /v1\.0\.0/, 'pages name no version');
});

test('a page and its translation are followed where they move, one version apart', async (t) => {
  const words = (about: string): string => Array.from({ length: 60 }, (_, at) => `${about}${at}`).join(' ');
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/de/index.md': '# Anfang\n',
    'docs/en/guide.md': `# Guide\n\n${words('guide')}\n\n## Use {#use}\n\n${words('use')}\n`,
    'docs/de/guide.md': `# Anleitung\n\n${words('worte')}\n\n## Benutzen {#use}\n\n${words('nutzen')}\n`,
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, {
    'docs/en/guide.md': `# Guide\n\n${words('guide')}\n\n## Use {#use}\n\n${words('use')} and more\n`,
  });
  repository.git('tag', 'v1.1.0');
  repository.git('rm', '--quiet', 'docs/en/guide.md');
  commitFiles(repository, {
    'docs/en/start/book.md': `# Guide\n\n${words('guide')}\n\n## Use {#use}\n\n${words('use')} and more\n`,
  });
  repository.git('tag', 'v1.2.0');
  repository.git('rm', '--quiet', 'docs/de/guide.md');
  commitFiles(repository, {
    'docs/de/start/book.md': `# Anleitung\n\n${words('worte')}\n\n## Benutzen {#use}\n\n${words('nutzen')}\n`,
  });
  repository.git('tag', 'v1.3.0');
  const site = createSite(t);
  await site.build(repository.folder);
  const board = readBoard(site.out, 'de');
  const late = ['changed use since v1.1.0 (v1.0.0)'];
  t.deepEqual(listLate(board, 'v1.1.0'), { 'guide.html': late });
  t.deepEqual(listLate(board, 'v1.2.0'), { 'start/book.html': ['missing since v1.2.0'] });
  t.deepEqual(listLate(board, 'v1.3.0'), { 'start/book.html': late });
});

test('a site with one language has no board', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const { translations } = await site.build(repository.folder);
  t.deepEqual([translations, describeTranslations(translations)], [[], []]);
  t.deepEqual(
    site.list().filter((path) => path.includes('translations')),
    [],
  );
  t.false('translated' in JSON.parse(site.read('versions.json')));
});

test('pages that are hidden from readers are on no board', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/secret.md': '---\nsearch: false\nunlisted: true\n---\n# Secret\n',
    'docs/de/index.md': '# Anfang\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(
    readBoard(site.out, 'de').pages.map(({ path }) => path),
    ['index.html'],
  );
});
