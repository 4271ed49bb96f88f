import test from 'ava';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const cells = (row: string, generator?: 'mkdocs' | 'jekyll') =>
  [...renderPage(`| a | b |\n|---|---|\n${row}\n`, { generator }).html.matchAll(/<td>(.*?)<\/td>/g)].map(
    ([, cell]) => cell!,
  );

test('a pipe in code ends a cell as on GitHub, unless it is escaped', (t) => {
  t.deepEqual(cells('| `a|b` | c |'), ['`a', 'b`']);
  t.deepEqual(cells('| `a\\|b` | c |'), ['<code>a|b</code>', 'c']);
});

for (const generator of ['mkdocs', 'jekyll'] as const)
  test(`on pages of ${generator} a pipe in code ends no cell, as Python-Markdown and kramdown have it`, (t) => {
    const read = (row: string) => cells(row, generator);
    t.deepEqual(read('| `a|b` | c |'), ['<code>a|b</code>', 'c']);
    t.deepEqual(read('| `a\\|b` | d |'), ['<code>a\\|b</code>', 'd']);
    t.deepEqual(read('| a\\|b | ``x`|y`` |'), ['a|b', '<code>x`|y</code>']);
    t.deepEqual(read('| `open | d |'), ['`open', 'd']);
    t.deepEqual(read('| \\`a | b` |'), ['`a', 'b`']);
    t.deepEqual(read('| `a` | `b|` |'), ['<code>a</code>', '<code>b|</code>']);
    t.deepEqual(read('`||` | `|`'), ['<code>||</code>', '<code>|</code>']);
  });

test('pipes are as written around a table of MkDocs, in quotes, in lists and where it is none', (t) => {
  const { html } = renderPage(
    '`a|b`\n\n> | `x|y` |\n> |---|\n> | `z|` |\n\n- | `1|2` | b |\n  |---|---|\n  | c | d |\n\na `p|q`\n|---|---|\n{: title="`|0|`"}\n\n```\n`c|d`\n|---|\n```\n',
    { generator: 'mkdocs' },
  );
  t.deepEqual(
    [...html.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code]) => code),
    ['a|b', 'x|y', 'z|', '1|2', 'p|q', '`c|d`\n|---|'],
  );
  t.false(html.includes('\0'));
});

test.serial('tables with any number of pipes in code are read in time', (t) => {
  const start = cpuTimeMs();
  for (const text of [
    `a|b\n-|-\n${'`|'.repeat(50_000)}`,
    `a|b\n-|-\n${Array.from({ length: 300 }, (_, at) => '`'.repeat(at + 1)).join('|')}`,
    'a `|`\n-|-\n'.repeat(10_000),
    '`a|b`|c\n-|-\n1|2\n\n'.repeat(2_000),
  ]) {
    renderPage(text, { generator: 'mkdocs' });
  }
  t.true(cpuTimeMs() - start < 8_000);
});
