import test from 'ava';
import { renderPage } from '../render-page.ts';

const ids = (text: string) => renderPage(text).headings.map((heading) => heading.id);

test('heading gets an id and a link to itself', (t) => {
  t.is(
    renderPage('## Foo `bar`').html,
    '<h2 id="foo-bar" tabindex="-1">Foo <code>bar</code> <a class="anchor" href="#foo-bar" aria-label="Permalink: Foo bar">#</a></h2>',
  );
});

test('a text of MDX that begins with nothing but an element gets its title', (t) => {
  for (const text of ['<template #x>a</template>', '<template #x></template>', '<template #x>a</template>\n\nb']) {
    t.regex(renderPage(text, { title: 'T', generator: 'docusaurus', mdx: true }).html, /^<h1 id="t"[^>]*>T /);
  }
});

test('ids are made as GitHub makes them, in any script', (t) => {
  t.deepEqual(ids('# C++ & foo_bar\n# 中文 标题\n# Über uns!\n# Привет, мир\n# ???'), [
    'c--foo_bar',
    '中文-标题',
    'über-uns',
    'привет-мир',
    'section',
  ]);
});

test('a sign at either end leaves its space, as on GitHub', (t) => {
  t.deepEqual(ids('# 🚀 Start\n# Done ✅\n# ⚙️ Options\n# 🎉'), ['-start', 'done-', '\uFE0F-options', 'section']);
});

test('names of emoji are part of an id on GitHub, and lead to the heading, too', (t) => {
  const page = renderPage('# :rocket: Start\n\n# Foo :tada: {#foo}');
  t.deepEqual(
    page.headings.map((heading) => heading.id),
    ['start', 'foo'],
  );
  t.true(page.ids.includes('rocket-start'));
  t.false(page.ids.includes('foo-tada'));
});

test('the id another generator would give leads to the heading, too', (t) => {
  const page = renderPage('## Foo & bar');
  t.true(page.html.startsWith('<h2 id="foo--bar" tabindex="-1"><span id="foo-bar"></span>'));
  t.true(page.ids.includes('foo-bar'));
});

test("another generator's id gives way to a heading of that id", (t) => {
  const { html } = renderPage('## Foo & bar\n\n## Foo bar');
  t.deepEqual(html.match(/ id="foo-bar"/g), [' id="foo-bar"']);
  t.regex(html, /<h2 id="foo-bar"/);
});

test('equal headings are numbered', (t) => {
  t.deepEqual(ids('# A\n# A\n# A-1\n# A'), ['a', 'a-1', 'a-1-1', 'a-2']);
});

test('author sets an id', (t) => {
  const page = renderPage('## Foo {#my-id .big}');
  t.deepEqual(page.headings, [{ level: 2, id: 'my-id', text: 'Foo' }]);
  t.true(page.html.startsWith('<h2 id="my-id" class="big" tabindex="-1">'));
});

test('made ids keep clear of ids the author set further down', (t) => {
  t.deepEqual(ids('# Foo\n\n# Bar {#foo}'), ['foo-1', 'foo']);
});

test('id set twice is renamed with a warning', (t) => {
  const page = renderPage('## A {#x}\n\n## B {#x}');
  t.deepEqual(
    page.headings.map((heading) => heading.id),
    ['x', 'x-1'],
  );
  t.deepEqual(page.warnings, [
    { line: 3, code: 'duplicate-id', message: 'Id "x" is used twice; here it was changed to "x-1"' },
  ]);
});

test('badge and emoji stay out of the id', (t) => {
  const page = renderPage('# Foo <Badge type="tip" text="new" /> :tada:');
  t.deepEqual(page.headings, [{ level: 1, id: 'foo', text: 'Foo  🎉' }]);
});

test('title is the first heading of level 1', (t) => {
  t.is(renderPage('## A\n\n# B *c*\n\n# D').title, 'B c');
  t.is(renderPage('## A').title, undefined);
});

