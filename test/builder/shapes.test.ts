import test from 'ava';
import fc from '../helpers/fast-check.ts';
import { SHAPE_READERS } from '../helpers/shape-readers.ts';
import { findExcess, type Reader, type Shape, shapesOf } from '../helpers/shapes.ts';
import { readTexts } from '../helpers/signs.ts';

const repeated = (unit: string, before = '', after = ''): Shape => ({ kind: 'repeated', before, unit, after });
const halves = (first: string, second: string, before = ''): Shape => ({ kind: 'halves', before, first, second });

/** Wall time of random shapes in CI. */
const CI_MS = 60_000;

/** Choices of a page without a generator, with JSX; of the same with safe HTML; and of MkDocs with references. */
const [ANY, SAFE, MKDOCS] = [24, 0, 91];

/** Texts that have made this renderer, or others like it, take more than linear time when they were repeated. */
const REPEATED = readTexts(`
  [ ![ [a]( [a](<b [^a ^[ ^[a]␣ [^1]:␣x⏎ * **a␣ a**b _a␣ ~~a␣ == ==a␣ a===b␣ ~a ~a␣ ~a\\~ x~ ^a ^a␣ ^[a]^ ++a ++a+ ++"
  ++"a"+ *[a]:␣b⏎ \` \`␣a < <a␣ <a␣x=' <F␣{ <F␣{⏎ <F␣a={" <div> a␣<b> a␣<T>␣ <T>⏎⏎ a␣</b> a␣<b><i></b> <!-- x␣<?
  x␣<![CDATA[ :::␣tip⏎ :::␣foo⏎ ::::␣foo⏎:::⏎ -␣:::␣foo⏎ !!!␣note⏎ ===␣"a"⏎ { *a*{.b *a*{.b} ---␣{.a}⏎ ***{
  -␣a⏎⏎{.x}⏎⏎ a␣{style="width:1px"}⏎⏎ <Tabs␣values={[{ <Tabs␣values={[{label:␣"a",␣value:␣"b"}, #␣a␣{#b}⏎ #␣a⏎ [toc]⏎⏎
  :a: $ $a $a␣ $a$␣ $a$b $a$⏎ $\\f$⏎ $&$⏎ $$a$$␣b⏎ $\\$ $$ $$a $$a$$b $$⏎ $$a⏎ $\`a :aaaaaaaa -␣[␣]␣a⏎ -␣ *␣ 1.␣ |
  |a|⏎ |-⏎ a⏎:␣b⏎⏎ http:// www. www.a.b␣ a@ a@b.c␣ &amp \\ a a␣⏎ \t ⏎ [x]:␣y⏎ [x]:␣y␣" \`\`\`⏎ <<<␣./a.js⏎
  <!--@include:␣x-->⏎ --8<--␣"a"⏎ - >␣[!NOTE]⏎>␣a⏎⏎ <Badge␣text="a"␣/>␣ <style> <script>⏎ x␣<title> <a␣id="x"></a>⏎⏎
  import␣a⏎ \0 ::tip⏎ ::⏎ ::tip⏎#title⏎ ::tip⏎#title⏎a⏎::⏎ :br⏎ ::button{to="a"}⏎a⏎::⏎ ::code-tree⏎ :pm-x{command="a"}⏎
`);
const REPEATED_IN_MKDOCS = readTexts(`
  {! {!a.md {!a.md! {!a.md!} {!a.md[ln: \\{!a.md!} \`{! {*␣a.py␣ {*␣a.py␣hl[ {*␣a.py␣*}⏎ --8<--⏎ --8<--⏎;␣a⏎ ;--8<--⏎
  \`\`\`⏎{!a!}⏎\`\`\`⏎ {%␣include␣"a"␣ \`\`\`⏎{%␣include␣"a [a][ [a][b] x␣[a][b],␣ [a][]␣ [[a][b] [](){␣#a␣}⏎
  :material-a :material-a: :material-check:␣ :material-a:{ [:material-a:](b) |:material-check: \`| \`|\`⏎-|-⏎
  a|\`b|c\`⏎-|-⏎⏎ \`\`|\`␣ {{␣page.x␣}}␣ {{␣page.x {{␣page.x␣|␣upcase␣ \`\`\`␣tab="a"⏎\`\`\`⏎
`);

