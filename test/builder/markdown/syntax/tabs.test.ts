import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;

test('code group shows each block on a tab named by its brackets', (t) => {
  const page = html('::: code-group\n\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n\n:::');
  t.true(page.startsWith('<div class="tabs code-group" role="group">'));
  t.true(
    page.includes(
      '<input type="radio" class="tab-input" name="tabs-1" id="tabs-1-1" checked><label class="tab-label" for="tabs-1-1">npm</label>',
    ),
  );
  t.true(page.includes('id="tabs-1-2"><label class="tab-label" for="tabs-1-2">pnpm</label>'));
  t.false(page.includes('code-title'));
});

test('code group names a tab by its language when nothing else is known', (t) => {
  t.true(html('::: code-group\n```ts\na\n```\n:::').includes('>ts</label>'));
});

test('what is no code block follows the tabs of its code group', (t) => {
  const page = renderPage('::: code-group\n```ts\na\n```\n\nBetween\n\n```js\nb\n```\n\n- c\n\n      d\n:::\n\nAfter');
  t.is(page.html.match(/class="tab-panel"/g)?.length, 2);
  t.regex(page.html, /<\/div>\n<p>Between<\/p>\n<ul>\n<li>\n<p>c<\/p>[\s\S]*<\/ul>\n<p>After<\/p>/);
});

test('code group that is never closed takes no text away', (t) => {
  const page = renderPage('::: code-group\n```ts\na\n```\n\n## Next\n\nText');
  t.deepEqual(page.headings, [{ level: 2, id: 'next', text: 'Next' }]);
  t.true(page.html.endsWith('<p>Text</p>'));
});

test('MkDocs tabs that follow each other make one group', (t) => {
  const page = html('=== "A"\n    one\n\n=== "B <x>"\n    - two\n\nz\n\n=== "C"\n    three');
  t.is(page.match(/class="tabs"/g)?.length, 2);
  t.true(page.includes('for="tabs-1-2">B &lt;x&gt;</label><div class="tab-panel">\n<ul>'));
  t.true(page.includes('id="tabs-2-1" checked'));
});

test('MkDocs tab with an exclamation mark starts a new group', (t) => {
  t.is(html('=== "A"\n    one\n===! "B"\n    two').match(/class="tabs"/g)?.length, 2);
});

test('a tab of MkDocs with a plus sign is open at first', (t) => {
  const { html } = renderPage('=== "A"\n\n    a\n\n===+ "B"\n\n    b\n');
  t.deepEqual(
    [...html.matchAll(/<input[^>]*id="([^"]*)"( checked)?>/g)].map(([, id, checked]) => [id, checked !== undefined]),
    [
      ['tabs-1-1', false],
      ['tabs-1-2', true],
    ],
  );
});

test('blocks of code with titles of tabs are one group until something stands between them', (t) => {
  const fence = (info: string) => `\`\`\`${info}\na\n\`\`\`\n`;
  const groups = (text: string) =>
    html(text)
      .split(/<div class="tabs[^"]*"/)
      .slice(1)
      .map((group) => [...group.matchAll(/<label[^>]*>([^<]*)</g)].map(([, title]) => title));
  const [a, b, c] = ['tab="A b"', "js tab='B'", '{.py tab="C" hl_lines="1"}'].map(fence) as [string, string, string];
  t.deepEqual(groups(`${a}${b}\n${c}`), [['A b', 'B', 'C']]);
  t.deepEqual(groups(`${a}\n<!-- -->\n\n${b}`), [['A b'], ['B']]);
  t.deepEqual(groups(`${a}${fence('js')}${b}`), [['A b'], ['B']]);
  t.deepEqual(
    groups(`- ${a.replaceAll('\n', '\n  ')}\n  ${b.replaceAll('\n', '\n  ')}\n- ${c.replaceAll('\n', '\n  ')}`),
    [['A b', 'B'], ['C']],
  );
  t.deepEqual(groups(`::: code-group\n${a}${b}:::\n`), [['Code', 'js']]);
  t.deepEqual(groups(`=== "X"\n    ${a.replaceAll('\n', '\n    ')}\n    ${b.replaceAll('\n', '\n    ')}`), [
    ['X'],
    ['A b', 'B'],
  ]);
  t.deepEqual(groups(`${fence('js table=1')}${fence('js tab=')}${fence('text\n```js tab="x"')}`), []);
  t.regex(html(`${c}\nText`), /data-language="py".*class="line highlighted".*<\/div>\n<p>Text<\/p>/s);
});
