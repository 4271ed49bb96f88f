import test from 'ava';
import { createLeadReader } from '../../../builder/markdown/draft-lead.ts';
import { scanHtml } from '../../../builder/markdown/html/scan-html.ts';
import fc from '../../helpers/fast-check.ts';
import { renderDraft } from './render-page.ts';

/** Returns what stands for a page of this text. */
function leadOf(text: string): string {
  const draft = renderDraft(text);
  const reader = createLeadReader(draft.slots);
  scanHtml(draft.html, [reader]);
  return reader.finish();
}

const FIRST = 'The first paragraph says what the page is about.';

for (const [name, text] of [
  ['below the title', `# Title\n\n${FIRST}\n\nAnother one.`],
  ['with markup', '# Title\n\nThe **first** [paragraph](a.md) says `what` the <b>page</b> is about.[^1]\n\n[^1]: No'],
  ['below badges', `# Title\n\n[![Build](b.svg)](b) ![x](y.svg)\n\n${FIRST}`],
  ['below a short line', `# Title\n\n2024-05-31\n\n${FIRST}`],
  ['below a callout', `# Title\n\n::: warning\nThis is not what the page is about at all.\n:::\n\n${FIRST}`],
  ['below an alert', `# Title\n\n> [!NOTE]\n> This is not what the page is about at all.\n\n${FIRST}`],
  ['below code', `# Title\n\n\`\`\`sh\nnpm install what-this-is-not-about --save\n\`\`\`\n\n${FIRST}`],
  [
    'below a list',
    `# Title\n\n- Not what the page is about, at all\n\n  Nor is this, which is long enough.\n\n${FIRST}`,
  ],
  ['below tabs', `# Title\n\n=== "One"\n\n    Not what the page is about, not at all.\n\n${FIRST}`],
  ['in a block of HTML', `<div align="center">\n\n# Title\n\n${FIRST}\n\n</div>`],
  ['in several lines', FIRST.replaceAll(' ', '\n')],
] as const) {
  test(`a page is described by its first paragraph: ${name}`, (t) => {
    t.is(leadOf(text), FIRST);
  });
}

test('a page without a paragraph is described by nothing', (t) => {
  for (const text of [
    '',
    '# Title',
    '# Title\n\n- a\n- b',
    '| a |\n|---|\n| b |',
    '# Title\n\n## More',
    '<p>-- 1 -- 2 -- 3 -- 4 -- 5 -- 6 -- 7 -- 8 --',
  ]) {
    t.is(leadOf(text), '');
  }
});

test('a long paragraph ends with a sentence, else with a word', (t) => {
  const sentence = 'This sentence has some seventy columns, which is what a reader may need.';
  t.is(leadOf(`${sentence} ${'And so on, '.repeat(30)}`), sentence);
  t.is(leadOf(`Short. ${'word '.repeat(60)}`), `Short. ${'word '.repeat(34).trim()}…`);
  t.is(leadOf(`${'word, '.repeat(60)}`), `${'word, '.repeat(29)}word…`);
  t.is(leadOf('中文页面的说明。'.repeat(40)), '中文页面的说明。'.repeat(11));
  t.is(leadOf(`中文${'页'.repeat(400)}`), `中文${'页'.repeat(88)}…`);
});

test('whatever a paragraph is, it becomes one short line of whole signs', (t) => {
  const piece = fc.constantFrom(
    'a',
    'word ',
    '. ',
    '。',
    '页',
    '😀',
    '<b>',
    '</p>',
    '&amp;',
    '\n',
    '$x$',
    '[a](b)',
    '`c`',
    '\u200d',
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const lead = leadOf(pieces.join(''));
        t.true(lead.length <= 400);
        t.notRegex(lead, /[\n\0]|^\s|\s$/);
        t.notRegex(lead, /\p{Surrogate}/u);
      }),
      { numRuns: 100 },
    ),
  );
});
