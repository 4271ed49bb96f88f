import { BuildError } from '../../builder/build-error.ts';
import { createRenderer } from '../../builder/markdown/create-renderer.ts';
import { describeDraft, fillCodeSlots } from '../../builder/markdown/draft.ts';
import { readSections } from '../../builder/markdown/draft-sections.ts';
import { openDocument } from '../../builder/markdown/html/open-document.ts';
import { findJsonStrings, findScriptImports } from '../../builder/markdown/html/script-imports.ts';
import { findIncludes } from '../../builder/markdown/include/include-references.ts';
import { dependsOnGenerator } from '../../builder/markdown/page/dialect.ts';
import type { Generator, MarkdownOptions } from '../../builder/model.ts';
import { encodePageEntry } from '../../builder/search/page-entry.ts';
import { readDataConfig } from '../../builder/source/foreign-settings/config-values.ts';
import { describeSite } from '../../builder/source/generators/describe-site.ts';
import { parseConfig, readTsconfigPaths } from '../../builder/source/generators/parse-config.ts';
import { readContentsLinks } from '../../builder/source/navigation/contents.ts';
import { readCategory } from '../../builder/source/navigation/docusaurus.ts';
import { findNavigationFormat } from '../../builder/source/navigation/formats.ts';
import { readSummary } from '../../builder/source/navigation/summary.ts';
import { readPageMeta } from '../../builder/source/pages/page-meta.ts';
import { readDrawing } from '../../builder/source/pages/read-drawing.ts';
import { parseProjectFile } from '../../builder/source/project-file.ts';
import { decodeText } from '../../builder/source/text/decode-text.ts';
import { locateFrontMatter, splitFrontMatter } from '../../builder/source/text/front-matter.ts';
import { countTerms, eachWord } from '../../lib/search-terms.ts';
import type { Reader } from './shapes.ts';

const GENERATORS: readonly (Generator | undefined)[] = [
  ...[undefined, 'docsify', 'docusaurus', 'hexo', 'hugo', 'jekyll', 'mdbook', 'mkdocs', 'starlight'],
  ...['vitepress', 'vuepress', 'zola'],
] as (Generator | undefined)[];

const OPTIONS: MarkdownOptions = { html: 'raw', emoji: true, math: true, mermaid: true, allowedHosts: [] };

const PLAIN = [
  'a',
  'B',
  '1',
  ' ',
  '  ',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\n    ',
  'x y',
  '#',
  '\\',
  '"',
  "'",
  '-',
  '\u00a0',
  'ä',
  '中',
  'ก',
  '😀',
  '\0',
];

