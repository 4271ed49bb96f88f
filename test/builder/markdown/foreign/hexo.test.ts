import test from 'ava';
import { findHexoMeaning } from '../../../../builder/markdown/foreign/hexo.ts';
import { findIncludes } from '../../../../builder/markdown/include/include-references.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';
import { renderPage } from '../render-page.ts';

const render = (text: string) => renderPage(text, { generator: 'hexo' });
const html = (text: string) => render(text).html;

test('Hexo: notes have a class and a title', (t) => {
  const note = (words: string) => html(`{% note ${words} %}\nText\n{% endnote %}`).replace(/\n/g, '');
  const box = (kind: string, title: string) =>
    `<div class="callout ${kind}"><p class="callout-title">${title}</p><p>Text</p></div>`;
  t.is(note(''), box('note', 'Note'));
  t.is(note('warn Careful now'), box('warning', 'Careful now'));
  t.is(note('success no-icon'), box('tip', 'Tip'));
  t.is(note('info "A *b*"'), box('info', 'A <em>b</em>'));
  t.is(note('Summary of it'), box('note', 'Summary of it'));
  t.is(note('constructor'), box('note', 'constructor'));
});

test('Hexo: quotes name their author, work and source', (t) => {
  const quote = (tag: string, words: string) => html(`{% ${tag} ${words} %}\nText\n{% end${tag} %}`).replace(/\n/g, '');
  t.is(quote('blockquote', ''), '<blockquote><p>Text</p></blockquote>');
  t.is(quote('quote', 'Jane Doe, Big Book'), '<blockquote><p>Text</p><p>— Jane Doe, Big Book</p></blockquote>');
  t.is(
    quote('blockquote', 'Jane https://host.test/a?b&c A <Book>'),
    '<blockquote><p>Text</p><p>— Jane <a href="https://host.test/a?b&amp;c">A &lt;Book&gt;</a></p></blockquote>',
  );
  t.is(quote('pullquote', 'left'), '<blockquote><p>Text</p></blockquote>');
});

test('Hexo: code has a title, a language and marked lines, and holds what it holds', (t) => {
  const page = html(
    '{% codeblock Array.map lang:js line_number:false mark:1,3-4 %}\n{% note %}\n## x\n\n  y\n{% endcodeblock %}',
  );
  t.regex(page, /data-language="js"><div class="code-title">Array.map<\/div>/);
  t.regex(page, /<span class="line highlighted">\{% note %\}<\/span>\n## x\n/);
  t.regex(html('{% code lang:js %}\na\n{% endcode %}'), /^<div class="code-block" data-language="js">/);
  t.regex(html('{% codeblock _.x https://host.test Words %}\na\n{% endcodeblock %}'), /code-title">_.x</);
  t.regex(html('{% code title="a.js" %}\n```js\na\n```\n{% endcode %}'), /data-language="js"/, "GitBook's");
});

test('Hexo: pictures and links', (t) => {
  const picture = (attributes: string) => `<p><img ${attributes} decoding="async" loading="lazy"></p>`;
  const plain = (text: string) => html(text).replace(/ data-[a-z]+="[^"]*"/g, '');
  t.is(plain('{% asset_img lamp.png A lamp %}'), picture('src="{lamp.png}" alt="A lamp"'));
  t.is(
    plain('{% img left big /a/b.png 10 20 "Title \'Words\'" %}'),
    picture('src="{/a/b.png}" alt="Words" width="10" height="20"'),
  );
  t.is(html('See {% link "The lamp" /a/ %}.'), '<p>See <a href="{/a/}">The lamp</a>.</p>');
  t.is(html('See {% asset_link a.pdf The file %}.'), '<p>See <a href="{a.pdf}">The file</a>.</p>');
  t.is(
    html('{% youtube abc false %}'),
    '<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>',
  );
  t.is(html('[a]({% asset_path a.pdf %})'), '<p><a href="{a.pdf}">a</a></p>');
  const { html: text, warnings } = render('See {% post_link hello "The post" true %}.');
  t.is(text, '<p>See <span>The post</span>.</p>');
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['Posts are not published: the link to "hello" is its text'],
  );
  t.is(html('{% raw %}{{ kept }}{% endraw %}'), '<p>{{ kept }}</p>');
  t.is(
    renderPage('[a]({% link a/b.md %})', { generator: 'jekyll' }).html,
    '<p><a href="{/a/b.md}">a</a></p>',
    "Jekyll's",
  );
});

test('Hexo: code is included from its folder', (t) => {
  const text = '{% include_code The file lang:js a/b.txt %}\n';
  t.deepEqual(
    findIncludes(text).map(({ kind, path, settings, title }) => [kind, path, settings, title]),
    [['code', '/downloads/code/a/b.txt', 'js', 'The file']],
  );
  const includes = new Map([['source/downloads/code/a/b.txt', 'x = 1\n']]);
  const page = renderPage(text, { generator: 'hexo', includes, pagePath: 'source/a.md', sourceDir: 'source' });
  t.regex(page.html, /data-language="js"><div class="code-title">The file<\/div>.*x = 1/);
});

test('Hexo: headings keep the ids with capital letters that links have', (t) => {
  const page = render(
    '## Front Matter\n\n## Front Matter\n\n## Hellô: Wòrld!\n\n## plain\n\n## Own {#own}\n\n## 变量 A\n',
  );
  t.deepEqual(page.ids, [
    ...['own', 'front-matter', 'front-matter-1', 'hellô-wòrld', 'plain', '变量-a'],
    ...['Front-Matter', 'front-matter_1', 'Front-Matter-1', 'hello-world', 'Hello-World', '变量-A'],
  ]);
  t.true(render('## Settings & Defaults').ids.includes('Settings-Defaults'));
  t.true(render('## Settings & Defaults').ids.includes('Settings-amp-Defaults'));
  t.deepEqual(renderPage('## Front Matter\n').ids, ['front-matter']);
});

test('Hexo: tags of any length are read in linear time', (t) => {
  for (const part of ['"', "'", '"a', 'a:', '// ', '\\', '<']) {
    const read = (body: string) => () =>
      ['note', 'blockquote', 'codeblock', 'img', 'link'].map((name) =>
        findHexoMeaning({ syntax: 'statement', name, body, named: new Map(), positional: [], isPaired: true }),
      );
    const [short, long] = [part.repeat(2_000), part.repeat(40_000)].map((body) => fastestMs(read(body)));
    t.true(long! < 80 * short! + 200, part);
  }
});
