import test from 'ava';
import { fromHtml } from 'hast-util-from-html';
import { toHtml } from 'hast-util-to-html';
import { describeDraft, fillCodeSlots } from '../../../builder/markdown/draft.ts';
import fc from '../../helpers/fast-check.ts';
import { renderDraft } from './render-page.ts';

const pieces = [
  '\n',
  '\n\n',
  ' ',
  '    ',
  '- ',
  '1. ',
  '> ',
  '> [!NOTE]\n',
  '# ',
  '---\n',
  '::: tip\n',
  '::: code-group\n',
  ':::\n',
  '!!! note "x"\n',
  '=== "t"\n',
  '```js{1}\n',
  '```',
  '~~~\n',
  '|a|b|\n|-|-|\n',
  '[x](y)',
  '![x](y)',
  '[^1]',
  '[^1]: z\n',
  '^[n]',
  '**',
  '_',
  '`',
  '~~',
  '{#id}',
  '{.c}',
  '[toc]\n',
  ':tada:',
  ': d\n',
  '<div>',
  '</div>',
  '<b>',
  '</b>',
  '<p>',
  '</p>',
  '<Foo a={',
  '}>',
  '</Foo>',
  '<Foo />',
  '<Badge text="t">',
  '</Badge>',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '<title>',
  '<template #x>',
  '</template>',
  '<a href="b">',
  '</a>',
  '<table><tr><td>',
  '</td></tr></table>',
  '<<< @/a.js\n',
  '<!--@include: a.md-->\n',
  '--8<-- "b"\n',
  '\0',
  'word',
  '<',
  '&',
  '"',
];
const page = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));

/** Returns a page in its frame as a browser would have it; the frame ends as written unless the page breaks it. */
const framed = (html: string) => toHtml(fromHtml(`<div>${html}<hr></div><footer>end</footer>`, { fragment: true }));

for (const html of ['raw', 'safe'] as const) {
  test(`render() never throws and never breaks out of the page (${html})`, (t) => {
    t.notThrows(() =>
      fc.assert(
        fc.property(page, (text) => {
          const draft = renderDraft(text, {}, { html });
          const parts = fillCodeSlots(draft, () => undefined).split('\0');
          if (parts.length !== describeDraft(draft).slots.length * 2 + 1) return false;
          return framed(parts.join('x')).endsWith('<hr></div><footer>end</footer>');
        }),
        { numRuns: 1_000, seed: 1 },
      ),
    );
  });
}

test('render() gives the same draft for the same input', (t) => {
  const text = '# A\n\n=== "x"\n    [b](c)\n\n[^1]\n\n[^1]: d';
  t.deepEqual(renderDraft(text), renderDraft(text));
});
