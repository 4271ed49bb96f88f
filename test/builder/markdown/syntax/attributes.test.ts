import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;

test('paragraph takes attributes from its end', (t) => {
  t.is(html('Text {.lead #intro lang=de}'), '<p id="intro" lang="de" class="lead">Text</p>');
});

test('inline elements take attributes right behind them', (t) => {
  t.is(html('**b**{.x} `c`{#y}'), '<p><strong class="x">b</strong> <code id="y">c</code></p>');
  t.is(html('[a](b){target="_self"}'), '<p><a href="{b}" target="_self">a</a></p>');
  t.true(html('![a](b){width=300}').includes(' width="300"'));
});

test('list item takes attributes from its end', (t) => {
  t.is(html('- a {.x}\n- b'), '<ul>\n<li class="x">a</li>\n<li>b</li>\n</ul>');
});

test('scripts, styles and addresses are never set', (t) => {
  t.is(html('[a](b){onclick=x .y style="z" href=javascript:x}'), '<p><a href="{b}" class="y">a</a></p>');
});

test('braces in prose stay', (t) => {
  for (const text of ['Set {name}', '{{ x }}', '**a**{b}', 'a {', '`a`{onclick=x}', 'x \\{.a}', '{.a}']) {
    t.is(html(text).replace(/<[^>]+>/g, ''), text.replace(/[*`\\]/g, ''));
  }
});

test('attribute values cannot leave their quotes', (t) => {
  t.is(html("Text {title='\"><script>'}"), '<p title="&quot;&gt;&lt;script&gt;">Text</p>');
});

test('id set on an element is one a link may lead to', (t) => {
  t.deepEqual(renderPage('Text {#here}').ids, ['here']);
});

test('dots belong to an id, except behind a colon, where kramdown has a class', (t) => {
  t.deepEqual(renderPage('## Version 0.7 {#v0.7.0}').ids, ['v0.7.0']);
  t.is(html('Text {#a.b .c}'), '<p id="a.b" class="c">Text</p>');
  t.is(html('Text {:#a.b}'), '<p id="a" class="b">Text</p>');
});

test('lists, tables, quotes and code take attributes from the line below, lists and tables after a blank one, too', (t) => {
  const starts = (text: string) =>
    html(text)
      .replace(/^<div class="table-scroll" tabindex="0">/, '')
      .slice(0, 40);
  for (const space of ['', '\n']) t.regex(starts(`- a\n- b\n${space}{.x}`), /^<ul class="x">/);
  t.regex(starts('1. a\n{.x start=3}'), /^<ol start="3" class="x">/);
  t.regex(starts('| a |\n| - |\n| b |\n\n{.x}'), /^<table class="x">/);
  t.regex(starts('> a\n{.x}'), /^<blockquote class="x">/);
  t.regex(starts('```js\na\n```\n{.x #y}'), /^<div id="y" class="code-block x"/);
  t.is(html('- a\n\n{.x}\nb'), '<ul>\n<li>a</li>\n</ul>\n<p>{.x}\nb</p>');
});

test('cells, terms, lines across the page and fences take attributes', (t) => {
  t.regex(
    html('| a {.x} | b |\n| - | -: |\n| c | d {#y} |'),
    /<th class="x">a<.*<td class="align-right" id="y">d<|<td id="y" class="align-right">d</s,
  );
  t.is(html('Term {#t}\n: Text {.d}'), '<dl>\n<dt id="t">Term</dt>\n<dd class="d">Text</dd>\n</dl>');
  t.is(html('--- {.x}\n\n***{#y}'), '<hr class="x">\n<hr id="y">');
  t.regex(html('```js {.x #y}\na\n```'), /^<div id="y" class="code-block x" data-language="js">/);
  t.regex(html('```{.js .x #y}\na\n```'), /^<div id="y" class="code-block x" data-language="js">/);
  t.deepEqual(renderPage('```js {#y}\na\n```').ids, ['y']);
});

test('sizes in a style become attributes, other styles are left out', (t) => {
  t.regex(
    html('![a](b.png){style="width: 300px; color: red"}'),
    /^<p class="pictures"><img src="{b.png}" alt="a" width="300" decoding/,
  );
  t.regex(html('![a](b.png){ style="max-width:9px;height:50%" }'), /alt="a" height="50%" decoding/);
  t.is(html('[a](b){style="color:red"}'), '<p><a href="{b}">a</a></p>');
});

test('a link opens where links may, and gives its page to nobody', (t) => {
  t.is(html('[a](b){target=_blank rel="nofollow me"}'), '<p><a href="{b}" target="_blank" rel="nofollow me">a</a></p>');
  t.is(html('[a](b){.x target=other rel="opener"}'), '<p><a href="{b}" class="x">a</a></p>');
});

test('braces after a footnote are no attributes of its name', (t) => {
  t.regex(html('a[^1]{.x}\n\n[^1]: b'), /^<p>a<sup class="footnote-ref">/);
});
