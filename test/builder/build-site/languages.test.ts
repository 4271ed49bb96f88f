import test from 'ava';
import { describeUntranslated } from '../../../builder/index.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('buildSite() shows a page without translation in the default language, with a notice, and counts it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/guide/a.md': '# English A\n',
    'docs/zh_CN/index.md': '# 首页\n\n[A](guide/a.md)\n',
    'docs/ar/index.md': '# مرحبا\n',
  });
  const site = createSite(t);
  const { languages, pages, fallbacks } = await site.build(repository.folder);
  t.deepEqual([languages, pages, fallbacks], [3, 4, 2]);
  const shown = site.read('zh_CN/main/guide/a.html');
  t.regex(shown, /<html lang="zh-CN" dir="ltr">/);
  t.regex(shown, /<p class="notice">[^<]+<\/p>/);
  t.regex(shown, /<article id="_article" class="prose" lang="en" dir="ltr">/);
  t.regex(shown, /English A/);
  t.notRegex(site.read('en/main/guide/a.html'), /class="notice"/);
  t.regex(site.read('ar/main/index.html'), /<html lang="ar" dir="rtl">/);
  t.regex(site.read('ar/main/guide/a.html'), /<article id="_article" class="prose" lang="en" dir="ltr">/);
});

test('buildSite() finds languages by folders, with the default language at the root, and by suffixes', async (t) => {
  for (const names of [
    ['docs/en/a.md', 'docs/en/b.md', 'docs/zh_CN/a.md'],
    ['docs/a.md', 'docs/b.md', 'docs/zh_CN/a.md'],
    ['docs/a.md', 'docs/b.md', 'docs/a.zh_CN.md'],
  ]) {
    const repository = createRepository(t);
    commitFiles(repository, Object.fromEntries(names.map((name) => [name, '# X\n\n[b](b.md) [a](a.md)\n'])));
    const site = createSite(t);
    const { languages, pages, fallbacks, warnings } = await site.build(repository.folder);
    t.deepEqual([languages, pages, fallbacks], [2, 3, 1], names.join());
    t.deepEqual(warnings, [], names.join());
    t.true(site.has('zh_CN/main/b.html') && site.has('en/main/b.html'), names.join());
    t.regex(site.read('zh_CN/main/a.html'), /href="(?:\.\/)?b\.html">b<\/a>/, names.join());
    t.regex(site.read('zh_CN/main/b.html'), /href="(?:\.\/)?a\.html">a<\/a>/, names.join());
  }
});

test('buildSite() finds the layout of each ref anew', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '# Old\n', 'docs/zh/a.md': '# 旧\n' });
  repository.git('tag', 'v1.0');
  repository.git('rm', '-r', '--quiet', 'docs');
  commitFiles(repository, { 'docs/en/a.md': '# New\n', 'docs/zh/a.md': '# 新\n' });
  const site = createSite(t);
  const { languages, pages, fallbacks } = await site.build(repository.folder);
  t.deepEqual([languages, pages, fallbacks], [2, 4, 0]);
  t.regex(site.read('en/v1.0/a.html'), /Old/);
  t.regex(site.read('en/main/a.html'), /New/);
});

test('buildSite() gives a language that the latest version lacks a home in the newest that has it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/de/a.md': '# A\n', 'docs/en/a.md': '# A\n' });
  for (const tag of ['v1.0', 'v1.1#']) repository.git('tag', tag);
  repository.git('rm', '-r', '--quiet', 'docs/de');
  commitFiles(repository, { 'docs/fr/a.md': '# A\n' });
  const site = createSite(t);
  await site.build(repository.folder, { lang: ['de', 'en', 'fr'], exclude: 'v1.0' });
  t.regex(site.read('index.html'), /url=\.\/en\/latest\//);
  t.regex(site.read('404.html'), /<html lang="en"/);
  t.regex(site.read('fr/index.html'), /url=\.\/latest\//);
  t.regex(site.read('de/index.html'), /url=\.\/v1\.1%23\//);
  t.regex(site.read('de/404.html'), /<html lang="de"[\s\S]*href="\/de\/v1\.1%23\/"/);
  t.true(site.has('de/v1.1#/index.html'));
});

test('buildSite() takes --lang as it is: order, default and nothing else', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/a.md': '# A\n',
    'docs/de/a.md': '# A\n',
    'docs/de/b.md': '# B\n',
    'docs/fr/a.md': '# A\n',
  });
  const site = createSite(t);
  const { languages, fallbacks } = await site.build(repository.folder, { lang: ['de', 'en'] });
  t.deepEqual([languages, fallbacks], [2, 1]);
  t.false(site.has('fr'));
  t.regex(site.read('index.html'), /url=\.\/de\/latest\//);
  t.regex(site.read('en/main/b.html'), /class="notice"/);
});