const MARKDOWN = [
  ...PLAIN,
  ...[
    '*',
    '**',
    '_',
    '__',
    '~',
    '~~',
    '==',
    '++',
    '^',
    '`',
    '``',
    '```\n',
    '```js\n',
    '~~~\n',
    '```mermaid\n',
    '<<< a.md\n',
  ],
  ...[
    '[',
    ']',
    '![',
    '](',
    '](b)',
    ')',
    '(',
    '[a]',
    '[a№]',
    '[a№]: /b№\n',
    '[a]: /b\n\n',
    '[^a№]',
    '[^a№]: x\n\n',
    '^[',
    '[[a]]',
    '[a][b№]',
  ],
  ...[
    '# ',
    '## a\n\n',
    '# a№\n\n',
    'a\n===\n',
    '---\n',
    '> ',
    '- ',
    '* ',
    '1. ',
    '- [ ] ',
    ': a\n',
    '\n: ',
    '\\\n',
    '|',
    '|a|b|\n',
    '|-|-|\n',
  ],
  ...[
    '::: tip\n',
    '::: code-group\n',
    '::: v-pre\n',
    '::: raw\n',
    '::: tabs\n',
    '::: a№\n',
    ':::\n',
    '::::\n',
    '@tab a\n',
    ':::: a\n',
    '== a\n',
  ],
  ...[
    '!!! note\n',
    '!!! note\n    ',
    '??? a\n',
    '=== "a"\n',
    '=== "a"\n    ',
    '> [!NOTE]\n',
    '!INCLUDE',
    '--8<-- "a.md"\n',
    '{!a.md!}',
    '<!--@include: a.md-->\n',
    '{{#include a.md}}',
  ],
  ...[
    '<',
    '>',
    '<b>',
    '</b>',
    '<div>',
    '</div>',
    '<div>\n\n',
    '</div>\n\n',
    '<a href="',
    '<A>',
    '</A>',
    '<A a={',
    '/>',
    '<!--',
    '-->',
    '<?',
    '<script>',
    '</script>',
    '<style>',
    '<p>',
    '<details>',
    '<table><tr><td>',
    '<svg>',
    '<img src=a>',
    '<T a="b">\n',
  ],
  ...[
    '{',
    '}',
    '{.a}',
    '{#a№}',
    '{: .a}',
    '{%',
    '%}',
    '{% a %}\n',
    '{% raw %}',
    '{% enda %}',
    '{{',
    '}}',
    '{{< a >}}',
    '{{< /a >}}',
    '{{% a %}}',
    '{/*',
    '*/}',
    'import a from "a"\n',
    'export const a = ',
    '{a}',
  ],
  ...[
    '$',
    '$$',
    '$$\n',
    '\\(',
    '\\[',
    '$a$',
    '\\frac{',
    '\\begin{a}',
    '\\end{a}',
    '\\ref{a}',
    '\\label{a}',
    '^{',
    '_{',
    '\\left(',
    '\\sqrt',
  ],
  ...[
    ':a:',
    ':smile:',
    '://',
    'http://a.b/',
    'www.a.b',
    'a@b.c',
    '&',
    '&amp;',
    '&#',
    '&a',
    '*[a№]: b\n',
    'HTML',
    '[toc]\n\n',
    '[[toc]]\n\n',
  ],
  ...[
    '```{note}\n',
    '```{tab-set}\n',
    '(a)=\n',
    '{ref}`a`',
    '{kbd}`',
    ':::{note}\n',
    ':a: b\n',
    '%a\n',
    '.. a::\n',
    '?> a\n',
    '!> a\n',
    '[a](b ":include")\n',
    '<!-- tabs:start -->\n',
    '<!-- tabs:end -->\n',
    '#### **a**\n',
  ],
];

const YAML = [
  ...PLAIN,
  ...[
    ': ',
    ':\n',
    'a: b\n',
    'a№: b\n',
    'a№: &a№\n',
    '  a№: b\n',
    '- ',
    '- a\n',
    '? ',
    '? a\n',
    '[',
    ']',
    '{',
    '}',
    ',',
    '[a№,',
    '{a№: ',
    '&a',
    '&a№ ',
    '*a',
    '*a ',
    '*a,',
    '*a№,',
    '<<: *a\n',
    '! ',
    '!a ',
    '!!map ',
    '!ENV ',
  ],
  ...[
    '|\n',
    '>\n',
    '  a\n',
    '|2\n',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '%',
    '@',
    '#',
    ' # a\n',
    '# a\n',
    'null',
    'true',
    '1e9',
    '0x1',
    '2001-01-01',
    '~',
    '"a": 1,\n',
    '"',
    '\\u0041',
    '\\x',
    "''",
  ],
  ...[
    'redirects:\n',
    '  /a№: /b\n',
    'nav:\n',
    '  - a№: b.md\n',
    '  - a№:\n',
    'title: ',
    'refs: ',
    'exclude:\n',
    '  - a*\n',
    'markdown: {',
    'INHERIT: a.yml\n',
    'plugins:\n',
    'aliases:\n',
    '  - /a№\n',
  ],
];

