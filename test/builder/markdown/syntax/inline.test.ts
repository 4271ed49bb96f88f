import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;

test('task list has named boxes', (t) => {
  t.is(
    html('- [x] a\n- [ ] b'),
    '<ul>\n<li class="task"><label><input type="checkbox" disabled checked> a</label></li>\n' +
      '<li class="task"><label><input type="checkbox" disabled> b</label></li>\n</ul>',
  );
});

test('table scrolls in a box of its own and aligns by class', (t) => {
  const page = html('| a | b |\n|---|--:|\n| 1 | 2 |');
  t.true(page.startsWith('<div class="table-scroll" tabindex="0"><table>'));
  t.true(page.includes('<td class="align-right">2</td>'));
  t.false(page.includes('style='));
});

test('footnotes go to the end and lead back', (t) => {
  const page = html('A[^x] b[^x] ^[in *line*]\n\n[^x]: Note.');
  t.true(page.includes('A<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>'));
  t.true(page.includes('<a href="#fn1" id="fnref1-1">1</a>'));
  t.regex(
    page,
    /<section class="footnotes" aria-label="Footnotes">\n<ol>\n<li id="fn1"><p>Note\. <a class="footnote-back" href="#fnref1"/,
  );
  t.true(page.includes('<li id="fn2"><p>in <em>line</em>'));
});

test('footnote that nobody refers to is left out', (t) => {
  t.is(html('a\n\n[^x]: Note.'), '<p>a</p>');
});

test('definition list', (t) => {
  t.is(html('Term\n: One\n: Two'), '<dl>\n<dt id="term">Term</dt>\n<dd>One</dd>\n<dd>Two</dd>\n</dl>');
});

test('terms of definition lists have ids from their words, numbered where something else on the page has them', (t) => {
  const terms = html('# Cache\n\nCache\n: x\n\n`a b` c\n: x\n\nOther {#own}\n: x\n\nLast\n: x\n\n<p id="last">y</p>');
  t.deepEqual(
    [...terms.matchAll(/<dt[^>]*>/g)].map(([tag]) => tag),
    ['<dt id="cache-1">', '<dt id="a-b-c">', '<dt id="own">', '<dt id="last-1">'],
  );
  t.true(terms.includes('<p id="last">'));
});

test('strikethrough', (t) => {
  t.is(html('~~a~~'), '<p><s>a</s></p>');
});

test("emoji by GitHub's names, when they are on", (t) => {
  t.is(html(':tada: :+1: :nope: 10:30:20 :constructor:'), '<p>🎉 👍 :nope: 10:30:20 :constructor:</p>');
  t.is(renderPage(':tada:', {}, { emoji: false }).html, '<p>:tada:</p>');
});

test('addresses in text become links, file names do not', (t) => {
  t.is(html('https://a.example/b'), '<p><a href="https://a.example/b" rel="noreferrer">https://a.example/b</a></p>');
  t.is(
    html('(see www.example.com).'),
    '<p>(see <a href="http://www.example.com" rel="noreferrer">www.example.com</a>).</p>',
  );
  t.is(html('README.md'), '<p>README.md</p>');
});
