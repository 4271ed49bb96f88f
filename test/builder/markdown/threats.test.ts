import { fillCodeSlots } from '../../../builder/markdown/draft.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import test from '../../helpers/serial-test.ts';
import { renderDraft } from './render-page.ts';

const length = 100_000;
const repeat = (text: string, count = length) => text.repeat(Math.ceil(count / text.length)).slice(0, count);

/** Texts of a given length that made this renderer, or others like it, take more than linear time. */
const texts: Readonly<Record<string, (count: number) => string>> = {
  ...Object.fromEntries(
    [
      '[',
      '![',
      '[a](',
      '[a](<b',
      '[^a',
      '^[',
      '^[a] ',
      '[^1]: x\n',
      '*',
      '**a ',
      'a**b',
      '_a ',
      '~~a ',
      '==',
      '==a ',
      'a===b ',
      '~a',
      '~a ',
      '~a\\~',
      'x~',
      '^a',
      '^a ',
      '^[a]^',
      '++a',
      '++a+',
      '++"',
      '++"a"+',
      '*[a]: b\n',
      '`',
      '` a',
      '<',
      '<a ',
      "<a x='",
      '<F {',
      '<F {\n',
      '<F a={"',
      '<div>',
      'a <b>',
      'a <T> ',
      '<T>\n\n',
      'a </b>',
      'a <b><i></b>',
      '<!--',
      'x <?',
      'x <![CDATA[',
      '::: tip\n',
      '::: foo\n',
      ':::: foo\n:::\n',
      '- ::: foo\n',
      '!!! note\n',
      '=== "a"\n',
      '{',
      '*a*{.b',
      '*a*{.b}',
      '--- {.a}\n',
      '***{',
      '- a\n\n{.x}\n\n',
      'a {style="width:1px"}\n\n',
      '<Tabs values={[{',
      '<Tabs values={[{label: "a", value: "b"},',
      '# a {#b}\n',
      '# a\n',
      '[toc]\n\n',
      ':a:',
      '$',
      '$a',
      '$a ',
      '$a$ ',
      '$a$b',
      '$a$\n',
      '$\\f$\n',
      '$&$\n',
      '$$a$$ b\n',
      '$\\$',
      '$$',
      '$$a',
      '$$a$$b',
      '$$\n',
      '$$a\n',
      '$`a',
      ':aaaaaaaa',
      '- [ ] a\n',
      '- ',
      '* ',
      '1. ',
      '|',
      '|a|\n',
      '|-\n',
      'a\n: b\n\n',
      'http://',
      'www.',
      'www.a.b ',
      'a@',
      'a@b.c ',
      '&amp',
      '\\',
      'a',
      'a \n',
      '\t',
      '\n',
      '[x]: y\n',
      '[x]: y "',
      '```\n',
      '<<< ./a.js\n',
      '<!--@include: x-->\n',
      '--8<-- "a"\n',
      '-',
      '> [!NOTE]\n> a\n\n',
      '<Badge text="a" /> ',
      '<style>',
      '<script>\n',
      'x <title>',
      '<a id="x"></a>\n\n',
      'import a\n',
      '\0',
    ].map((text) => [text, (count: number) => repeat(text, count)]),
  ),
  'values of tabs': (count) => `<Tabs values={[${repeat('{label: "a", value: "b"},', count)}]}>\n</Tabs>`,
  'braces of a fence': (count) => `\`\`\`js {${repeat('.a #b ', count)}}\nx\n\`\`\``,
  'settings of a fence': (count) =>
    `\`\`\`js ${repeat('ins={1-9999} {1-9999} ', count / 2)}\n${repeat('a\n', count / 2)}\`\`\``,
  'long fence info': (count) => `\`\`\`${repeat('{1-9,', count)}\nx\n\`\`\``,
  'long fence title': (count) => `\`\`\`js ${repeat('title="', count)}\nx\n\`\`\``,
  'spaces in fence info': (count) => `\`\`\`js${' '.repeat(count)}x\nx\n\`\`\``,
  'notations on one line': (count) => `\`\`\`js\n${repeat('// [!code ++]', count)}\n\`\`\``,
  'notations on many lines': (count) => `\`\`\`js\n${repeat('a // [!code focus:9999]\n', count)}\`\`\``,
  'highlighted lines': (count) => `\`\`\`js{${repeat('1-9999,', count / 2)}}\n${repeat('a\n', count / 2)}\`\`\``,
  'components that are not closed': (count) =>
    repeat('<Aside type="a">\n\n<Card title="a">\n<CARD title="a">\n<Tabs>\n', count),
  'imports of scripts': (count) => `<script>${repeat('import(/* ', count)}\n</script>`,
  srcset: (count) => `<img srcset="${repeat('a ,', count)}">`,
  'footnotes that do not end': (count) => `[^1]: x\n\n${repeat('[^a.', count)}`,
  'addresses without a scheme': (count) => repeat('+.a///😀', count),
  'containers in a list': (count) => `- a\n${repeat('  ::: foo\n', count)}`,
  'marks that open before they close': (count) => repeat('==a ', count / 2) + repeat('b==', count / 2),
  'marks inside superscripts inside subscripts': (count) => repeat('~^==a==^~', count),
  'abbreviations of one word': (count) => `${repeat('*[a b]: c\n', count / 2)}\n${repeat('a ', count / 2)}`,
  'wide table': (count) => `|${repeat('a|', count / 3)}\n|${repeat('-|', count / 3)}\n${repeat('|x|\n', count / 3)}`,
};

