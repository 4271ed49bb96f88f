import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { changesAllPages, dependsOnGenerator } from '../../../../builder/markdown/page/dialect.ts';
import fc from '../../../helpers/fast-check.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const generators: readonly Generator[] = [
  'docsify',
  'docusaurus',
  'hugo',
  'jekyll',
  'mdbook',
  'mkdocs',
  'starlight',
  'vitepress',
  'vuepress',
  'zola',
];

const parts = [
  ...[
    'a',
    'b c',
    ' ',
    '\n',
    '\n\n',
    '    ',
    '\t',
    '--',
    '---',
    ' -- ',
    '|',
    ':',
    '> ',
    '- ',
    '1. ',
    '# ',
    '*',
    '_',
    '`',
    '```',
    '```rust',
    '```js\n',
    '```js\n/// file: a\n+++b+++ ---c---\n',
    '```ts\n@@filename(a)\n@@switch\n',
    '|',
    '|-|',
  ],
  ...[
    '[a](b)',
    '[a]',
    '![a](@/b)',
    '[a]: b',
    '"',
    "'",
    '(',
    ')',
    '!',
    ':',
    ':::',
    '::: a',
    '::: tip',
    ':::note',
    '::: a.b',
    '=',
  ],
  ...[
    '==',
    '==a==',
    '+',
    '++a++',
    '^',
    'x^2^',
    '^^a^^',
    '~',
    'H~2~O',
    '$',
    '$a$',
    '$$',
    '$$a$$',
    '{',
    '}',
    '{{ a }}',
    '{% a %}',
    '{{< a >}}',
    '{.a}',
  ],
  ...[
    '{#a}',
    '{a}',
    '<',
    '<b>',
    '</b>',
    '<A>',
    '</A>',
    '<A />',
    '<!-- a -->',
    'import a from "b"',
    'export const a = 1',
  ],
  ...[
    '!!! note',
    '=== "a"',
    '--8<-- "a"',
    '// highlight-next-line',
    '# a',
    '## a',
    ':material-a:',
    ':a:',
    '/// a',
    '*[a]: b',
  ],
  ...['# 标题', '제목', 'ガ', '&#x6807;', 'µ', 'é', '\n===\n', '\n---\n'],
];

test('a page that depends on no generator is the same for all of them', (t) => {
  let independent = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 }), (chosen) => {
      const text = chosen.join('');
      if (dependsOnGenerator(text)) return;
      independent++;
      const plain = renderDraft(text);
      for (const generator of generators) t.deepEqual(renderDraft(text, { generator }), plain, generator);
    }),
    { numRuns: 2_000 },
  );
  t.true(independent > 250, `${independent} pages`);
});

test('a page in which generators differ depends on them', (t) => {
  const differ: readonly (readonly [Generator, string])[] = [
    ['docusaurus', '<div>\n**a**\n</div>'],
    ['docusaurus', 'a\n\n    b'],
    ['hugo', '`{{</* a */>}}`'],
    ['jekyll', '{{ a }}'],
    ['jekyll', 'a $$b$$'],
    ['mdbook', '```rust\n# a\n```'],
    ['mkdocs', '^^a^^'],
    ['mkdocs', '::: a'],
    ['mkdocs', '# 标题'],
    ['mkdocs', 'a 标题\nb\n==='],
    ['vitepress', '- # 제목'],
    ['vitepress', '{{ a }}'],
    ['zola', '{{ a() }}'],
  ];
  for (const [generator, text] of differ) {
    t.not(renderPage(text, { generator }).html, renderPage(text).html, text);
    t.true(dependsOnGenerator(text), text);
  }
});

test('changesAllPages() says that in Hexo all headings have ids of their own', (t) => {
  t.deepEqual(renderPage('# Aa\n', { generator: 'hexo' }).ids, ['aa', 'Aa']);
  t.true(changesAllPages('hexo'));
  t.deepEqual([...generators, undefined].filter(changesAllPages), []);
});