test('table of contents lists levels 2 and 3', (t) => {
  t.is(
    renderPage('[[toc]]\n\n## A\n### B\n## C').html.split('\n')[0],
    '<nav class="toc" aria-label="Contents"><ul><li><a href="#a">A</a><ul><li><a href="#b">B</a></li></ul></li><li><a href="#c">C</a></li></ul></nav>',
  );
});

test('a link named toc is no table of contents', (t) => {
  t.true(renderPage('[toc]\n\n[toc]: /x').html.startsWith('<p><a href='));
});

test('a title of front matter becomes the heading of level 1 that the text has not', (t) => {
  const page = renderPage('Text.\n\n## Next', { title: 'A <b> & *c*' });
  t.is(
    page.html.split('\n')[0],
    '<h1 id="a-b--c" tabindex="-1"><span id="a-b-c"></span>A &lt;b&gt; &amp; *c* <a class="anchor" href="#a-b--c" aria-label="Permalink: A &lt;b&gt; &amp; *c*">#</a></h1>',
  );
  t.is(page.title, 'A <b> & *c*');
  t.deepEqual(
    page.headings.map(({ level, text }) => `${level} ${text}`),
    ['1 A <b> & *c*', '2 Next'],
  );
});

for (const text of [
  '# Other',
  'Other\n=====',
  '<!-- note -->\n\n# Other',
  '[![badge](b.svg)](x)\n![c](c.svg)\n\n# Other',
  '<h1 align="center">Other</h1>\n\nText',
  '<p align="center">\n  <img src="a.png">\n</p>\n\n# Other',
  '[[toc]]\n\n# Other',
  'Text first.\n\n# **My title!**\n\nText',
]) {
  test(`a title of front matter is not shown a second time above ${JSON.stringify(text)}`, (t) => {
    t.is(renderPage(text, { title: 'My title' }).html, renderPage(text).html);
  });
}

for (const text of [
  '',
  'Text\n\n# Section\n\n# Section 2',
  '## Two\n\n# One',
  '<div>words</div>\n\n# One',
  '- # One',
  '> # One',
]) {
  test(`a title of front matter is shown above ${JSON.stringify(text)}`, (t) => {
    const page = renderPage(text, { title: 'My title' });
    t.true(page.html.startsWith('<h1 id="my-title"'));
    t.is(page.title, 'My title');
    t.is(page.headings.length, 1 + renderPage(text).headings.length);
  });
}

test('the id of a title of front matter gives way to all others', (t) => {
  const page = renderPage('<a id="install-1"></a>\n\n## Install\n\n## Install', { title: 'Install' });
  t.deepEqual(
    page.headings.map(({ id }) => id),
    ['install-3', 'install', 'install-2'],
  );
});

test('a heading on top that stands above all others is the title, and raises them, where levels are loose', (t) => {
  const raise = (text: string) => {
    const { html, title, headings } = renderPage(text, { hasLooseLevels: true });
    return [title, headings.map(({ level }) => level).join(''), html.match(/<h\d/g)?.join('')];
  };
  t.deepEqual(raise('## Install\n\nText\n\n### On Linux\n\n#### Debian'), ['Install', '123', '<h1<h2<h3']);
  t.deepEqual(raise('<!-- x -->\n![](a.png)\n\n### Install'), ['Install', '1', '<h1']);
  t.deepEqual(raise('## 1.1\n\n## 1.0'), [undefined, '22', '<h2<h2']);
  t.deepEqual(raise('Text\n\n## Install'), [undefined, '2', '<h2']);
  t.deepEqual(raise('## Install\n\n# Title'), ['Title', '21', '<h2<h1']);
  t.deepEqual(raise('<h1>Title</h1>\n\n## Install'), [undefined, '2', '<h1<h2']);
  t.deepEqual(renderPage('## Install').title, undefined);
});

type Expected = readonly [generator: string, headings: readonly string[], ids: readonly string[]];
const IDS: readonly Expected[] = [
  [
    'VitePress',
    ['1.0 Release', 'Was ist größer?', 'a & b', 'a & b'],
    ['_1-0-release', 'was-ist-großer', 'a-b', 'a-b-1'],
  ],
  ['VuePress', ['What’s `new`?', 'C++ / C#'], ['what-s-new', 'c-c']],
  [
    'MkDocs',
    ['Options', 'Options', 'Options', 'A - B', 'Café & Bar'],
    ['options', 'options_1', 'options_2', 'a-b', 'cafe-bar'],
  ],
  ['Docusaurus', ['Options', 'Options', 'A - B', '`<Foo />` bar'], ['options', 'options-1', 'a---b', 'foo--bar']],
];

