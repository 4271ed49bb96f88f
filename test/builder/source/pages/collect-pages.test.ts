import { dirname, join } from 'node:path';
import test from 'ava';
import { CORPUS_BUNDLE, corpusBundle } from '../../../../bench/corpus/open-corpus.ts';
import { chooseLanguages, findLanguages } from '../../../../builder/source/languages.ts';
import { collectPages } from '../../../../builder/source/pages/collect-pages.ts';
import { corpusTest } from '../../../helpers/corpus-test.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import fc from '../../../helpers/fast-check.ts';
import { runGit } from '../../../helpers/run-git.ts';
import { createFiles } from '../create-files.ts';

function collect(paths: readonly string[], declared?: readonly string[]) {
  const files = createFiles(...paths);
  const layout = findLanguages(files, declared);
  const tree = collectPages(files, layout, chooseLanguages([layout], declared));
  const pages = Object.fromEntries(
    tree.languages.map(({ language, pages: list }) => [
      language.code,
      list.map((page) => `${page.output} < ${page.file}${page.isFallback ? ` (${page.language.code})` : ''}`),
    ]),
  );
  return { pages, warnings: tree.warnings.map(({ file, code }) => `${file} ${code}`), tree };
}

test('collectPages() takes a folder per language and fills up with the default language', (t) => {
  const { pages, tree } = collect(['en/index.md', 'en/guide/a.md', 'zh_CN/index.md']);
  t.deepEqual(pages, {
    en: ['guide/a.html < en/guide/a.md', 'index.html < en/index.md'],
    zh_CN: ['guide/a.html < en/guide/a.md (en)', 'index.html < zh_CN/index.md'],
  });
  t.deepEqual(
    tree.languages.map(({ fallbacks }) => fallbacks),
    [0, 1],
  );
});

test('collectPages() takes files at the root for the default language', (t) => {
  t.deepEqual(collect(['index.md', 'guide/a.md', 'zh/index.md', 'zh/guide/a.md']).pages, {
    en: ['guide/a.html < guide/a.md', 'index.html < index.md'],
    zh: ['guide/a.html < zh/guide/a.md', 'index.html < zh/index.md'],
  });
});

test('collectPages() takes suffixes', (t) => {
  t.deepEqual(collect(['index.md', 'guide/a.md', 'guide/a.zh_CN.md', 'index.zh_CN.md']).pages, {
    en: ['guide/a.html < guide/a.md', 'index.html < index.md'],
    zh_CN: ['guide/a.html < guide/a.zh_CN.md', 'index.html < index.zh_CN.md'],
  });
});

test('collectPages() takes suffixes on all languages', (t) => {
  t.deepEqual(collect(['a.en.md', 'a.fr.md']).pages, { en: ['a.html < a.en.md'], fr: ['a.html < a.fr.md'] });
});

test('collectPages() makes a README with a suffix the index of its language', (t) => {
  t.deepEqual(collect(['README.md', 'README.fr.md']).pages.fr, ['index.html < README.fr.md']);
});

test('collectPages() prefers a language folder to the root and a suffix', (t) => {
  const { pages, warnings } = collect(['a.md', 'b.md', 'en/a.md', 'a.fr.md', 'fr/a.md']);
  t.deepEqual(pages, { en: ['a.html < en/a.md', 'b.html < b.md'], fr: ['a.html < fr/a.md', 'b.html < b.md (en)'] });
  t.deepEqual(warnings, ['a.md duplicate-page', 'a.fr.md duplicate-page']);
});

test('collectPages() prefers index.md to README.md', (t) => {
  const { pages, warnings } = collect(['README.md', 'index.md', 'sub/readme.md', 'sub/Index.md']);
  t.deepEqual(pages.en, ['index.html < index.md', 'sub/index.html < sub/Index.md']);
  t.deepEqual(warnings, ['README.md duplicate-page', 'sub/readme.md duplicate-page']);
});

test('collectPages() takes the first of two files that make one page', (t) => {
  const { pages, warnings } = collect(['a.markdown', 'a.md', 'a.mdx']);
  t.deepEqual(pages.en, ['a.html < a.markdown']);
  t.deepEqual(warnings, ['a.md duplicate-page', 'a.mdx duplicate-page']);
});

test('collectPages() takes the first of two pages whose names differ in case only', (t) => {
  const { pages, warnings } = collect(['A.md', 'a.markdown', 'caf\u00e9.md', 'cafe\u0301.markdown']);
  t.is(pages.en!.length, 2);
  t.is(warnings.length, 2);
});