/** Shapes that have taken more than their share once: the reader, its choice, the shape. */
const FINDS: readonly (readonly [reader: string, choice: number, shape: Shape])[] = [
  ['page', 16, repeated('::: code-group\n')],
  ['page', 16, repeated('::: v-pre\n')],
  ['page', 16, repeated('# a\n\n')],
  ['page', 16, repeated('ก')],
  ['page', 16, repeated('ภาษาไทย')],
  ['page', 16, repeated('_', 'a', 'b')],
  ['page', 16, repeated('?', 'http://a.b/', 'x')],
  ['page', 16, repeated(' ', '# a', 'b')],
  ['page', 17, repeated(' ', '# a', 'b')],
  ['page', 16, repeated(' [', '```js a')],
  ['page', 19, repeated(' ', 'a ', '\\{#b')],
  ['page', 178, repeated('<table><tr><td></div>(a)=\n{{#include a.md}}', '::: a№\n{{< /a >}}')],
  ['page', 16, repeated('<!--@include: a.md-->\n')],
  ['page', 0, repeated('<b class=a№><p>')],
  ['page', 0, repeated('```{note}\n::: a№\n>', '', 'a')],
  ['page', 19, repeated('>=== "a"\n    <title>:a: b\n', '', 'a')],
  ['page', 604, repeated('\n    ', '<script>', ':::::: a№\n')],
  ['page', 1, repeated('import a,\n')],
  ['page', 16, repeated('\t', 'export {}', 'x')],
  ['page', 16, repeated('hl_lines=[', '```js ')],
  ['page', 0, repeated('<div>\n\nexport const a = <A a={')],
  ['front matter', 0, repeated('a№: &a№ [*a]\n', 'a: &a [b]\n')],
  ['front matter', 0, repeated('a№: &a№ [x]\nb№: *a№\n')],
  ['front matter', 0, repeated('a№: b\n')],
  ['front matter', 0, repeated('<<: *a\n', 'a: &a {b: 1}\nc:\n')],
  ['front matter', 0, repeated('/', 'permalink: "a', 'a"')],
  ['configuration in YAML', 740, halves('"', '|2\n')],
  ['configuration in YAML', 0, repeated('*a,', 'a: &a [b]\nc: [', ']')],
  ['project file', 0, repeated('  /a№: /b\n', 'redirects:\n')],
  ['project file', 6, halves('"a": 1,\n\n\n    ', '\n')],
  ['front matter', 6, halves('- a\n  /a№: /b\n  ', ':\n ')],
  ['project file', 6, halves('- a\n  /a№: /b\n  ', ':\n ')],
  ['project file', 972, repeated('? aliases:\n!ENV ')],
  ['navigation', 0, repeated('/', 'export default {themeConfig:{sidebar:[{text:"a",link:"a', 'b"}]}}')],
  ['navigation', 146, repeated('"a№",<a> >', '', 'a')],
  ['navigation in YAML or Markdown', 6, { kind: 'growing', before: '', unit: '[a№,<b>', falls: false, grown: '`' }],
  ['summary', 0, repeated(' ', '# a', 'b')],
  ['markup', 0, repeated(',', '<img srcset="a', 'b">')],
  ['markup', 0, repeated('a:', '<svg><path ')],
  ['encoding', 2, repeated('a', '', '\xe4\xe4\n')],
  ...REPEATED.map((text) => ['page', ANY, repeated(text)] as const),
  ...REPEATED_IN_MKDOCS.map((text) => ['page', MKDOCS, repeated(text)] as const),
  ['page', SAFE, repeated('<div>')],
  ['page', SAFE, repeated('<!--@include: a.md-->\n')],
  ['page', SAFE, repeated('<!--@include: a.md-->\n<div>\n\n')],
  ['page', ANY, repeated('> ')],
  ['page', 1, { kind: 'growing', before: '', unit: '```{tab-set}\n<a href="', falls: false, grown: '> ' }],
  ['page', ANY, repeated('{label: "a", value: "b"},', '<Tabs values={[', ']}>\n</Tabs>')],
  ['page', ANY, repeated('.a #b ', '```js {', '}\nx\n```')],
  ['page', ANY, halves('ins={1-9999} {1-9999} ', 'a\n', '```js ')],
  ['page', ANY, repeated('{1-9,', '```', '\nx\n```')],
  ['page', ANY, repeated('title="', '```js ', '\nx\n```')],
  ['page', ANY, repeated(' ', '```js', 'x\nx\n```')],
  ['page', ANY, repeated('// [!code ++]', '```js\n', '\n```')],
  ['page', ANY, repeated('a // [!code focus:9999]\n', '```js\n', '```')],
  ['page', ANY, halves('1-9999,', '}\na\n', '```js{')],
  ['page', ANY, repeated('<Aside type="a">\n\n<Card title="a">\n<CARD title="a">\n<Tabs>\n')],
  ['page', ANY, repeated('import(/* ', '<script>', '\n</script>')],
  ['page', ANY, repeated('a ,', '<img srcset="', '">')],
  ['page', ANY, repeated('[^a.', '[^1]: x\n\n')],
  ['page', ANY, repeated('+.a///😀')],
  ['page', ANY, repeated('  ::: foo\n', '- a\n')],
  ['page', ANY, halves('==a ', 'b==')],
  ['page', ANY, repeated('~^==a==^~')],
  ['page', ANY, halves('*[a b]: c\n', 'a ')],
  ['page', ANY, halves('[^a]*', '[!NOTE]*[a]: b\n')],
  ['page', ANY, halves('$a$ ', '\\ref{a} ')],
  ['page', 993, halves('^[', '<!--@include: a.md-->\n', 'a')],
];