for (const [generator, headings, ids] of IDS) {
  test(`the ids of ${generator} lead to headings, each once`, (t) => {
    const { html } = renderPage(headings.map((text) => `## ${text}\n`).join('\n'));
    const parts = html.split(/(?=<h2 )/);
    for (const [at, id] of ids.entries()) t.true(parts[at]!.includes(` id="${id}"`), `${id} in ${parts[at]}`);
    const all = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    t.is(new Set(all).size, all.length);
  });
}

test('headings that all generators call the same have one id', (t) => {
  t.notRegex(renderPage('## Getting started\n\n## Use it\n\n## 安装\n').html, /<span id/);
});

test('headings in other scripts have the ids of MkDocs, numbered as there, on its sites only', (t) => {
  const text = '# 标题\n\n## 安装\n\n## مهاجرت از VuePress\n\n## Plain\n\n使用\n---';
  const written = renderPage(text, { generator: 'mkdocs' });
  t.deepEqual(
    [...written.html.matchAll(/<span id="([^"]*)">/g)].map(([, id]) => id),
    ['_1', '_2', 'vuepress', '_3'],
  );
  t.true(['_1', '_2', '_3', 'vuepress', '安装'].every((id) => written.ids.includes(id)));
  for (const generator of [undefined, 'vitepress', 'docusaurus'] as const)
    t.notRegex(renderPage(text, { generator }).html, /id="_1"/);
  t.notRegex(renderPage('Text', { generator: 'mkdocs', title: '标题' }).html, /id="_1"/, 'MkDocs gives it no id');
});

test('headings have the decomposed ids of VitePress and VuePress on their sites', (t) => {
  const text = '# 제목 설치\n\n## ガイド\n\n## ガイド\n\n## 标题\n\n## Café';
  for (const generator of ['vitepress', 'vuepress'] as const) {
    const { html, ids } = renderPage(text, { generator });
    for (const id of ['제목-설치', 'ガイド', 'ガイド-1']) {
      t.true(ids.includes(id) && ids.includes(id.normalize('NFKD')), id);
    }
    t.is(html.match(/<span id/g)?.length, 4, 'and none for those that are the same in both forms');
  }
  t.notRegex(renderPage(text).html, /<span id="[^c]/);
});

test('an id in brackets at the end of a heading is its id', (t) => {
  const { headings } = renderPage('## Long `a` title [#short-id]\n\n## See [#1]\n');
  t.deepEqual(
    headings.map(({ id, text }) => [id, text]),
    [
      ['short-id', 'Long a title'],
      ['see-1', 'See [#1]'],
    ],
  );
});

test('a second heading of level 1 is reported once, where no other generator is meant', (t) => {
  const told = (text: string, input: Parameters<typeof renderPage>[1] = {}): readonly string[] =>
    renderPage(text, input)
      .warnings.filter(({ code }) => code === 'second-title')
      .map(({ line, message }) => `${line} ${message}`);
  const advice = 'a page has one title, and its sections begin with "##"';
  t.deepEqual(told('# One\n\n## Two\n\n# Three\n'), [`5 Second heading of level 1: "# Three"; ${advice}`]);
  t.deepEqual(told('# One\n\nTwo\n===\n\n# Three\n\n# Four\n'), [
    `3 Second heading of level 1: "# Two" (and 2 more); ${advice}`,
  ]);
  t.deepEqual(told('Text\n\n# One\n', { title: 'Zero' }), [`3 Second heading of level 1: "# One"; ${advice}`]);
  t.deepEqual(told('# One\n\n```\n# Two\n```\n'), []);
  t.deepEqual(told('# One\n\n# Two\n', { generator: 'mkdocs' }), []);
});
