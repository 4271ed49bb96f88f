import test from 'ava';
import {
  findIncludes,
  listIncludePaths,
  parseIncludeLine,
  parseTextInclude,
} from '../../../../builder/markdown/include/include-references.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const place = { pagePath: 'docs/guide/page.md', sourceDir: 'docs' };

/** Renders a page of a repository with these files. */
function render(text: string, files: Readonly<Record<string, string>>) {
  return renderPage(text, { includes: new Map(Object.entries(files)), ...place });
}

const resolveAll = (line: string) => listIncludePaths(parseIncludeLine(line)!, place);
const resolve = (line: string) => resolveAll(line)[0];

test('parseIncludeLine() reads the three kinds', (t) => {
  t.deepEqual(parseIncludeLine('<<< @/a b/c.ts#d{1,2 ts:line-numbers} [e]'), {
    kind: 'code',
    path: '@/a b/c.ts',
    region: 'd',
    settings: '1,2 ts:line-numbers',
    title: 'e',
  });
  t.deepEqual(parseIncludeLine('@include .parts/a.md'), {
    kind: 'markdown',
    path: '.parts/a.md',
    region: undefined,
    settings: undefined,
    title: undefined,
  });
  t.is(parseIncludeLine('@include mixin(a.md)'), undefined);
  t.is(parseIncludeLine('@include a mixin'), undefined);
  t.deepEqual(parseIncludeLine('<!-- @include: ./a.md#b{3,} -->'), {
    kind: 'markdown',
    path: './a.md',
    region: 'b',
    settings: '3,',
    title: undefined,
  });
  t.deepEqual(parseIncludeLine('--8<-- "a.py:b"'), {
    kind: 'snippet',
    path: 'a.py',
    region: 'b',
    settings: undefined,
    title: undefined,
  });
  t.is(parseIncludeLine("-8<- 'a.py:3:10'")?.settings, '3,10');
});

test('a portion of mdBook is a line, a range open at either end, or an anchor', (t) => {
  const portions = [
    '',
    ':',
    '::',
    ':2',
    ':2:',
    ':2:10',
    '::10',
    ':2:x',
    ':1st',
    ':2nd-part',
    ':größe',
    ':0',
    ':all:10',
  ];
  t.deepEqual(
    portions.map((portion) => {
      const { path, region, settings } = parseTextInclude(`../a.rs${portion} editable`)!;
      t.is(path, '../a.rs');
      return region ?? settings;
    }),
    [undefined, undefined, undefined, '2,2', '2,', '2,10', ',10', '2,', '1st', '2nd-part', 'größe', '0,0', 'all'],
  );
  t.is(parseTextInclude('https://host.test/a.rs:2'), undefined);
  const snippet = (path: string) => parseIncludeLine(`--8<-- "${path}"`)!;
  t.deepEqual([snippet('a.py:3').settings, snippet('a.py:3:').settings], ['3,', '3,']);
  t.is(snippet('a.py:1st').region, '1st');
  t.is(snippet('a.py:1:3,5:6').settings, '1,3;5,6');
});

test('portions of mdBook count the lines of the file, and what is missing is named', (t) => {
  const files = { 'docs/a.rs': '// ANCHOR: größe\none\n// ANCHOR_END: größe\ntwo\nthree' };
  const show = (portion: string) => {
    const { html, warnings } = renderPage(`{{ #include ../a.rs${portion} }}\n`, {
      includes: new Map(Object.entries(files)),
      ...place,
      generator: 'mdbook',
    });
    return warnings[0]?.message ?? html.replace(/<[^>]*>/g, '').trim();
  };
  t.deepEqual([':4', ':4:', '::2', ':größe'].map(show), ['two', 'two\nthree', 'one', 'one']);
  t.is(show(':0'), '');
  t.is(show(':9:'), 'Cannot include "../a.rs": it has no line 9');
  t.is(show(':9:12'), 'Cannot include "../a.rs": it has no line 9');
  t.is(show(':4:2'), 'Cannot include "../a.rs": it has no line 4');
  t.is(show(':2nd'), 'Cannot include "../a.rs": it has no region "2nd"');
});

test('include of markdown-it-include counts from the source folder', async (t) => {
  const { html, warnings } = render('a\n!!!include(axes/_b.md)!!!\n\n!!!include(none.md)!!!\n', {
    'docs/axes/_b.md': '## B\n\nText',
  });
  t.true(html.startsWith('<p>a</p>\n<h2 id="b"'));
  t.regex(html, /<p>Text<\/p>\n<p class="missing-include"><code>!!!include\(none\.md\)!!!<\/code><\/p>$/);
  t.deepEqual(
    warnings.map(({ code, line }) => [code, line]),
    [['missing-snippet', 4]],
  );
});