test('buildSite() keeps the spelling of the author in addresses and uses tags in HTML', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/zh_Hant_TW/a.md': '# A\n', 'docs/pt-BR/a.md': '# A\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.regex(site.read('zh_Hant_TW/main/a.html'), /<html lang="zh-Hant-TW"/);
  t.regex(site.read('pt-BR/main/a.html'), /<html lang="pt-BR"/);
});

test('buildSite() builds four languages under an unusual folder', async (t) => {
  const repository = createRepository(t);
  for (const code of ['en', 'de', 'ja', 'zh_CN']) {
    for (const name of ['index', 'guide/a', 'guide/b']) {
      repository.write(
        `website/content/${code}/${name}.md`,
        `# ${code} ${name}\n\n[a](/guide/a) ![x](/images/x.png)\n`,
      );
    }
  }
  repository.write('website/content/public/images/x.png', 'x');
  repository.commit('Pages');
  const site = createSite(t);
  const { languages, pages, warnings } = await site.build(repository.folder, { sourceDir: 'website/content' });
  t.deepEqual([languages, pages], [4, 12]);
  t.deepEqual(warnings, []);
  t.true(site.has('ja/main/guide/a.html'));
});

test('buildSite() leads a link to what is not translated to the page that is shown instead, and checks its anchor', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/a.md': '# A\n',
    'docs/en/deep/b.md': '# B\n\n## Part\n',
    'docs/de/a.md': '# A\n\n[b](deep/b.md#part) [c](/deep/b) [d](deep/b.md#gone) [e](../en/a.md)\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, code }) => [file, code]),
    [['docs/de/a.md', 'dead-anchor']],
  );
  const text = site.read('de/main/a.html');
  t.regex(text, /href="\.\/deep\/b\.html#part">b</);
  t.regex(text, /href="\.\/deep\/b\.html">c</);
  t.regex(text, /href="\.\.\/\.\.\/en\/main\/a\.html">e</);
});

test('buildSite() lists what is not translated, by version and language, but not in tags', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/a.md': '# A\n',
    'docs/en/b.md': '# B\n',
    'docs/en/old.md': '---\nredirect_to: a.md\n---\n',
    'docs/de/index.md': '# Anfang\n',
    'docs/fr/a.md': '# A\n',
    'docs/fr/b.md': '# B\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const first = await site.build(repository.folder);
  t.deepEqual(first.untranslated, [
    { ref: 'main', language: 'de', pages: 2, of: 4, files: ['docs/en/a.md', 'docs/en/b.md'] },
    { ref: 'main', language: 'fr', pages: 1, of: 4, files: ['docs/en/index.md'] },
  ]);
  t.deepEqual(first.warnings, []);
  t.deepEqual((await site.build(repository.folder)).untranslated, first.untranslated, 'in an unchanged build, too');
  t.deepEqual(describeUntranslated(first.untranslated, 1), [
    'Not translated into de: 2 of 4 pages: docs/en/a.md, docs/en/b.md',
    '… and 1 more',
  ]);
  const [of] = first.untranslated;
  const many = { ...of!, pages: 9, files: ['a', 'b', 'c', 'd'] };
  t.deepEqual(describeUntranslated([many, { ...many, ref: 'dev' }], 5), [
    'Not translated into de: 9 of 4 pages: a, b, c and 6 more (in 2 versions)',
  ]);
});

test('buildSite() finds a page all of whose files name their languages by the name without one', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.en.md':
      '---\nnext: guide/a.md\n---\n# Home\n\n[a](guide/a.md#x) [b](/guide/b.md) [guide](guide/) [c](c.md)\n',
    'docs/index.fr.md': '# Accueil\n\n[a](guide/a.md#x) [b](guide/b) [guide](guide/README.md)\n',
    'docs/guide/README.en.md': '# Guide\n\n[home](../index.md)\n',
    'docs/guide/README.fr.md': '# Guide\n\n[home](../index.md)\n',
    'docs/guide/a.en.md': '# A\n\n## X\n',
    'docs/guide/a.fr.md': '# A\n\n## X\n',
    'docs/guide/b.en.md': '# B\n',
    '.docbuild.yml': 'redirects: {/old: guide/a.md}\nnav: [index.md, {Guide: [guide/a.md, guide/b.md]}]\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, message }) => `${file}: ${message}`),
    ['docs/index.en.md: Link "c.md" leads to no page or file'],
  );
  for (const code of ['en', 'fr']) {
    const html = site.read(`${code}/main/index.html`);
    const urls = [...html.matchAll(/<a href="([^"]*)">(?:a|b|guide)<\/a>/g)].map(([, url]) => url);
    t.deepEqual(urls, ['./guide/a.html#x', './guide/b.html', './guide/'], code);
    t.regex(site.read(`${code}/main/guide/index.html`), /<a href="\.\.\/">home<\/a>/);
    t.regex(site.read(`${code}/main/old.html`), /url=\.\/guide\/a\.html/);
  }
  t.regex(site.read('en/main/index.html'), /<a class="next" href="\.\/guide\/a\.html"/);
});
