import test from 'ava';
import { escapeHtml, escapeText } from '../../lib/html-text.ts';

test('escapeHtml() escapes what ends a text or an attribute between double quotes, and nothing else', (t) => {
  t.is(escapeHtml(`<a href="x?a&b">it's\u00a0é</a>`), `&lt;a href=&quot;x?a&amp;b&quot;&gt;it's\u00a0é&lt;/a&gt;`);
  t.is(escapeHtml('&amp;'), '&amp;amp;');
  t.is(escapeHtml(''), '');
});

test('escapeText() leaves quotes as they are', (t) => {
  t.is(escapeText('a["b"] < c && d > e'), 'a["b"] &lt; c &amp;&amp; d &gt; e');
});
