import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;
const inertNames = (text: string) =>
  renderPage(text)
    .warnings.filter((w) => w.code === 'inert-tag')
    .map((w) => /<(.*)>/.exec(w.message)![1]);

test('raw HTML passes', (t) => {
  t.is(html('<div align="center">\n\n*a*\n\n</div>'), '<div align="center">\n<p><em>a</em></p>\n</div>');
  t.is(html('a <kbd>K</kbd> <br> b'), '<p>a <kbd>K</kbd> <br> b</p>');
});

test('open elements end with the page', (t) => {
  t.is(html('<div><section>\n\na'), '<div><section>\n<p>a</p>\n</section></div>');
});

test('open elements end with the block they stand in', (t) => {
  t.is(html('> <div>\n\nb'), '<blockquote>\n<div>\n</div></blockquote>\n<p>b</p>');
  t.is(html('a <b>c\n\nd'), '<p>a <b>c</b></p>\n<p>d</p>');
  t.is(html('*a <b>c*d'), '<p><em>a <b>c</b></em>d</p>');
});

test('closing tags with nothing to close go', (t) => {
  t.is(html('</div>\n\na</section>'), '<p>a</p>');
});

test('closing tag at the end of a paragraph closes the block before it', (t) => {
  t.is(html('<div>\n\n*a* b</div>\n\nc'), '<div>\n<p><em>a</em> b</p>\n</div><p>c</p>');
});

test('tags left out by custom are not added', (t) => {
  t.is(html('<ul><li>a<li>b</ul>'), '<ul><li>a<li>b</ul>');
});

test('elements that would swallow the page cannot', (t) => {
  t.is(html('the <title> tag, <textarea>, <plaintext>'), '<p>the &lt;title&gt; tag, &lt;textarea&gt;, </p>');
  t.is(html('<!-- a\n\nb'), '<!-- a\n\nb-->');
  t.is(html('<div id="x\n\na'), '&lt;div id="x\n<p>a</p>');
  t.true(html('<script>\nx').endsWith('</script>'));
  t.false(html('</body></html><base href="x"><body onload=x>').includes('<'));
});

test('components go, their content stays', (t) => {
  t.is(html('a <Foo :b="x > 1" @c="d" v-if="e">text</Foo> z'), '<p>a text z</p>');
  t.is(html('<Foo.Bar a={x > 1 ? "}" : 2} {...rest}>\n\n*a*\n\n</Foo.Bar>'), '<p><em>a</em></p>');
  t.is(html('<div>\n  <Foo a="b">x</Foo>\n</div>'), '<div>\n  x\n</div>');
});

test('component over many lines goes', (t) => {
  t.is(html('a\n\n<Members\n  size="small"\n  :members="[\'a > b\']"\n/>\n\nb'), '<p>a</p>\n<p>b</p>');
});

test('content right behind a component is Markdown, unless it is tags', (t) => {
  t.is(html('<Foo>\nsome *text*\n</Foo>'), '<p>some <em>text</em></p>');
  t.is(html('<Page>\n  <Title>\n    <template #title>Our team</template>\n  </Title>\n</Page>').trim(), 'Our team');
});

test('each component is named once', (t) => {
  t.deepEqual(inertNames('<Foo /> <Foo/>\n\n<Bar>x</Bar>'), ['Foo', 'Bar']);
});

test('types in prose are no components', (t) => {
  t.is(html('an Array<T> or <your.domain>'), '<p>an Array&lt;T&gt; or &lt;your.domain&gt;</p>');
  t.deepEqual(inertNames('an Array<T>'), []);
});

test('elements in capitals are HTML', (t) => {
  t.is(html('a<BR>b'), '<p>a<BR>b</p>');
});

test('badge becomes a span', (t) => {
  t.is(html('a <Badge type="danger" text="b & c" />'), '<p>a <span class="badge danger">b &amp; c</span></p>');
  t.is(html('a <Badge type="x\'y">b</Badge>'), '<p>a <span class="badge tip">b</span></p>');
});

test('attributes only Vue understands go', (t) => {
  t.is(
    html('<a href="https://x.example" :class="y" v-if="a > b" @click="z" title="t">x</a>'),
    '<p><a href="https://x.example" title="t">x</a></p>',
  );
});

test('blocks that another generator compiles go with their content', (t) => {
  t.is(
    html(
      'a\n\n<script setup lang="ts">\nimport x from "y"\n\nconst z = "<div>"\n</script>\n\n<style scoped>\n.a {}\n\n.b {}\n</style>\n\nb',
    ),
    '<p>a</p>\n<p>b</p>',
  );
  t.is(html('<script>\nexport default {}\n</script>'), '');
});

test('plain scripts and styles stay', (t) => {
  t.is(html('<script async>x()</script>'), '<script async>x()</script>');
  t.is(html('<style>\n.a > .b {}\n</style>'), '<style>\n.a > .b {}\n</style>');
});

test('ids and names in raw HTML may be linked to', (t) => {
  const page = renderPage('<a id="x"></a><a name="y"></a>\n\n<p id=z>a</p>\n\n# X');
  t.deepEqual(page.ids, ['x', 'y', 'z', 'x-1']);
});

test('id set twice in raw HTML is a warning', (t) => {
  t.deepEqual(renderPage('<i id="x"></i>\n\n<i id="x"></i>', { firstLine: 3 }).warnings, [
    { line: 5, code: 'duplicate-id', message: 'Id "x" is used twice; here it was changed to "x-1"' },
  ]);
});

test('modules of MDX go, sentences that begin like them stay', (t) => {
  const text =
    'import A from "b"\nimport {\n  C\n} from "d"\n\nexport const e = {\n\n  f: 1\n}\n\n{/* note */}\n\n# T\n\nimport is a word';
  for (const mdx of [false, true]) {
    t.regex(renderPage(text, { mdx }).html, /^<h1 [^\n]*<\/h1>\n<p>import is a word<\/p>$/);
  }
  const prose = 'import a from b\nexport default settings and more\n\nexport function calls to others';
  t.is(renderPage(prose).html, `<p>${prose.replace('\n\n', '</p>\n<p>')}</p>`);
});
