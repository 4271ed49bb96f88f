import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import test from '../../../helpers/serial-test.ts';
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

test('very many brackets are read in linear time', (t) => {
  const before = cpuTimeMs();
  renderPage('[a b][c '.repeat(20_000));
  renderPage('[aaa][bbb] '.repeat(20_000));
  t.true(cpuTimeMs() - before < 5_000);
});
