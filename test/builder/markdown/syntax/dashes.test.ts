import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { renderPage } from '../render-page.ts';

const html = (text: string, generator: Generator | undefined) => renderPage(text, { generator }).html;

for (const generator of ['hugo', 'jekyll', 'mdbook', 'starlight'] as const) {
  test(`${generator}: dashes in text are set, and code, options, lines and tables stay`, (t) => {
    t.is(
      html('- `html` --- renders\n- `md` -- too\n- pages 1--2\n', generator),
      '<ul>\n<li><code>html</code> — renders</li>\n<li><code>md</code> – too</li>\n<li>pages 1–2</li>\n</ul>',
    );
    t.is(
      html('Use --port and `a -- b` --- **b---c**\\\n---- d\n', generator),
      '<p>Use --port and <code>a -- b</code> — <strong>b—c</strong><br>\n---- d</p>',
    );
    t.true(html('A\n\n---\n\nB', generator).includes('<hr>'));
    t.regex(html('| a -- b |\n| --- |\n| c |\n', generator), /<th>a – b<\/th>/);
    t.regex(html('``` sh\na -- b\n```\n', generator), /a -- b/);
  });
}

test('dashes of headings are set in the table of contents, too, and their ids are those of the text as it is written', (t) => {
  const page = renderPage('# T\n\n## A --- b\n', { generator: 'mdbook' });
  t.regex(page.html, /<h2 id="a-----b"[^>]*><span id="a-b"><\/span>A — b <a [^>]*: A — b"/);
  t.deepEqual(
    page.headings.map(({ id, text }) => [id, text]),
    [
      ['t', 'T'],
      ['a-----b', 'A — b'],
    ],
  );
});

test('dashes stay as they are written where the generator sets none', (t) => {
  for (const generator of [undefined, 'mkdocs', 'vitepress', 'docusaurus'] as const) {
    t.is(html('a --- b -- c', generator), '<p>a --- b -- c</p>', generator);
  }
});