for (const [name, choice, shape] of FINDS) {
  test.serial(`a text costs what it is long: ${name} ${choice}, ${JSON.stringify(shape)}`, async (t) => {
    const reader = SHAPE_READERS.find((one) => one.name === name)!;
    t.deepEqual(await findExcess(reader, shape, { choice }), undefined);
  });
}

const refuseExcess = async (reader: Reader, shape: Shape, choice: number): Promise<void> => {
  const costs = await findExcess(reader, shape, { choice });
  if (costs) throw new Error(costs.map(({ ms, length }) => `${length} characters: ${Math.round(ms)} ms`).join(', '));
};

// In CI others each time, as many as a minute holds; elsewhere the same few.
if (process.env.CI === 'true') {
  test.serial(
    'whatever shape a text has, it costs what it is long, or is refused with its line: for a minute',
    async (t) => {
      t.timeout(4 * CI_MS);
      const seed = Number(process.env.TEST_SEED) || Date.now() % 2 ** 31;
      let count = 0;
      const shapes = fc.oneof(
        ...SHAPE_READERS.map((reader) => ({
          weight: reader.name === 'page' ? 5 : 1,
          arbitrary: fc.record({
            reader: fc.constant(reader.name),
            shape: shapesOf(reader.signs),
            choice: fc.nat(1_000),
          }),
        })),
      );
      const assertion = fc.assert(
        fc.asyncProperty(shapes, async ({ reader, shape, choice }) => {
          count++;
          await refuseExcess(SHAPE_READERS.find(({ name }) => name === reader)!, shape, choice);
        }),
        { seed, numRuns: 1_000_000, interruptAfterTimeLimit: CI_MS },
      );
      await t.notThrowsAsync(
        assertion,
        `CI=true TEST_SEED=${seed} npx ava dist/test/builder/shapes.test.js tries the same`,
      );
      t.log(`${count} shapes, seed ${seed}`);
      t.true(count > 0);
    },
  );
} else {
  for (const reader of SHAPE_READERS) {
    test.serial(
      `whatever shape a text has, it costs what it is long, or is refused with its line: ${reader.name}`,
      async (t) => {
        await t.notThrowsAsync(() =>
          fc.assert(
            fc.asyncProperty(shapesOf(reader.signs), fc.nat(1_000), (shape, choice) =>
              refuseExcess(reader, shape, choice),
            ),
            { numRuns: reader.name === 'page' ? 250 : 60 },
          ),
        );
      },
    );
  }
}