test('collectPages() gives no fallback beside a page that differs from it in case only', (t) => {
  t.deepEqual(collect(['en/Guide.md', 'zh/guide.md', 'zh/b.md', 'en/b.md']).pages.zh, [
    'b.html < zh/b.md',
    'guide.html < zh/guide.md',
  ]);
});

test('collectPages() leaves out a page in whose place a folder is needed', (t) => {
  const { pages, warnings } = collect(['guide.md', 'en/guide.html/a.md', 'en/b.md', 'zh/guide.md', 'zh/b.md']);
  t.deepEqual(pages.en, ['b.html < en/b.md', 'guide.html/a.html < en/guide.html/a.md']);
  t.deepEqual(warnings, ['guide.md duplicate-page']);
  t.deepEqual(pages.zh, ['b.html < zh/b.md', 'guide.html < zh/guide.md']);
});

test('collectPages() leaves out languages that are not declared', (t) => {
  t.deepEqual(Object.keys(collect(['en/a.md', 'fr/a.md', 'a.de.md', 'a.md'], ['en']).pages), ['en']);
  t.deepEqual(collect(['en/a.md', 'fr/b.md'], ['en']).pages.en, ['a.html < en/a.md']);
});

test('collectPages() leaves out a language that has no page of its own', (t) => {
  t.deepEqual(Object.keys(collect(['en/a.md'], ['en', 'fr']).pages), ['en']);
});

test('collectPages() publishes a language without the default one', (t) => {
  t.deepEqual(collect(['zh/a.md'], ['en', 'zh']).pages, { zh: ['a.html < zh/a.md'] });
});

test('collectPages() leaves TypeScript documentation where it is', (t) => {
  t.deepEqual(collect(['index.md', 'ts/index.md', 'config.ts.md', 'config.md']).pages.en, [
    'config.html < config.md',
    'config.ts.html < config.ts.md',
    'index.html < index.md',
    'ts/index.html < ts/index.md',
  ]);
});

test('collectPages() joins two spellings of one language', (t) => {
  t.deepEqual(collect(['en/a.md', 'zh_CN/a.md', 'zh-CN/b.md']).pages.zh_CN, undefined);
  t.deepEqual(collect(['en/a.md', 'zh_CN/a.md', 'zh-CN/b.md']).pages['zh-CN'], [
    'a.html < zh_CN/a.md',
    'b.html < zh-CN/b.md',
  ]);
});

test('collectPages() loses no page: each is published, warned about, or of a language that is not built', (t) => {
  const segment = fc.constantFrom('en', 'zh', 'ts', 'guide', 'Guide', 'x.html', 'a.b');
  const file = fc.constantFrom(
    'index.md',
    'README.md',
    'a.md',
    'A.md',
    'a.zh.md',
    'a.en.mdx',
    'x.md',
    'b.markdown',
    'p.png',
  );
  const paths = fc.uniqueArray(
    fc.tuple(fc.array(segment, { maxLength: 2 }), file).map(([folders, name]) => [...folders, name].join('/')),
  );
  fc.assert(
    fc.property(paths, (list) => {
      const { tree } = collect(list);
      const kept = [...tree.pageOfFile.keys(), ...tree.warnings.map((warning) => warning.file)].sort();
      t.deepEqual(kept, list.filter((path) => !path.endsWith('.png')).sort());
      for (const { pages } of tree.languages) {
        const outputs = pages.map(({ output }) => output.toLowerCase());
        t.is(new Set(outputs).size, outputs.length);
        t.deepEqual(
          outputs.filter((output) => outputs.some((other) => other.startsWith(`${output}/`))),
          [],
        );
      }
    }),
    { numRuns: 330 },
  );
});

corpusTest(CORPUS_BUNDLE)('collectPages() finds the layouts of the corpus', (t) => {
  const folder = join(createFolder(t), 'corpus');
  runGit(dirname(folder), 'clone', '--quiet', '--bare', corpusBundle(CORPUS_BUNDLE), folder);
  const list = (tag: string) =>
    runGit(folder, 'ls-tree', '-r', '--name-only', '-z', `${tag}:docs`).split('\0').filter(Boolean);
  const newest = collect(list('v1.6.4'));
  t.deepEqual(Object.keys(newest.pages), ['en', 'es', 'fa', 'ko', 'pt', 'ru', 'zh']);
  t.is(newest.tree.pageOfFile.size, 248);
  t.deepEqual(newest.warnings, []);
  const oldest = collect(list('v1.0.0'));
  t.is(Object.keys(oldest.pages)[0], 'en');
  t.true(Object.keys(oldest.pages).includes('zh'));
  t.true(oldest.pages.en!.includes('guide/markdown.html < guide/markdown.md'));
  t.deepEqual(oldest.warnings, []);
});
