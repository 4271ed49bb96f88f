import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import test from '../../helpers/serial-test.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const STYLE = /<link rel="stylesheet" href="([^"]*formulas\.[0-9a-f]{8}\.css)">/;

test('styles and fonts of formulas are published and linked only where a page has a formula', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n\nFor $5 and $10.\n', 'docs/guide/a.md': '# A\n' });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const list = () => site.list().filter((path) => /formulas|woff2/.test(path));
  await site.build(repository.folder);
  t.deepEqual(list(), []);

  commitFiles(repository, { 'docs/guide/a.md': '# A\n\nThat is $x^2$.\n' });
  await site.build(repository.folder);
  const [style, ...fonts] = list();
  t.is(fonts.length, 2);
  const page = site.read('en/main/guide/a.html');
  t.is(STYLE.exec(page)?.[1], `../../../${style}`);
  t.notRegex(site.read('en/main/index.html'), STYLE);
  t.notRegex(site.read('en/v1/guide/a.html'), STYLE);
  const urls = [...site.read(style!).matchAll(/url\("?\.\/([^")]*)"?\)/g)].map(([, name]) => `_docbuild/${name}`);
  t.deepEqual(urls.sort(), fonts);

  // A version that is taken over as it is keeps them.
  repository.git('tag', 'v2');
  commitFiles(repository, { 'docs/guide/a.md': '# A\n\nNothing.\n' });
  await site.build(repository.folder);
  t.regex(site.read('en/v2/guide/a.html'), STYLE);
  t.notRegex(site.read('en/main/guide/a.html'), STYLE);
  t.deepEqual(list(), [style, ...fonts]);
  repository.git('tag', '-d', 'v2');
  await site.build(repository.folder);
  t.deepEqual(list(), []);
});

test('the script of diagrams is published and linked only where a page has a diagram', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': '# A\n\n```mermaid\nflowchart LR\n```\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  const find = (path: string) => /<script type="module" src="([^"]*)"/.exec(site.read(path))?.[1];
  t.is(find('en/main/index.html'), undefined);
  const script = find('en/main/a.html')!.replace('../../', '');
  t.regex(script, /^_docbuild\/diagrams\.[0-9a-f]{8}\.js$/);
  for (const [, part] of site.read(script).matchAll(/from"\.\/([^"]+)"/g)) t.true(site.has(`_docbuild/${part}`), part);
  t.true(site.list().filter((path) => path.startsWith('_docbuild/diagrams/')).length > 50);
  commitFiles(repository, { '.docbuild.yml': 'markdown:\n  mermaid: false\n' });
  await site.build(repository.folder);
  t.is(find('en/main/a.html'), undefined);
  t.deepEqual(
    site.list().filter((path) => path.includes('diagrams')),
    [],
  );
});

test('a project may keep formulas as text', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n$x^2$ $\\foo$\n',
    '.docbuild.yml': 'markdown:\n  math: false\n',
  });
  const site = createSite(t);
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  t.true(site.read('en/main/index.html').includes('<p>$x^2$ $\\foo$</p>'));
});

test('TeX that is wrong is a warning with file and line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '---\ntitle: T\n---\n\n# Home\n\nSee $\\foo$\n' });
  const { warnings } = await createSite(t).build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code }) => ({ file, line, code })),
    [{ file: 'docs/index.md', line: 7, code: 'formula' }],
  );
});
