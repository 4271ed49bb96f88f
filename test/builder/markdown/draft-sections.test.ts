import test from 'ava';
import { readSections } from '../../../builder/markdown/draft-sections.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import { renderDraft } from './render-page.ts';

const read = (text: string) => readSections(renderDraft(text));

test('readSections() divides a page by its headings; the first section is the page’s own', (t) => {
  t.deepEqual(read('# Title\n\nIntro *here*.\n\n## One\n\nText\n\n### Two `x`\n\n- a\n- b\n'), [
    { id: '', heading: 'Title', text: 'Intro here.' },
    { id: 'one', heading: 'One', text: 'Text' },
    { id: 'two-x', heading: 'Two x', text: 'a b' },
  ]);
});

test('readSections() has a first section for a page that begins with a heading of another level', (t) => {
  t.deepEqual(
    read('Before\n\n# Late\n\nText\n').map(({ id, heading }) => [id, heading]),
    [
      ['', ''],
      ['late', 'Late'],
    ],
  );
});

test('readSections() reads code, cells, pictures’ texts and entities, and nothing that the engine adds', (t) => {
  const text =
    '# T\n\n[[toc]]\n\n```ts\nconst a = "<b>" && 1;\n```\n\n|x|y|\n|-|-|\n|1|2|\n\n![A picture](a.png) &amp; note[^1]\n\n[^1]: Foot &lt;note&gt;\n';
  t.is(read(text)[0]!.text, 'const a = "<b>" && 1; x y 1 2 A picture & note Foot <note>');
});

test('readSections() leaves out scripts, styles, comments and what is hidden from readers', (t) => {
  const html =
    '<p>a<script>if (1 < 2) "</p>"</script>b<!-- <p>no</p> -->c<style>x{}</style></p><div aria-hidden="true">no<div>no</div></div>d';
  t.is(readSections({ html, slots: [] })[0]!.text, 'a bc d');
});

test('readSections() joins what stands in a line and parts what does not', (t) => {
  const html = '<p>on<b>e</b> two<br>three</p><ul><li>four</li><li>five</li></ul>';
  t.is(readSections({ html, slots: [] })[0]!.text, 'one two three four five');
});

test('readSections() never throws and ends, whatever the HTML', (t) => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '<p',
      '<p a="',
      '</p>',
      '<h2 id="x">',
      '</h2>',
      '<!--',
      '-->',
      '<script>',
      '</script',
      '\0',
      '1',
      '&',
      '&amp;',
    ],
    ...[' ', 'x', '<svg>', '<a class="anchor">', '</a>'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const sections = readSections({ html: pieces.join(''), slots: [] });
      t.true(sections.length >= 1);
    }),
    { numRuns: 330 },
  );
});

test.serial('readSections() takes linear time for quotes and tags that do not end', (t) => {
  for (const piece of ['<a "', "<a '", '<', '<!--', '<p a="x', '<script>', '<a class="anchor">', '<h2 id="a">']) {
    const html = piece.repeat(200_000 / piece.length);
    const ms = fastestMs(() => readSections({ html, slots: [] }));
    t.true(ms < 3_000, `${piece}: ${ms} ms`);
  }
});

test('readSections() reads a tag of millions of attributes', (t) => {
  const html = `<p>before</p><img ${'a="" '.repeat(3_900_000)}alt="picture"><p>after</p>`;
  t.is(readSections({ html, slots: [] })[0]!.text, 'before picture after');
});
