import test from 'ava';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const undefinedOnes = (text: string): readonly string[] =>
  renderPage(text)
    .warnings.filter(({ code }) => code === 'undefined-reference')
    .map(({ line, message }) => `${line} ${message}`);

test('references without a definition are reported with their lines, each label once', (t) => {
  const text = [
    'See [the guide][guide] and',
    'the **other [guide][nope]**, [nope][].',
    '',
    '- a',
    '- b [^1] and [the `same`][nope]',
    '',
    '[Guide][] and [nothing here][]',
    '',
    '[guide]: a.md',
  ].join('\n');
  t.deepEqual(undefinedOnes(text), [
    '2 Reference "[nope]" has no definition',
    '5 Reference "[^1]" has no definition',
    '7 Reference "[nothing here]" has no definition',
  ]);
});

test('footnotes with names count where the page has footnotes', (t) => {
  t.deepEqual(undefinedOnes('a[^one] b[^two]\n\n[^one]: One\n'), ['1 Reference "[^two]" has no definition']);
  t.deepEqual(undefinedOnes('the pattern [^abc]'), []);
});

test('footnotes without a definition are reported on pages that have none', (t) => {
  t.deepEqual(undefinedOnes('A\n\nWords[^nofoot] and[^see-below].'), [
    '3 Reference "[^nofoot]" has no definition',
    '3 Reference "[^see-below]" has no definition',
  ]);
  t.deepEqual(undefinedOnes('字[^我的注释]'), ['1 Reference "[^我的注释]" has no definition']);
  t.deepEqual(undefinedOnes('[^aeiou] [^a-zA-Z0-9_] [^A-Z_] [^word]+ [^一-龥] [^0-9a-f]'), []);
});

test('problems in the cells of a table have the lines of their rows', (t) => {
  const text = [
    'First',
    '',
    '| [Head][headref] | B |',
    '|---|---|',
    '| a | $\\frac{a}$ |',
    '| [Cell][cellref] | {{< zz >}} |',
    '| :material-kettle: Tea | [^nofoot] |',
    '',
    '- > | [Nested][nested] |',
    '  > |---|',
    '  > | {% yy %} |',
  ].join('\n');
  t.deepEqual(
    renderPage(text, { generator: 'mkdocs' }).warnings.map(({ line, message }) => `${line} ${message.slice(0, 24)}`),
    [
      '3 Reference "[headref]" ha',
      '5 Formula "\\frac{a}" is sh',
      '6 Shortcode "zz" belongs t',
      '6 Reference "[cellref]" ha',
      '7 Icons such as ":material',
      '7 Reference "[^nofoot]" ha',
      '9 Reference "[nested]" has',
      '11 Tag "{% yy %}" belongs t',
    ],
  );
});

test('brackets of code, patterns, commands and formulas are no references', (t) => {
  for (const text of [
    '`[text][nope]`',
    '    [text][nope]',
    '```\n[text][nope]\n```',
    'list[first][second] and a[i][j] and string[][]',
    '[0][1], [x][y], [][]',
    '\\[text][nope] and [text\\][nope]',
    '[^a-z], [^\\s], [^]',
    '[text] [nope]',
    '<b title="[text][nope]">x</b>',
    '[text](a.md)[1]',
  ]) {
    t.deepEqual(undefinedOnes(text), [], text);
  }
});

test.serial('very many brackets are read in linear time', (t) => {
  const before = cpuTimeMs();
  renderPage('[a b][c '.repeat(20_000));
  renderPage('[aaa][bbb] '.repeat(20_000));
  t.true(cpuTimeMs() - before < 5_000);
});
