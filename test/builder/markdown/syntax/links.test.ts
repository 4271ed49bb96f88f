import test from 'ava';
import { renderPage } from '../render-page.ts';

test('links and images of the site become slots with their lines', (t) => {
  const page = renderPage('a\n[x](./b.md#c)\n\n![y](z.png)', { firstLine: 5 });
  t.deepEqual(page.slots, [
    { kind: 'link', url: './b.md#c', line: 6 },
    { kind: 'image', url: 'z.png', line: 8 },
  ]);
});

test('links inside the page become slots', (t) => {
  t.deepEqual(renderPage('[x](#y)').slots, [{ kind: 'link', url: '#y', line: 1 }]);
});

test('absolute links become none and tell the other side nothing', (t) => {
  const page = renderPage('[a](https://x.example/) [b](//x.example) [c](mailto:a@b.example)');
  t.deepEqual(page.slots, []);
  t.is(page.html.match(/rel="noreferrer"/g)?.length, 2);
});

test('slot addresses are decoded, except where that would change them', (t) => {
  const urls = renderPage('[a](<x y.md>) [b](%E4%B8%AD.md) [c](a%23b%25.md) [d](ä&amp;b.md)').slots.map(
    (slot) => slot.url,
  );
  t.deepEqual(urls, ['x y.md', '中.md', 'a%23b%25.md', 'ä&b.md']);
});

test('script addresses are no links', (t) => {
  t.is(renderPage('[x](javascript:alert(1))').html, '<p>[x](javascript:alert(1))</p>');
  t.is(renderPage('[x](data:text/html,x)').html, '<p>[x](data:text/html,x)</p>');
});

test('addresses in raw HTML become slots with their lines', (t) => {
  const page = renderPage(
    '<p>\n<a href="a&amp;b.md">x</a>\n<img src=\'i.png\' srcset="s.png 1x, t.png 2x">\n<video src="v.mp4" poster="p.png"></video></p>\n\nin <a href="c">l</a>',
  );
  t.deepEqual(page.slots, [
    { kind: 'link', url: 'a&b.md', line: 2 },
    { kind: 'image', url: 'i.png', line: 3 },
    { kind: 'image', url: 's.png', line: 3 },
    { kind: 'image', url: 't.png', line: 3 },
    { kind: 'image', url: 'v.mp4', line: 4 },
    { kind: 'image', url: 'p.png', line: 4 },
    { kind: 'link', url: 'c', line: 6 },
  ]);
});

test('images load late', (t) => {
  t.is(
    renderPage('![a *b*](c "d")').html,
    '<p class="pictures"><img src="{c}" alt="a b" title="d" decoding="async" loading="lazy"></p>',
  );
});

test('a paragraph of pictures, also linked ones, is told from one with text', (t) => {
  for (const text of ['![a](b.png)', '![a](b.png)\n![c](d.png)', '[![a](b.png)](e.md) ![c](d.png)']) {
    t.regex(renderPage(text).html, /^<p class="pictures">/, text);
  }
  for (const text of [
    '![a](b.png) text',
    'text [![a](b.png)](e.md)',
    '[text](e.md)',
    '`c` ![a](b.png)',
    '- ![a](b.png)',
  ]) {
    t.notRegex(renderPage(text).html, /pictures/, text);
  }
});
