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
