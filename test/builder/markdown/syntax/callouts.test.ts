import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;

test('container gets its default title', (t) => {
  t.is(html('::: tip\nx\n:::'), '<div class="callout tip">\n<p class="callout-title">Tip</p>\n<p>x</p>\n</div>');
});

test('container takes its title in Markdown and its attributes', (t) => {
  t.is(
    html('::: danger Do *not* {#stop .big}\nx\n:::'),
    '<div class="callout danger big" id="stop">\n<p class="callout-title">Do <em>not</em></p>\n<p>x</p>\n</div>',
  );
});

test('container needs no space before its name', (t) => {
  t.true(html(':::warning\nx\n:::').startsWith('<div class="callout warning">'));
});

test('container takes a title in brackets', (t) => {
  t.true(html(':::note[Mind *this*]\nx\n:::').includes('<p class="callout-title">Mind <em>this</em></p>'));
});

test('default titles come from the page', (t) => {
  const { html } = renderPage('::: tip\nx\n:::', { titles: { tip: '提示' } });
  t.true(html.includes('<p class="callout-title">提示</p>'));
});

test('default titles never come from the prototype', (t) => {
  t.true(html('!!! constructor\n    x').includes('<p class="callout-title">Constructor</p>'));
});

test('container nests with more colons', (t) => {
  const outer = html(':::: info\n::: tip\nx\n:::\ny\n::::\nz');
  t.regex(
    outer,
    /^<div class="callout info">[\s\S]*<div class="callout tip">[\s\S]*<p>x<\/p>\n<\/div>\n<p>y<\/p>\n<\/div>\n<p>z<\/p>$/,
  );
});

test('container nests with as many colons', (t) => {
  t.regex(html('::: info\n::: tip\nx\n:::\ny\n:::\nz'), /<p>x<\/p>\n<\/div>\n<p>y<\/p>\n<\/div>\n<p>z<\/p>$/);
});

test('container whose inner one is left open still ends', (t) => {
  t.regex(html('::: info\n::: tip\nx\n:::\nz'), /<p>x<\/p>\n<\/div>\n<\/div>\n<p>z<\/p>$/);
});

test('closing mark in a code block does not close a container', (t) => {
  t.regex(html('::: tip\n```md\n:::\n```\nx\n:::\nz'), /:::<\/code><\/pre><\/div>\n<p>x<\/p>\n<\/div>\n<p>z<\/p>$/);
});

test('container works inside a list', (t) => {
  t.regex(
    html('- a\n\n  ::: tip\n  x\n  :::\n- b'),
    /<li>\n<p>a<\/p>\n<div class="callout tip">[\s\S]*<\/div>\n<\/li>\n<li>/,
  );
});

test('details container opens and closes', (t) => {
  t.is(
    html('::: details More {open}\nx\n:::'),
    '<details class="callout details" open="">\n<summary>More</summary>\n<p>x</p>\n</details>',
  );
});

test('unknown container becomes a box when it is closed, and stays text when not', (t) => {
  t.is(html('::: demo\nx\n:::'), '<div class="container demo">\n<p>x</p>\n</div>');
  t.is(html('::: demo\nx'), '<p>::: demo\nx</p>');
});

test('v-pre leaves no trace', (t) => {
  t.is(html('::: v-pre\n{{ x }}\n:::'), '<p>{{ x }}</p>');
});

test('a quote that begins with a kind and the name of one is a callout', (t) => {
  const hint = '<div class="callout info">\n<p class="callout-title">Hint</p>\n';
  t.is(
    html('> info **Hint** A *remark*,\n> and more\n>\n> b'),
    `${hint}<p>A <em>remark</em>,\nand more</p>\n<p>b</p>\n</div>`,
  );
  t.regex(
    html('> Warn **notice** a'),
    /^<div class="callout warning">\n<p class="callout-title">Notice<\/p>\n<p>a<\/p>/,
  );
  t.regex(html('> error **Warning** a'), /^<div class="callout danger">/);
  for (const text of ['> info **that** a', '> news **Hint** a', 'info **Hint** a', '> Note **Hint**: a']) {
    t.notRegex(html(text), /callout/, text);
  }
});

test('a remark behind the marker of an alert is its text', (t) => {
  const note = '<div class="callout note">\n<p class="callout-title">Note</p>\n';
  t.is(
    html('> [!NOTE] `$inspect` only *works* here'),
    `${note}<p><code>$inspect</code> only <em>works</em> here</p>\n</div>`,
  );
  t.is(html('> [!NOTE] In Svelte 4, it was so.\n>\n> y'), `${note}<p>In Svelte 4, it was so.</p>\n<p>y</p>\n</div>`);
  t.is(html('> [!NOTE] One line,\n> and another'), `${note}<p>One line,\nand another</p>\n</div>`);
  t.is(html('>[!NOTE] 这是说明。\n> - x'), `${note}<p>这是说明。</p>\n<ul>\n<li>x</li>\n</ul>\n</div>`);
  t.is(html('> [!NOTE] Why?\n> x'), '<div class="callout note">\n<p class="callout-title">Why?</p>\n<p>x</p>\n</div>');
  t.is(html('> [!NOTE]'), '<div class="callout note">\n<p class="callout-title">Note</p>\n</div>');
  t.true(html('> [!NOTE]- Only a title').startsWith('<details class="callout note">\n<summary>Only a title</summary>'));
});

