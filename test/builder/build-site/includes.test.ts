import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const names = Array.from({ length: 205 }, (_, index) => `part-${index + 1}.md`);

test('buildSite() includes 200 files in a page and says of others why they are left out', async (t) => {
  const repository = createRepository(t);
  const parts = names.map((name) => [`docs/${name}`, `Text of ${name}.\n`] as const);
  const text = names.map((name) => `<!--@include: ./${name}-->\n`).join('\n');
  commitFiles(repository, { ...Object.fromEntries(parts), 'docs/index.md': `# Home\n\n${text}` });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const home = site.read('en/main/index.html');
  t.true(home.includes('Text of part-200.md.'));
  t.false(home.includes('Text of part-201.md.'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => [file, line, message]),
    names
      .slice(200)
      .map((name, index) => [
        'docs/index.md',
        403 + index * 2,
        `Cannot include "./${name}": the page includes more than 200 files`,
      ]),
  );
});

test('buildSite() follows includes ten files deep and says where it stops', async (t) => {
  const repository = createRepository(t);
  const depths = Array.from({ length: 13 }, (_, index) => index + 1);
  const parts = depths.map((depth) => [`docs/${depth}.md`, `Depth ${depth}.\n\n<!--@include: ./${depth + 1}.md-->\n`]);
  commitFiles(repository, { ...Object.fromEntries(parts), 'docs/index.md': '# Home\n\n<!--@include: ./1.md-->\n' });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const home = site.read('en/main/index.html');
  t.true(home.includes('Depth 10.'));
  t.false(home.includes('Depth 11.'));
  t.deepEqual(
    warnings.filter(({ file }) => file === 'docs/index.md').map(({ message }) => message),
    ['Cannot include "./11.md": includes are nested too deeply'],
  );
});

test('buildSite() resolves what an included text refers to from its file, else from the page', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'README.md':
      '# Project\n\n![logo](art/logo.png) [guide](docs/guide.md#x) [license](LICENSE) [both](both.md) [page](only-page.md) [none](none.md) <a href="docs/guide.md">html</a> [folder](art/)\n',
    LICENSE: 'text',
    'both.md': '# At the root\n',
    'art/logo.png': 'picture',
    'docs/index.md': '# Home\n\n<!--@include: ../README.md-->\n',
    'docs/sub/page.md': '# Sub\n\n<!--@include: ../../README.md-->\n\n[both](both.md)\n',
    'docs/sub/both.md': '# Both\n',
    'docs/sub/only-page.md': '# Only\n',
    'docs/guide.md': '# Guide\n\n## X\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const urlsOf = (page: string): readonly (string | undefined)[] =>
    [...site.read(`en/main/${page}`).matchAll(/<a href="([^"]*)"[^>]*>(?:guide|license|both|page|html)<\/a>/g)].map(
      ([, url]) => url,
    );
  t.deepEqual(urlsOf('index.html'), [
    './guide.html#x',
    './_files/LICENSE',
    './_files/both.md',
    'only-page.md',
    './guide.html',
  ]);
  t.deepEqual(urlsOf('sub/page.html'), [
    '../guide.html#x',
    '../_files/LICENSE',
    '../_files/both.md',
    '../sub/only-page.html',
    '../guide.html',
    '../sub/both.html',
  ]);
  t.regex(site.read('en/main/sub/page.html'), /<img src="\.\.\/_files\/art\/logo\.png"/);
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    [
      'docs/index.md:3: Link "art/" of the included file "README.md" leads to no page or file',
      'docs/index.md:3: Link "none.md" of the included file "README.md" leads to no page or file',
      'docs/index.md:3: Link "only-page.md" of the included file "README.md" leads to no page or file: did you mean "docs/sub/only-page.md"?',
      'docs/sub/page.md:3: Link "art/" of the included file "README.md" leads to no page or file',
      'docs/sub/page.md:3: Link "none.md" of the included file "README.md" leads to no page or file',
    ],
  );
});