const TOML = [
  ...PLAIN,
  ...[
    'a = 1\n',
    'a№ = 1\n',
    '[a]\n',
    '[a№]\n',
    '[[a]]\n',
    '[[a.b]]\n',
    '[a.b№]\n',
    'a.',
    'a№.',
    '= ',
    '= [',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    '"""',
    "'''",
    '\\u0041',
    '1979-05-27',
    '1_',
    '0x',
    '#',
    'true',
    'inf',
    '= {a=',
    'a.b№ = 1\n',
  ],
];

const SCRIPT = [
  ...PLAIN,
  ...[
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ',',
    ';\n',
    ': ',
    '.',
    '...',
    '...a',
    '?',
    '!',
    '+',
    '- ',
    '=> ',
    '= ',
    '`',
    '${',
    '/',
    '/*',
    '*/',
    '//',
    '<',
    '>',
    '<a>',
    '`a`',
    '/a/g',
    '?.',
    '??',
    '||',
    '&&',
  ],
  ...[
    'const a = ',
    'const a№ = ',
    'a№',
    'a№,',
    'export default ',
    'export default {',
    'module.exports = ',
    'import a from "./a"\n',
    'import a№ from "./a№"\n',
    'export * from "./a№"\n',
    'require("./a№")',
    'function a() {',
    'return ',
    'class A {',
    'as const',
    'async ',
    'await ',
    'new ',
    'typeof ',
  ],
  ...[
    'themeConfig: {',
    'sidebar: [',
    'sidebar: {',
    '"/a№/": [',
    'items: [',
    '{text: "a", link: "/b№"},',
    'defineConfig(',
    'nav: [',
    'base: "',
    'a№: {',
    '"a№",',
    "'a',",
    'locales: {',
    'alias: {',
    'label: "a", items: [',
  ],
];

const MARKUP = [
  ...PLAIN,
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<a',
    ' href="',
    " src='",
    ' srcset="',
    'a 1x, ',
    ' style="',
    'url(',
    ')',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE a [',
    '<!ENTITY a "',
    '&a;',
    '&amp;',
    '<?xml ',
    '?>',
    '<base href=a>',
    '<svg>',
    '</svg>',
    '<g>',
    '</g>',
    '<path d="',
    '<title>',
    '<textarea>',
    '<img a№=b ',
  ],
  ...[
    '@import "a";',
    '@import url(',
    '@font-face{',
    'a{b:c}',
    '{',
    '}',
    '/*',
    '*/',
    ';',
    ':',
    'image-set(',
    '"a"',
    '\\',
    'import "a";',
    'import(',
    'from ',
    '`',
    '${',
  ],
];

/** Returns whether a text was refused, with its line; throws what no person may be told. */
async function tell(read: () => unknown): Promise<boolean> {
  try {
    await read();
    return false;
  } catch (error) {
    const isForeseen = error instanceof BuildError && /^page-(?:limit|too-slow)$/.test(error.code);
    if (!isForeseen) throw error;
    if (!(error.location.line! > 0)) throw new Error(`The problem has no line: ${error.message}`);
    return true;
  }
}

async function readPage(text: string, choice: number): Promise<void> {
  const generator = GENERATORS[choice % GENERATORS.length];
  const isSafe = (choice >> 4) % 3 === 0;
  const mdx = (choice >> 4) % 5 === 1;
  findIncludes(text);
  dependsOnGenerator(text);
  readContentsLinks(text);
  const { body, firstLine, data } = await splitFrontMatter(text);
  readPageMeta(data, generator);
  const draft = createRenderer({ ...OPTIONS, html: isSafe ? 'safe' : 'raw' }).render({
    ...{ text: body, firstLine, generator, mdx, frontMatter: data, title: 'Title', hasLooseLevels: choice % 2 === 0 },
    ...{ pagePath: 'docs/b.md', sourceDir: 'docs/', hasReferences: choice % 7 === 0 },
    includes: new Map([['docs/a.md', text.slice(0, 1_000)]]),
  });
  fillCodeSlots(draft, () => undefined);
  describeDraft(draft);
  const sections = readSections(draft);
  encodePageEntry(sections);
  for (const { heading, text: said } of sections) for (const one of [heading, said]) countTerms(one);
}

