import test from 'ava';
import { describeDraft, fillCodeSlots } from '../../../builder/markdown/draft.ts';
import { renderDraft } from './render-page.ts';

test('fillCodeSlots() puts highlighted lines into their spans', (t) => {
  const draft = renderDraft('```js{2}\na\nb\n```');
  const html = fillCodeSlots(draft, () => '<i>a</i>\n<i>b</i>');
  t.true(html.includes('<code><i>a</i>\n<span class="line highlighted"><i>b</i></span></code>'));
});

test('fillCodeSlots() escapes code that is not highlighted', (t) => {
  t.true(fillCodeSlots(renderDraft('```\n<a> & "b"\n```'), () => undefined).includes('&lt;a&gt; &amp; "b"'));
});

test('fillCodeSlots() numbers link slots anew in the order of the page', (t) => {
  const draft = renderDraft('[a](b)\n\n```js\nx\n```\n\n<p><a href="c">d</a></p>\n\n[e](f)');
  const html = fillCodeSlots(draft, () => 'x');
  const { slots } = describeDraft(draft);
  t.deepEqual(
    slots.map((slot) => slot.url),
    ['b', 'c', 'f'],
  );
  t.deepEqual(
    html.split('\0').filter((_, index) => index % 2 === 1),
    ['0', '1', '2'],
  );
});

test('fillCodeSlots() asks with the block of each slot', (t) => {
  const asked: unknown[] = [];
  fillCodeSlots(renderDraft('```JS\nx\n```\n\n    y'), (block) => {
    asked.push(block);
    return undefined;
  });
  t.deepEqual(asked, [
    { language: 'js', text: 'x' },
    { language: '', text: 'y' },
  ]);
});
