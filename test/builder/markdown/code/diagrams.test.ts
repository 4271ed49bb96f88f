import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { readSections } from '../../../../builder/markdown/draft-sections.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const code = '<div class="code-block" data-language="mermaid"><pre tabindex="0"><code>a --&gt; b</code></pre></div>';
const diagram = `<div class="diagram" data-label="Diagram"><details open><summary class="diagram-source">Diagram source</summary>\n${code}\n</details></div>`;

test('code in the language mermaid is the source of a diagram', (t) => {
  const page = renderPage('```mermaid\na --> b\n```');
  t.is(page.html, diagram);
  t.deepEqual([page.extras, page.warnings], [['diagrams'], []]);
  const titles = { diagram: 'Bild', diagramSource: 'Quelltext' };
  t.true(
    renderPage('```mermaid title="A & b"\na\n```', { titles }).html.includes(
      'data-label="A &amp; b"><details open><summary class="diagram-source">Quelltext<',
    ),
  );
});

test('other generators write diagrams and formulas as elements', (t) => {
  for (const [text, generator] of [
    ['{{< mermaid >}}\na --> b\n{{< /mermaid >}}', 'hugo'],
    ['{% mermaid %}\na --> b\n{% endmermaid %}', 'jekyll'],
    ['```{mermaid}\na --> b\n```', undefined],
    [':::{mermaid}\na --> b\n:::', undefined],
  ] as const) {
    t.is(renderPage(text, { generator: generator as Generator | undefined }).html, diagram, text);
  }
  t.regex(
    renderPage('{{< katex >}}\nx^2\n{{< /katex >}}', { generator: 'hugo' }).html,
    /^<div class="formula".*<msup>/,
  );
});

test('the source of a diagram can be searched for, and not what stands above it', (t) => {
  t.is(readSections(renderDraft('A\n\n```mermaid\na --> b\n```\n\nB'))[0]!.text, 'A a --> b B');
});

test('diagrams survive when raw HTML is cleaned', (t) => {
  t.is(renderPage('<b>x</b>\n\n```mermaid\na --> b\n```', {}, { html: 'safe' }).html, `<p><b>x</b></p>\n${diagram}`);
});

test('a project may keep diagrams as code', (t) => {
  const page = renderPage('```mermaid\na --> b\n```', {}, { mermaid: false });
  t.is(page.html, code);
  t.deepEqual(page.extras, []);
});