test('alert becomes a callout with its title', (t) => {
  t.is(
    html('> [!WARNING] My *title*\n> x\n>\n> y'),
    '<div class="callout warning">\n<p class="callout-title">My <em>title</em></p>\n<p>x</p>\n<p>y</p>\n</div>',
  );
});

test('alert needs its mark in the first line', (t) => {
  t.true(html('> x\n> [!NOTE]').startsWith('<blockquote>'));
});

test('MkDocs admonition takes its indented lines', (t) => {
  t.is(
    html('!!! bug "Oh"\n    x\n\n    y\nz'),
    '<div class="callout danger">\n<p class="callout-title">Oh</p>\n<p>x</p>\n<p>y</p>\n</div>\n<p>z</p>',
  );
});

test('MkDocs admonition with an empty title has none', (t) => {
  t.is(html('!!! note ""\n    x'), '<div class="callout note">\n<p>x</p>\n</div>');
});

test('MkDocs collapsible admonition is closed or open', (t) => {
  t.true(html('??? note\n    x').startsWith('<details class="callout note">\n<summary>Note</summary>'));
  t.true(html('???+ note\n    x').startsWith('<details class="callout note" open="">'));
});

test('an alert of another kind is a note of that name', (t) => {
  t.true(html('> [!NB]\n> x').startsWith('<div class="callout note">\n<p class="callout-title">NB</p>\n<p>x</p>'));
  t.true(html('> [!success] Done\n> x').startsWith('<div class="callout tip">\n<p class="callout-title">Done</p>'));
  t.true(html('> [!custom]\n> x').includes('<p class="callout-title">Custom</p>'));
});

test('an alert with a sign opens and closes', (t) => {
  t.true(html('> [!INFO]- *More*\n> x').startsWith('<details class="callout info">\n<summary><em>More</em></summary>'));
  t.true(html('> [!INFO]+\n> x').startsWith('<details class="callout info" open="">'));
});

test('a quoted link that begins with an exclamation mark is no alert', (t) => {
  t.is(html('> [!a](b.md)'), '<blockquote>\n<p><a href="{b.md}">!a</a></p>\n</blockquote>');
  t.true(html('> [!a][b]\n\n[b]: c.md').startsWith('<blockquote>'));
});

test('MkDocs admonition needs neither a kind nor a space', (t) => {
  t.true(html('??? "Raw *data*"\n    x').startsWith('<details class="callout details">\n<summary>Raw <em>data</em>'));
  t.true(html('!!!tip\n    x').startsWith('<div class="callout tip">'));
  t.is(html('!!!wow'), '<p>!!!wow</p>');
});

test('containers that are not closed are reported with their lines, one by one', (t) => {
  const open = (text: string): readonly string[] =>
    renderPage(text)
      .warnings.filter(({ code }) => code === 'unclosed')
      .map(({ line, message }) => `${line} ${message}`);
  t.deepEqual(open('Text\n\n::: tip Title\nA\n\n- item\n\n  ::: warning\n  B\n\nC\n'), [
    '3 Container "::: tip" is not closed',
    '8 Container "::: warning" is not closed',
  ]);
  t.deepEqual(open(':::: code-group\n```js [a]\n```\n'), ['1 Container ":::: code-group" is not closed']);
  t.deepEqual(open('::: mine\nText\n'), ['1 Container "::: mine" is not closed']);
  t.deepEqual(open('::: tip\nA\n:::\n\n:::: note\n::: tip\nB\n:::\n::::\n'), []);
});

test('code blocks that are not closed are reported with their lines', (t) => {
  const open = (text: string): readonly string[] =>
    renderPage(text)
      .warnings.filter(({ code }) => code === 'unclosed')
      .map(({ line, message }) => `${line} ${message}`);
  const message = (fence: string, mark: string): string =>
    `Code block "${fence}" is not closed, and all that follows is code: end it with a line "${mark}"`;
  t.deepEqual(open('Text\n\n```js\na\n\n# Title\n'), [`3 ${message('```js', '```')}`]);
  t.deepEqual(open('```'), [`1 ${message('```', '```')}`]);
  t.deepEqual(open('~~~~ js\na\n~~~\n'), [`1 ${message('~~~~ js', '~~~~')}`]);
  t.deepEqual(open('- item\n\n  ```\n  a\n\nText\n\n> ```\n> b\n'), [
    `3 ${message('```', '```')}`,
    `8 ${message('```', '```')}`,
  ]);
  t.deepEqual(open('::: tip\n```js\na\n:::\n\nText\n'), [
    '1 Container "::: tip" is not closed',
    `2 ${message('```js', '```')}`,
  ]);
  t.deepEqual(open('```js\na\n```\n\n- ~~~\n  b\n  ~~~~\n\n> ```\n> ```\n\n  ```\nc\n   ```'), []);
});

test('a container in MDX has its title in a brace that is escaped', (t) => {
  const { html } = renderPage(':::tip\\{title="Own title"}\nText\n:::\n', { mdx: true });
  t.regex(html, /<p class="callout-title">Own title<\/p>/);
});
