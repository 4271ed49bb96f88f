import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
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
  t.deepEqual(list(), [style, ...fonts], 'readers may have a page open that asks for them');
  for (const accent of ['navy', 'green']) {
    commitFiles(repository, { '.docbuild.yml': `theme:\n  accent: ${accent}\n` });
    await site.build(repository.folder);
  }
  t.deepEqual(list(), [], 'other files of the theme were replaced since');
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
  t.true(site.has(script), 'readers may have a page open that asks for it');
  const fresh = createSite(t);
  await fresh.build(repository.folder);
  t.deepEqual(
    fresh.list().filter((path) => path.includes('diagrams')),
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

test('a diagram that cannot be drawn is a warning with file and line, as long as it stays so', async (t) => {
  const repository = createRepository(t);
  const page = (text: string): string => `---\ntitle: T\n---\n\n# Home\n\n\`\`\`mermaid\n${text}\n\`\`\`\n`;
  commitFiles(repository, {
    'docs/index.md': page('pie\n  "a" 3'),
    'docs/typo.md': page('flowchat LR\n  A --> B'),
    'docs/good.md': page('flowchart LR\n  A[<b>a</b>] --> B'),
    'docs/part.md': page('pie').replace('# Home', '# Part\n\n<!--@include: ./typo.md-->'),
  });
  const site = createSite(t);
  const expected = [
    "docs/index.md:9 Diagram cannot be drawn: Expecting token of type ':' but found `3`.",
    'docs/part.md:7 Diagram cannot be drawn: Mermaid knows no type "flowchat"',
    'docs/typo.md:7 Diagram cannot be drawn: Mermaid knows no type "flowchat"',
  ];
  const build = async (): Promise<readonly string[]> => {
    const { warnings } = await site.build(repository.folder);
    return warnings
      .filter(({ code }) => code === 'diagram')
      .map(({ file, line, message }) => `${file}:${line} ${message}`);
  };
  t.deepEqual(await build(), expected);
  commitFiles(repository, { 'docs/index.md': page('pie\n  "a": 3'), '.docbuild.yml': 'title: Other\n' });
  t.deepEqual(await build(), expected.slice(1), 'from the cache');
  commitFiles(repository, { '.docbuild.yml': 'markdown:\n  mermaid: false\n' });
  t.deepEqual(await build(), [], 'code like any other');
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