test('parseIncludeLine() leaves other lines', (t) => {
  for (const line of [
    '<<<',
    '<<<<<<< HEAD',
    '<<< EOF',
    '<!-- include -->',
    '--8<--',
    'a <<< b.js',
    '--8<-- "https://x.example/y"',
  ]) {
    t.is(parseIncludeLine(line), undefined, line);
  }
});

test('listIncludePaths() starts at the source folder, the page, or the root', (t) => {
  t.is(resolve('<<< @/a.js'), 'docs/a.js');
  t.is(resolve('<<< /a.js'), 'docs/a.js');
  t.is(resolve('<<< ./a.js'), 'docs/guide/a.js');
  t.is(resolve('<<< ../../src/a.js'), 'src/a.js');
  t.is(resolve('--8<-- "src/a.py"'), 'src/a.py');
  t.is(resolve('--8<-- "./a.py"'), 'docs/guide/a.py');
});

test('a path from the top also counts from the folder of its language', async (t) => {
  t.deepEqual(resolveAll('<<< /_common/a.md'), ['docs/_common/a.md', 'docs/guide/_common/a.md']);
  const { html, warnings } = await render('{{% include "/_common/a.md" %}}', { 'docs/guide/_common/a.md': 'Part' });
  t.is(html, '<p>Part</p>');
  t.deepEqual(warnings, []);
});

test('a snippet also counts from the folder of the configuration and from the source folder', async (t) => {
  const at = { pagePath: 'docs/content/a/page.md', sourceDir: 'docs/content/' };
  const paths = listIncludePaths(parseIncludeLine('--8<-- "content/part.md"')!, at);
  t.deepEqual(paths.slice(0, 3), ['content/part.md', 'docs/content/part.md', 'docs/content/content/part.md']);
  t.deepEqual(resolveAll('--8<-- "src/a.py"'), ['src/a.py', 'docs/src/a.py', 'docs/guide/src/a.py']);
  const { html, warnings } = await render('--8<-- "part.md"', { 'docs/part.md': 'Part' });
  t.is(html, '<p>Part</p>');
  t.deepEqual(warnings, []);
});

test('a plugin of MkDocs includes Markdown', async (t) => {
  const { html, warnings } = await render('{% include-markdown "_parts/a.md" %}', { 'docs/_parts/a.md': 'Part' });
  t.is(html, '<p>Part</p>');
  t.deepEqual(warnings, []);
});

test('listIncludePaths() never leaves the repository', (t) => {
  for (const path of ['../../../a.js', '@/../../a.js', '/../../a.js', '@/..\\..\\a.js', '//etc/../../../a.js']) {
    t.is(resolve(`<<< ${path}`), undefined, path);
  }
  t.is(resolve('--8<-- "../a"'), 'docs/a');
  t.is(resolve('--8<-- "/../../../a"'), undefined);
});

test('findIncludes() finds them in lists and quotes', (t) => {
  const text = 'a\n- <<< ./b.js\n> <!--@include: c.md-->\n  --8<-- "d"\nx <<< e.js\n@include f.md';
  t.deepEqual(
    findIncludes(text).map((reference) => reference.path),
    ['./b.js', 'c.md', 'd', 'f.md'],
  );
});

test('code snippet becomes a code block', async (t) => {
  const { html } = render('<<< @/a.ts{2}', { 'docs/a.ts': 'a\nb\n' });
  t.is(
    html,
    '<div class="code-block" data-language="ts"><pre tabindex="0"><code>a\n<span class="line highlighted">b</span></code></pre></div>',
  );
});

test('code snippet takes a region, a language and a title', async (t) => {
  const files = { 'docs/a.txt': 'x\n  // #region one\n  a\n    b\n  // #endregion one\ny' };
  const { html } = render('<<< @/a.txt#one{1 js:line-numbers} [T]', files);
  t.true(html.includes('data-language="js"><div class="code-title">T</div>'));
  t.true(html.includes('<span class="line highlighted">a</span>\n  b</code>'));
});

test('regions are found in comments of many languages, and never in plain words', async (t) => {
  for (const [open, close] of [
    ['#region r', '#endregion'],
    ['# region r', '# endregion r'],
    ['<!-- #region r -->', '<!-- #endregion r -->'],
    ['/* #region r */', '/* #endregion */'],
    ['#pragma region r', '#pragma endregion'],
    ['# --8<-- [start:r]', '# --8<-- [end:r]'],
  ]) {
    const { html } = render('<<< ./a.txt#r', { 'docs/guide/a.txt': `x\n${open}\nregion: r\n${close}\ny` });
    t.true(html.includes('<code>region: r</code>'), open);
  }
});

