import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html.replace(/^<p>(.*)<\/p>$/s, '$1');

test('marked text holds Markdown and stands inside of it', (t) => {
  t.is(html('a ==b== c'), 'a <mark>b</mark> c');
  t.is(html('==two words, **bold** and `==`=='), '<mark>two words, <strong>bold</strong> and <code>==</code></mark>');
  t.is(html('**a ==b==**'), '<strong>a <mark>b</mark></strong>');
  t.is(html('这是==重点==内容'), '这是<mark>重点</mark>内容');
  t.is(html('==a=={.red}'), '<mark class="red">a</mark>');
});

test('comparisons are not marks', (t) => {
  for (const text of ['a == b and c == d', 'if a==b or c==d', 'a===b', 'a == b==c', '==', '== a ==', '\\==a==']) {
    t.is(html(text), text.replace('\\', ''), text);
  }
});

test('subscripts and superscripts', (t) => {
  t.is(html('H~2~O, x^2^ and Ca^2+^'), 'H<sub>2</sub>O, x<sup>2</sup> and Ca<sup>2+</sup>');
  t.is(html('a~*i*~ 10^-3^ e^x+1^'), 'a<sub><em>i</em></sub> 10<sup>-3</sup> e<sup>x+1</sup>');
  t.is(html('1^er^ étage, x^a\\^b^, x~a\\~b~'), '1<sup>er</sup> étage, x<sup>a^b</sup>, x<sub>a~b</sub>');
  t.is(html('**x^2^** [x^2^](https://a.example)').match(/<sup>2<\/sup>/g)!.length, 2);
  t.is(html('a^(1)^ a^*^ H^+^'), 'a<sup>(1)</sup> a<sup>*</sup> H<sup>+</sup>');
});

test('strikethrough stays what it is', (t) => {
  t.is(html('~~a~~'), '<s>a</s>');
  t.is(html('~~a ~ b~~'), '<s>a ~ b</s>');
  t.is(html('~~H~2~O~~'), '<s>H<sub>2</sub>O</s>');
});

test('tildes and carets of prose stay', (t) => {
  for (const text of [
    'a ~ b ~ c',
    'a ~100 and ~200',
    'PATH=~/bin:~/sbin',
    '~10-~20, ~5–~10',
    '~~~a',
    'x^2+y^2=z^2',
    'x^n+y^n',
    '^1.0.0||^2.0.0 and ^18,^20',
    'a ^ b ^ c',
    '2^10 and 2^20',
    'thanks ^_^ and ^-^',
    'a~b',
    '\\~a~',
    '~/a',
  ]) {
    t.is(html(`x ${text}`), `x ${text.replace('\\', '')}`, text);
  }
});

test('footnotes keep their carets', (t) => {
  const page = html('A^[one]^[two] x[^a]^[b]\n\n[^a]: Note.');
  t.is(page.match(/<sup class="footnote-ref">/g)!.length, 4);
  t.false(page.includes('<sup>'));
});

test('keys are named as on a keyboard', (t) => {
  t.is(html('++ctrl+alt+del++'), '<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd>');
  t.is(html('++page-up++ ++arrow-left++ ++f5++'), '<kbd>Page Up</kbd> <kbd>←</kbd> <kbd>F5</kbd>');
  t.is(html('按++cmd+"v"++键 ++ctrl+"+"++'), '按<kbd>Cmd</kbd>+<kbd>v</kbd>键 <kbd>Ctrl</kbd>+<kbd>+</kbd>');
  t.is(html('++"<b>"++'), '<kbd>&lt;b&gt;</kbd>');
});

test('plus signs of prose stay', (t) => {
  for (const text of [
    'C++ and C++',
    'C++/C++',
    'i++ + j++',
    'a++b++',
    '++ a ++',
    '++++',
    '\\++a++',
    '++a',
    '++i;++j',
  ]) {
    t.is(html(text), text.replace('\\', ''), text);
  }
});

test('code and URLs hold no marks', (t) => {
  const text = '`==a== x^2^ H~2~O ++a++` <https://a.example/~b/~c> https://a.example/x^2^?a==b==';
  t.notRegex(html(text), /<(?:mark|su[bp]|kbd)>/);
});

test('marks are read whatever generator the page was written for', (t) => {
  const text = '==a== x^2^ H~2~O ++ctrl++';
  const generators: readonly Generator[] = ['docusaurus', 'hugo', 'jekyll', 'mkdocs', 'vitepress'];
  for (const generator of generators) t.is(renderPage(text, { generator }).html, renderPage(text).html);
});

test('headings take their text and id without the signs', (t) => {
  const [heading] = renderPage('## ==New==: H~2~O and ++f1++').headings;
  t.is(heading!.text, 'New: H2O and F1');
  t.is(heading!.id, 'new-h2o-and-f1');
});

test('a page that trusts no HTML keeps its marks', (t) => {
  const page = renderPage('<b>x</b> ==a== x^2^ H~2~O ++ctrl++', {}, { html: 'safe' }).html;
  t.true(page.endsWith('<mark>a</mark> x<sup>2</sup> H<sub>2</sub>O <kbd>Ctrl</kbd></p>'), page);
});

test('abbreviations explain themselves where they stand as words', (t) => {
  const page = renderPage('HTML, XHTML and *HTML*s: W3C `HTML`.\n\n*[HTML]: Hyper "Text"\n*[W3C]: Consortium').html;
  t.is(page.match(/<abbr title="Hyper &quot;Text&quot;">HTML<\/abbr>/g)!.length, 2);
  t.true(page.includes('<abbr title="Consortium">W3C</abbr> <code>HTML</code>'));
  t.false(page.includes('*['));
});

test('abbreviations are found beside characters that need no spaces', (t) => {
  const page = renderPage('中文HTML的，HTML5，人大和全国人大。\n\n*[HTML]: a\n*[人大]: b').html;
  t.is(
    page,
    '<p>中文<abbr title="a">HTML</abbr>的，HTML5，<abbr title="b">人大</abbr>和全国<abbr title="b">人大</abbr>。</p>',
  );
});
