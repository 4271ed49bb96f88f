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
