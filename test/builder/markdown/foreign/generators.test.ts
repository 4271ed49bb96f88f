import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Generator } from '../../../../builder/model.ts';
import { renderPage } from '../render-page.ts';

/** The pages stand beside this test's source: each in the shape that its generator's documentation has. */
const folder = fileURLToPath(new URL('../../../../../test/builder/markdown/foreign/pages/', import.meta.url));

interface Case {
  readonly page: string;
  readonly generator: Generator | undefined;
  readonly includes?: Readonly<Record<string, string>>;
  /** Warnings, each with its line. */
  readonly warnings: readonly string[];
}

const leftOut = 'belongs to another generator and was left out';

const cases: readonly Case[] = [
  {
    page: 'docusaurus.mdx',
    generator: 'docusaurus',
    includes: { 'docs/_setup.mdx': 'Install {props.product} *first*.\n' },
    warnings: [`17: "{props.product}" ${leftOut}`, `58: Tag <DocCardList> ${leftOut}`],
  },
  {
    page: 'hugo.md',
    generator: 'hugo',
    includes: { 'docs/_shared/note.md': 'Shared *note*.\n' },
    warnings: [
      `5: Shortcode "param" ${leftOut}`,
      `58: Shortcode "acme/feature" ${leftOut}`,
      `62: Shortcode "acme-chart" ${leftOut}`,
    ],
  },
  {
    page: 'jekyll.md',
    generator: 'jekyll',
    warnings: [
      `33: "{{ site.version }}" ${leftOut}`,
      `53: Tag "{% include %}" ${leftOut}`,
      `79: "{{ site.title }}" ${leftOut}`,
    ],
  },
  {
    page: 'mkdocs.md',
    generator: 'mkdocs',
    includes: { 'config.yml': '# --8<-- [start:main]\na: 1\n# --8<-- [end:main]\n', 'part.md': 'Part **x**.\n' },
    warnings: [
      '5: Icons such as ":material-check:" belong to another generator and were left out',
      `24: "{{ version }}" ${leftOut}`,
      '47: The documentation of "anvil.forge.Hammer" is made by another generator; its name stands here',
    ],
  },
  { page: 'starlight.mdx', generator: 'starlight', warnings: [`38: Tag <Icon> ${leftOut}`] },
  {
    page: 'vitepress.md',
    generator: 'vitepress',
    includes: { 'docs/snippets/a.js': '// #region part\nlet a\n// #endregion part\n', 'docs/b.js': 'let b\n' },
    warnings: [
      `6: "{{ $frontmatter.title }}" ${leftOut}`,
      `10: "{{ count }}" ${leftOut}`,
      `33: Tag <MyButton> ${leftOut}`,
      `35: "{{ n }}" ${leftOut}`,
    ],
  },
  { page: 'vuepress.md', generator: 'vuepress', warnings: [`31: "{{ $page.title }}" ${leftOut}`] },
  {
    page: 'mdbook.md',
    generator: 'mdbook',
    includes: {
      'docs/main.rs': '// ANCHOR: print\nfn main() {}\n// ANCHOR_END: print\nlet second;\n',
      'docs/part.md': 'A *part*.\n',
      VERSION: '1.2\n',
    },
    warnings: [],
  },
  { page: 'zola.md', generator: 'zola', warnings: [`9: "resize_image()" ${leftOut}`] },
  {
    page: 'myst.md',
    generator: undefined,
    warnings: ['40: Directive "automodule" belongs to another generator and was left out'],
  },
];

for (const { page, generator, includes = {}, warnings } of cases) {
  test(`a page of ${page.replace(/\..*/, '')} shows as its generator shows it`, (t) => {
    const text = readFileSync(`${folder}${page}`, 'utf8');
    const rendered = renderPage(text, {
      generator,
      mdx: page.endsWith('.mdx'),
      includes: new Map(Object.entries(includes)),
      pagePath: `docs/${page}`,
      sourceDir: 'docs/',
    });
    const expected = `${folder}${page.replace(/\.mdx?$/, '.txt')}`;
    t.is(rendered.html, readFileSync(expected, 'utf8').trim());
    t.deepEqual(
      rendered.warnings.map(({ line, message }) => `${line}: ${message}`),
      warnings,
    );
  });
}

test("VuePress' tabs of code in small letters hold fences directly below their tags", (t) => {
  const tab = (title: string) =>
    `<code-block title="${title}" active>\n\`\`\`sh\n${title} add\n\`\`\`\n</code-block>\n`;
  const { html, warnings } = renderPage(`<code-group>\n${tab('npm')}\n${tab('pnpm')}</code-group>\n`, {
    generator: 'vuepress',
  });
  t.deepEqual(warnings, []);
  t.is(html.match(/role="tab"/g)?.length ?? html.match(/<input/g)?.length, 2);
  t.regex(html, /<code>npm add<\/code>[\s\S]*<code>pnpm add<\/code>/);
  t.false(html.includes('```'));
});

test('a fence directly below HTML is code to kramdown and to generators of Vue', (t) => {
  const text = '<div>\n<b>x</b>\n</div>\n```html\n<b>y</b>\n```\n\nz\n';
  for (const generator of ['jekyll', 'vuepress'] as const) {
    t.regex(
      renderPage(text, { generator }).html,
      /<\/div>\n<div class="code-block" data-language="html">[\s\S]*<p>z<\/p>$/,
    );
  }
  t.true(renderPage(text).html.includes('```html'), 'as CommonMark has it');
  const pre = '<pre>\n```\nx\n```\n</pre>\n';
  t.is(renderPage(pre, { generator: 'jekyll' }).html, pre.trim());
});

test('an address that holds a value which only another generator knows is left out with a warning', (t) => {
  const jekyll = renderPage('<a href="{{ page.url }}/x" title="T">a</a>\n<img src="{{ user.avatar }}" alt="b">', {
    generator: 'jekyll',
  });
  t.is(jekyll.html, '<p><a title="T">a</a>\n<img alt="b"></p>');
  t.deepEqual(
    jekyll.warnings.map(({ line, code }) => `${line} ${code}`),
    ['1 foreign-syntax', '2 foreign-syntax'],
  );
  const hugo = renderPage('[a][]\n\n[a]: <{{% param repo %}}/x>', { generator: 'hugo' });
  t.is(hugo.html, '<p><a href="">a</a></p>');
  t.is(hugo.warnings[0]?.code, 'foreign-syntax');
});

test('objects of mkdocstrings stand in headings, and plugins are named with hyphens', (t) => {
  const { html, warnings } = renderPage('#### ::: a.b.c\n\n::: mkdocs-click\n    :module: m\n\nx', {
    generator: 'mkdocs',
  });
  t.regex(html, /<h4 id="abc"[^>]*>.*<code>a\.b\.c<\/code>/);
  t.regex(html, /<p><code>mkdocs-click<\/code><\/p>\n<p>x<\/p>$/);
  t.is(warnings.length, 2);
});

test('a listing of a book shows its file and its caption', (t) => {
  const { html, warnings } = renderPage(
    '<Listing number="1-2" file-name="src/main.rs" caption="Hello">\n\n```rust\nfn main() {}\n```\n\n</Listing>',
    { generator: 'mdbook' },
  );
  t.regex(html, /<p class="container-title">src\/main\.rs<\/p>\n<p>Listing 1-2: Hello<\/p>[\s\S]*fn main/);
  t.deepEqual(warnings, []);
});
