import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const frontMatter = {
  title: 'Lamp **one**',
  version: '1.10',
  draft: false,
  count: 3,
  'my-key': 'dashed',
  since: { year: 2026, list: ['a', 'b'] },
  link: 'other.md',
  empty: '',
  nothing: null,
  self: '{{ page.title }} {{ self }}',
};
const show = (text: string, generator: Generator, mdx = false) => renderPage(text, { generator, frontMatter, mdx });
const line = (text: string, generator: Generator, mdx = false) =>
  /^<p>(.*)<\/p>$/s.exec(show(text, generator, mdx).html)?.[1];

test('Vue prints values of the front matter as text', (t) => {
  for (const [text, expected] of [
    ['{{ $frontmatter.title }} {{frontmatter.version}}', 'Lamp **one** 1.10'],
    ["{{ $page.frontmatter['my-key'] }} {{ $frontmatter?.since?.year }}", 'dashed 2026'],
    ['{{ $frontmatter.since.list[1] }} {{ $page.title }} {{ $frontmatter.draft }}', 'b Lamp **one** false'],
    [
      "{{ $frontmatter.empty || 'else' }} {{ $frontmatter.none ?? \"none\" }} {{ $frontmatter.count || 'else' }}",
      'else none 3',
    ],
    ['[a]({{ $frontmatter.link }})', '<a href="{other.md}">a</a>'],
    [
      'a <b>{{ $frontmatter.version }}</b> `{{ $frontmatter.version }}`',
      'a <b>1.10</b> <code>{{ $frontmatter.version }}</code>',
    ],
    ['<span v-pre>{{ $frontmatter.version }}</span>', '<span>{{ $frontmatter.version }}</span>'],
  ] as const) {
    for (const generator of ['vitepress', 'vuepress'] as const) t.is(line(text, generator), expected, text);
  }
});

test('what is computed, a list, a map, or not there is left out with a warning', (t) => {
  for (const code of [
    '$frontmatter.none',
    '$frontmatter.since',
    '$frontmatter.title + 1',
    'f($frontmatter.title)',
    '$frontmatter.nothing',
    '$frontmatter.constructor',
    '$frontmattered.title',
    "$frontmatter['title'",
  ]) {
    const { html, warnings } = show(`a {{ ${code} }} b`, 'vitepress');
    t.is(html, '<p>a  b</p>', code);
    t.is(warnings.length, 1, code);
  }
});

test('Jekyll and macros of MkDocs print values before Markdown is read, and not again what these hold', (t) => {
  t.is(
    line('{{ page.title }} {{page.version}} {{- page.my-key -}}', 'jekyll'),
    'Lamp <strong>one</strong> 1.10 dashed',
  );
  t.is(line('{{ page.version | upcase | default: "x" }} {{ page.none | default: "x" }}', 'jekyll'), '1.10 x');
  t.is(
    line('{{ page.meta.title }} {{ page.title | upper }} {{ version }}', 'mkdocs'),
    'Lamp <strong>one</strong> LAMP <strong>ONE</strong> 1.10',
  );
  t.is(line('{{ page.none }} {{ none | default("y") }} {{ page.meta.since.year }}', 'mkdocs'), ' y 2026');
  t.is(line('{{ page.self }}', 'jekyll'), '{{ page.title }} {{ self }}');
  const code = show(
    '```\n{{ page.version }} {{ page.none }}\n```\n\n    {% raw %}{{ page.version }}{% endraw %}\n',
    'jekyll',
  ).html;
  t.regex(code, /<code>1\.10 {{ page\.none }}<\/code>.*<code>{{ page\.version }}<\/code>/s);
});

test('JSX and Hugo print values, too; others do not', (t) => {
  t.is(line('a {frontMatter.version} {frontMatter.since.year}', 'docusaurus'), 'a 1.10 2026');
  t.is(line('a {frontmatter.version}', 'starlight', true), 'a 1.10');
  t.is(line('a {frontMatter.none}', 'docusaurus'), 'a {frontMatter.none}');
  t.is(line('{{< param "Since.Year" >}} {{% param title %}}', 'hugo'), '2026 Lamp <strong>one</strong>');
  t.is(line('{{ page.version }}', 'zola'), '{{ page.version }}');
});

test('a heading has the words of its values', (t) => {
  const { headings, html } = show('# <code>{{ $frontmatter.version }}</code> for lamps', 'vuepress');
  t.deepEqual(headings, [{ level: 1, id: '110-for-lamps', text: '1.10 for lamps' }]);
  t.regex(html, /<h1[^>]*>(?:<span[^>]*><\/span>)?<code>1\.10<\/code> for lamps/);
});

test('hostile expressions and values take no long time', (t) => {
  const start = cpuTimeMs();
  const long = { x: 'a*_`['.repeat(1_000) };
  for (const text of [
    '{{ page.x }}\n\n'.repeat(150),
    `{{ page${'.a'.repeat(3_000)} }}`,
    `{{ page.x ${'| upcase '.repeat(100)} }}`,
    `{{ $frontmatter${"['a']".repeat(90)} }}`.repeat(500),
  ]) {
    for (const generator of ['jekyll', 'vitepress', 'mkdocs'] as const)
      renderPage(text, { generator, frontMatter: long });
  }
  t.throws(() => renderPage('{{ page.x }} '.repeat(20_000), { generator: 'jekyll', frontMatter: long }));
  t.true(cpuTimeMs() - start < 20_000);
});
