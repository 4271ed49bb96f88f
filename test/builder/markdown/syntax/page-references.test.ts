import test from 'ava';
import { fillSlots } from '../../../../builder/plan/asset-reader.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const site = { generator: 'mkdocs', hasReferences: true } as const;
const idsOf = (text: string) =>
  renderPage(text, site)
    .slots.filter(({ kind }) => kind === 'reference')
    .map(({ url }) => url.split('\n'));

test('a reference has the ids that its heading may have', (t) => {
  t.deepEqual(idsOf('[a][the-id]'), [['the-id']]);
  t.deepEqual(idsOf('[Getting *started*!][]'), [['Getting started!', 'getting-started']]);
  t.deepEqual(idsOf('[`pkg.Name`][]')[0]![0], 'pkg.Name');
  t.deepEqual(idsOf('[a\nb][c\nd]'), [['c d', 'c-d']]);
});

test('what has a definition, stands after a word, or is a footnote, a task or code is none', (t) => {
  for (const text of [
    '[a][b]\n\n[b]: c',
    '[a][]\n\n[A]: c',
    'x[a][b]',
    'f()[a][b]',
    '![a][b]',
    '\\[a][b]',
    '`[a][b]`',
    '[a](c)',
    '[a]',
    '[^a][b]',
    '- [ ] [x]',
    '[a][b',
    '[x [a][b]](c)',
    '[a][[b]]',
  ]) {
    t.deepEqual(idsOf(text), text.startsWith('[x') ? [['b']] : [], text);
  }
  t.deepEqual(renderPage('[a][b]', { generator: 'mkdocs' }).slots, []);
});

test('a reference without a heading becomes its text, also where HTML is made safe', (t) => {
  for (const html of ['raw', 'safe'] as const) {
    const draft = renderDraft('<b>x</b> [one *two*][a]{ .c } and [three][b], [four](d.md)', site, { html });
    const kinds = draft.slots.map((slot) => slot.kind);
    t.deepEqual(kinds, ['reference', 'reference', 'link']);
    t.is(
      fillSlots(draft.html, ['', 'x.html#b', 'd.html']).trim(),
      '<p><b>x</b> one <em>two</em> and <a href="x.html#b">three</a>, <a href="d.html">four</a></p>',
    );
  }
});

test.serial('hostile brackets take no long time', (t) => {
  const start = cpuTimeMs();
  for (const text of ['['.repeat(3_000), '[a]['.repeat(20_000), '[a][b] '.repeat(10_000), `[${'a'.repeat(100_000)}][`])
    renderPage(text, site);
  t.true(cpuTimeMs() - start < 10_000);
});
