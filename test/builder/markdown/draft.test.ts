import test from 'ava';
import { finishFragment } from '../../../builder/markdown/draft.ts';
import { renderDraft } from './render-page.ts';

test('finishFragment() puts highlighted lines into their spans', (t) => {
  const draft = renderDraft('```js{2}\na\nb\n```');
  const { html } = finishFragment(draft, () => '<i>a</i>\n<i>b</i>');
  t.true(html.includes('<code><i>a</i>\n<span class="line highlighted"><i>b</i></span></code>'));
});

test('finishFragment() escapes code that is not highlighted', (t) => {
  t.true(finishFragment(renderDraft('```\n<a> & "b"\n```'), () => undefined).html.includes('&lt;a&gt; &amp; "b"'));
});

test('finishFragment() numbers link slots anew in the order of the page', (t) => {
  const draft = renderDraft('[a](b)\n\n```js\nx\n```\n\n<p><a href="c">d</a></p>\n\n[e](f)');
  const { html, slots } = finishFragment(draft, () => 'x');
  t.deepEqual(
    slots.map((slot) => slot.url),
    ['b', 'c', 'f'],
  );
  t.deepEqual(
    html.split('\0').filter((_, index) => index % 2 === 1),
    ['0', '1', '2'],
  );
});

test('finishFragment() asks with the block of each slot', (t) => {
  const asked: unknown[] = [];
  finishFragment(renderDraft('```JS\nx\n```\n\n    y'), (block) => {
    asked.push(block);
    return undefined;
  });
  t.deepEqual(asked, [
    { language: 'js', text: 'x' },
    { language: '', text: 'y' },
  ]);
});