/** The same for what is read on sites of MkDocs alone. */
const mkdocsTexts = Object.fromEntries(
  [
    ...[
      '{!',
      '{!a.md',
      '{!a.md!',
      '{!a.md!}',
      '{!a.md[ln:',
      '\\{!a.md!}',
      '`{!',
      '{* a.py ',
      '{* a.py hl[',
      '{* a.py *}\n',
    ],
    ...['--8<--\n', '--8<--\n; a\n', ';--8<--\n', '```\n{!a!}\n```\n', '{% include "a" ', '```\n{% include "a'],
    ...['[a][', '[a][b]', 'x [a][b], ', '[a][] ', '[[a][b]', '[](){ #a }\n'],
    ...[':material-a', ':material-a:', ':material-check: ', ':material-a:{', '[:material-a:](b)', '|:material-check:'],
    ...[
      '`|',
      '`|`\n-|-\n',
      'a|`b|c`\n-|-\n\n',
      '``|` ',
      '{{ page.x }} ',
      '{{ page.x',
      '{{ page.x | upcase ',
      '``` tab="a"\n```\n',
    ],
  ].map((text) => [`${text} of MkDocs`, (count: number) => repeat(text, count)]),
);
const mkdocs = {
  generator: 'mkdocs',
  hasReferences: true,
  pagePath: 'docs/page.md',
  includes: new Map([['docs/a.md', 'a *b*\n']]),
  frontMatter: { x: 'a' },
} as const;

for (const [name, create] of Object.entries({ ...texts, ...mkdocsTexts })) {
  const input = Object.hasOwn(mkdocsTexts, name) ? mkdocs : { mdx: true };
  test(`render() takes no more than linear time for ${JSON.stringify(name)}`, (t) => {
    const measure = (count: number) => {
      const text = create(count);
      const start = cpuTimeMs();
      fillCodeSlots(renderDraft(text, input), () => undefined);
      return cpuTimeMs() - start;
    };
    const tenth = measure(length / 10);
    const whole = measure(length);
    // 100,000 characters take 10 to 300 ms here, twice that in `safe`; what is quadratic takes many seconds, and a hundred times as
    // long as a tenth of them on a slow machine, too.
    t.true(whole < 2_000 || whole < 30 * tenth, `took ${Math.round(whole)} ms`);
  });
}

test('render() survives 10,000 nested quotes', (t) => {
  const start = cpuTimeMs();
  renderDraft(`${'> '.repeat(10_000)}x`);
  t.true(cpuTimeMs() - start < 1_000);
});

test('render() survives 10,000 nested elements when it sanitises', (t) => {
  const start = cpuTimeMs();
  renderDraft('<div>'.repeat(10_000), {}, { html: 'safe' });
  t.true(cpuTimeMs() - start < 2_000);
});