test('region inside a region is kept without its marks', async (t) => {
  const { html } = render('<<< ./a.js#r', {
    'docs/guide/a.js': '// #region r\na\n// #region s\nb\n// #endregion s\nc\n// #endregion r\nd',
  });
  t.true(html.includes('<code>a\nb\nc</code>'));
});

test('page is included without front matter, and its links bear the line of the include', async (t) => {
  const { html, slots } = render('a\n\n<!--@include: ./b.md-->\n\n[z](z)', {
    'docs/guide/b.md': '---\nx: y\n---\n\n*b*\n\n[c](d)\n',
  });
  t.is(html, '<p>a</p>\n<p><em>b</em></p>\n<p><a href="{d}">c</a></p>\n<p><a href="{z}">z</a></p>');
  t.deepEqual(
    slots.map((slot) => slot.line),
    [3, 5],
  );
});

test('page is included by lines, by region, by heading', async (t) => {
  const files = {
    'docs/guide/b.md':
      'one\n\ntwo\n\n<!-- #region r -->\nthree\n<!-- #endregion r -->\n\n## Four & five\n\nsix\n\n### Seven\n\n## Eight',
  };
  t.is(render('<!--@include: ./b.md{3,3}-->', files).html, '<p>two</p>');
  t.is(render('<!--@include: ./b.md{,2}-->', files).html, '<p>one</p>');
  t.is(render('<!--@include: ./b.md#r-->', files).html, '<p>three</p>');
  t.deepEqual(
    render('<!--@include: ./b.md#four-five-->', files).headings.map((heading) => heading.text),
    ['Four & five', 'Seven'],
  );
});

test('MkDocs snippet is read as Markdown', async (t) => {
  t.is(
    render('!!! note ""\n    --8<-- "inc/a.md:s"', {
      'inc/a.md': 'x\n<!-- --8<-- [start:s] -->\n*a*\n<!-- --8<-- [end:s] -->',
    }).html,
    '<div class="callout note">\n<p><em>a</em></p>\n</div>',
  );
});

test('what cannot be included stays as text, with a warning', async (t) => {
  const { html, warnings } = render('a\n\n<<< @/x.js\n\n<!--@include: ./b.md#no-->', { 'docs/guide/b.md': 'x' });
  t.true(html.includes('<p class="missing-include"><code>&lt;&lt;&lt; @/x.js</code></p>'));
  t.deepEqual(warnings, [
    { line: 3, code: 'missing-snippet', message: 'Cannot include "@/x.js": file does not exist' },
    { line: 5, code: 'missing-snippet', message: 'Cannot include "./b.md": it has no region "no"' },
  ]);
});

test('include outside of the repository is never read', async (t) => {
  const { warnings } = render('<<< ../../../../etc/passwd', {});
  t.is(warnings[0]?.message, 'Cannot include "../../../../etc/passwd": it is outside the repository');
});

test('circles end with a warning', async (t) => {
  const { html, warnings } = render('<!--@include: ./a.md-->', {
    'docs/guide/a.md': 'x\n<!--@include: ./b.md-->',
    'docs/guide/b.md': 'y\n<!--@include: ./a.md-->',
  });
  t.true(html.includes('<p>x</p>\n<p>y</p>'));
  t.deepEqual(warnings, [{ line: 1, code: 'missing-snippet', message: 'Cannot include "./a.md": it includes itself' }]);
});

test.serial('includes that multiply end with a warning', async (t) => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 9; i++) files[`docs/guide/${i}.md`] = `<!--@include: ./${i + 1}.md-->\n`.repeat(9);
  files['docs/guide/9.md'] = 'x';
  const start = cpuTimeMs();
  const { warnings } = render('<!--@include: ./0.md-->', files);
  t.true(warnings.some((warning) => warning.message.endsWith('the page includes too much')));
  t.true(cpuTimeMs() - start < 5_000);
});

test('markers in code are left alone', async (t) => {
  const text =
    '```md\n<<< @/a.js\n<!--@include: ./b.md-->\n--8<-- "c"\n```\n\n`<!--@include: ./b.md-->`\n\n    <<< @/a.js\n\n~~~\n--8<-- "c"\n~~~';
  const { html, warnings } = render(text, { 'docs/a.js': 'A', 'docs/guide/b.md': 'B', c: 'C' });
  t.deepEqual(warnings, []);
  t.notRegex(html, /[ABC]/);
});

test('included text cannot write slots', async (t) => {
  const { html } = render('<!--@include: ./a.md-->', { 'docs/guide/a.md': 'a \0' + '0\0 b' });
  t.is(html, '<p>a \ufffd0\ufffd b</p>');
});