async function readNavigation(text: string, choice: number): Promise<void> {
  const generator = GENERATORS[1 + (choice % (GENERATORS.length - 1))]!;
  const site = { generator, home: '', content: 'docs/', languageFolders: new Map() };
  const format = findNavigationFormat(generator);
  const first = format?.listFiles(site)[0];
  if (format && first !== undefined)
    await format.read(first, site, async (path) => (path === first ? text : undefined));
  await describeSite({ generator, home: '', configName: 'config.js', config: text });
}

async function readFrontMatter(text: string): Promise<void> {
  const { data } = await splitFrontMatter(text);
  const lineOf = await locateFrontMatter(text);
  for (const generator of [undefined, 'hugo', 'jekyll'] as const) readPageMeta(data, generator, lineOf);
}

async function readSettings(name: string, text: string): Promise<void> {
  const config = await readDataConfig(name, text);
  if ('reason' in config) return;
  for (const key of config.keys()) config.placeOf(key);
}

/** All that reads texts of authors. */
export const SHAPE_READERS: readonly Reader[] = [
  { name: 'page', signs: MARKDOWN, read: (text, choice) => tell(() => readPage(text, choice)) },
  { name: 'front matter', signs: YAML, read: (text) => tell(() => readFrontMatter(`---\n${text}\n---\n`)) },
  { name: 'TOML', signs: TOML, read: (text) => tell(() => readFrontMatter(`+++\n${text}\n+++\n`)) },
  { name: 'project file', signs: YAML, read: (text) => tell(() => parseProjectFile(text)) },
  {
    name: 'configuration in YAML',
    signs: YAML,
    read: (text, choice) =>
      tell(async () => {
        await parseConfig('_config.yml', text);
        await readSettings('mkdocs.yml', text);
        await readCategory(text);
        const generator = (['mkdocs', 'jekyll', 'hexo'] as const)[choice % 3]!;
        await describeSite({ generator, home: '', configName: 'a.yml', config: text });
      }),
  },
  {
    name: 'configuration in TOML',
    signs: TOML,
    read: (text) =>
      tell(async () => {
        await parseConfig('book.toml', text);
        await readSettings('book.toml', text);
      }),
  },
  {
    name: 'configuration in JSON',
    signs: SCRIPT,
    read: (text) =>
      tell(async () => {
        await readSettings('a.json', text);
        await readTsconfigPaths(text);
      }),
  },
  { name: 'navigation', signs: SCRIPT, read: (text, choice) => tell(() => readNavigation(text, choice)) },
  { name: 'summary', signs: MARKDOWN, read: (text) => tell(() => readSummary(text, 'docs/SUMMARY.md')) },
  {
    name: 'navigation in YAML or Markdown',
    signs: [...YAML, ...MARKDOWN],
    read: (text, choice) => tell(() => readNavigation(text, choice)),
  },
  {
    name: 'markup',
    signs: MARKUP,
    read: (text, choice) =>
      tell(() => {
        openDocument(text, (['html', 'svg', 'css'] as const)[choice % 3]!);
        readDrawing(text);
        findScriptImports(text);
        findJsonStrings(text);
      }),
  },
  {
    name: 'search terms',
    signs: PLAIN,
    read: (text) =>
      tell(() => {
        countTerms(text);
        eachWord(text, () => {});
      }),
  },
  {
    name: 'encoding',
    signs: [...PLAIN, '\xff', '\x80', '\xe4', '\xc3', '\u4e00'],
    read: (text, choice) =>
      tell(() => decodeText(Buffer.from(text, (['latin1', 'utf16le', 'utf8'] as const)[choice % 3]!))),
  },
];
