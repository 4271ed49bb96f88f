import test, { type ExecutionContext } from 'ava';
import type { Warning } from '../../../builder/index.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { inputTest, makeInput } from '../../helpers/reported-inputs.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

interface Built {
  readonly site: TestSite;
  readonly warnings: readonly Warning[];
  /** Returns the text of a page as HTML, without the frame. */
  read(page: string): string;
}

async function build(t: ExecutionContext, repository: string): Promise<Built> {
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository);
  t.deepEqual(errors, []);
  return {
    site,
    warnings,
    read(page) {
      return /<main.*<\/main>/s.exec(site.read(`en/latest/${page}`))![0];
    },
  };
}

const buildInput = (t: ExecutionContext, name: string): Promise<Built> => build(t, makeInput(t, name));

function buildFiles(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<Built> {
  const repository = createRepository(t);
  commitFiles(repository, files);
  return build(t, repository.folder);
}

/** Returns the code blocks of a page as text, lines that are marked with a star before them. */
function listCode(html: string): readonly string[] {
  return [...html.matchAll(/<pre[^>]*>(?:<span class="line-numbers.*?<\/span>)?<code>(.*?)<\/code><\/pre>/gs)].map(
    ([, code]) =>
      code!
        .replaceAll('<span class="line highlighted">', '*')
        .replace(/<[^>]*>/g, '')
        .trimEnd(),
  );
}

const LAMP = 'import lamp\n\n\ndef on():\n    lamp.light()\n\n\ndef off():\n    pass';

inputTest('files are included as by the extensions of Python-Markdown', async (t) => {
  const { read, warnings } = await buildInput(t, 'f15-markdown-include');
  const html = read('index.html');
  t.deepEqual(listCode(html), [
    LAMP,
    LAMP.replace('def on', '*def on').replace('    lamp.', '*    lamp.'),
    'def on():\n*    lamp.light()',
    LAMP.replace('def on', '*def on'),
    'def on():\n    lamp.light()',
  ]);
  t.regex(html, /<p>A shared <strong>part<\/strong>\.<\/p>/);
  t.deepEqual(warnings, []);
});

test('includes of MkDocs are found from base_path, in each language; a missing file is reported', async (t) => {
  const { read, warnings, site } = await buildFiles(t, {
    'docs/en/mkdocs.yml': 'site_name: A\nmarkdown_extensions:\n  mdx_include: {base_path: docs}\n',
    'docs/fr/mkdocs.yml': 'INHERIT: ../en/mkdocs.yml\n',
    'docs/en/docs/index.md':
      '# A\n\n{!part.md!}\n\nOld {!../../../src/v.txt!}, `{!../../../src/v.txt!}`, \\{!part.md!}\n\n* {!part.md!}\n\n{* ../../src/a.py *}\n',
    'docs/fr/docs/index.md':
      '# A\n\n{!part.md!}\n\n{* ../../src/a.py ln[1,3] hl[3] title["a.py"] *}\n\n{* ../../src/a.py ln[0] *}\n\n```\n{!none.py!}\n```\n\n{!no.md!}\n',
    'docs/en/docs/part.md': 'English\n',
    'docs/fr/docs/part.md': 'Français\n',
    'src/v.txt': '1.2',
    'src/a.py': 'a\nb\nc\n',
  });
  const english = read('index.html');
  t.regex(english, /<p>English<\/p>\s*<p>Old 1\.2, <code>1\.2<\/code>, {!part\.md!}<\/p>\s*<ul>\s*<li>English<\/li>/);
  t.deepEqual(listCode(english), ['a\nb\nc']);
  const french = site.list().find((path) => path.endsWith('fr/latest/index.html'))!;
  const html = site.read(french);
  t.regex(html, /<p>Français<\/p>/);
  t.deepEqual(listCode(html), ['a\n…\n*c', 'a\nb\nc', '{!none.py!}']);
  t.regex(html, /<details class="callout details">\s*<summary>a\.py<\/summary>/);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
    [
      'docs/fr/docs/index.md:9 missing-snippet Cannot include "none.py": file does not exist, nor does "docs/fr/docs/none.py"',
      'docs/fr/docs/index.md:13 missing-snippet Cannot include "no.md": file does not exist, nor does "docs/fr/docs/no.md"',
    ],
  );
});

test('snippets of PyMdown are taken in lists, in parts, from base_path, and at the end of each page', async (t) => {
  const { read, warnings } = await buildFiles(t, {
    'mkdocs.yml':
      'site_name: A\nmarkdown_extensions:\n  - abbr\n  - pymdownx.snippets:\n      base_path: [parts, !relative $docs_dir]\n      auto_append: [terms.md]\n      x: !!python/name:a.b\n',
    'docs/index.md': [
      '# A',
      '',
      'The HTML of [x][site].',
      '',
      '--8<--',
      'a.md',
      '; skipped.md',
      '',
      'b.md:2:2',
      '--8<--',
      '',
      ';--8<-- "a.md"',
      '',
      '```',
      '--8<-- "lines.txt:1:2,-1:"',
      '--8<--',
      'lines.txt::1',
      'code.txt:part',
      '--8<--',
      '```',
      '',
    ].join('\n'),
    'parts/a.md': 'From **a**\n',
    'docs/b.md': 'One\nTwo\nThree\n',
    'parts/lines.txt': '1\n2\n3\n4\n',
    'parts/code.txt': 'x\n# --8<-- [start:part]\ny\n# --8<-- [end:part]\nz\n',
    'parts/terms.md': '*[HTML]: Hypertext\n\n[site]: https://example.com\n',
  });
  const html = read('index.html');
  t.regex(html, /<abbr title="Hypertext">HTML<\/abbr> of <a href="https:\/\/example\.com"/);
  t.regex(html, /<p>From <strong>a<\/strong><\/p>\s*<p>Two<\/p>\s*<p>--8&lt;-- &quot;a\.md&quot;<\/p>/);
  t.deepEqual(listCode(html), ['1\n2\n4\n1\ny']);
  t.deepEqual(warnings, []);
});

test('mkdocs.yml is read as MkDocs reads it: keys written twice, tags, defaults of the environment, a file it inherits', async (t) => {
  const { site, warnings, read } = await buildFiles(t, {
    'mkdocs.yml': [
      'INHERIT: conf/base.yml',
      'site_name: !ENV [SITE, "Lamp"]',
      'docs_dir: !ENV [DOCS, manual]',
      'nav:',
      '  - Old: index.md',
      'theme: {name: material}',
      'markdown_extensions:',
      '  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji , emoji_generator: !!python/name:material.extensions.emoji.to_svg}',
      '  - toc: {slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}',
      'nav:',
      '  - index.md',
      '  - The setup: setup.md',
      '  - Parts: parts/',
      '  - Chat: https://chat.example.com/',
      '  - setup.md#first',
    ].join('\n'),
    'conf/base.yml': 'use_directory_urls: false\ntheme: {features: [navigation.indexes]}\nnav: [none.md]\n',
    'manual/index.md': '# Start\n\n[Setup](setup.md)\n',
    'manual/setup.md': 'Only text.\n\n## First\n',
    'manual/parts/b.md': '# B\n',
    'manual/parts/a.md': '# A\n',
  });
  const home = site.read('en/latest/index.html');
  t.regex(home, /<title>Start.*Lamp<\/title>/);
  const sidebar = /<nav id="_sidebar".*?<\/nav>/s.exec(home)![0];
  const titles = [...sidebar.matchAll(/>([^<>\n]+)<\/(?:a|summary|span|button)>/g)].map(([, title]) => title);
  t.deepEqual(titles.slice(0, 6), ['Start', 'The setup', 'Parts', 'A', 'B', 'Chat']);
  t.regex(site.read('en/latest/setup.html'), /<title>The setup/);
  t.regex(read('setup.html'), /<h1[^>]*>The setup</);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
    ['mkdocs.yml:4 navigation Key "nav" is written again in line 10, and only the last one counts: remove one of them'],
  );
});

test('a configuration that cannot be followed is reported, with what is left of it', async (t) => {
  const { site, warnings } = await buildFiles(t, {
    'mkdocs.yml': 'INHERIT: ../outside.yml\nsite_name: Lamp\nnav:\n  - B: b.md\n  - A: index.md\n',
    'docs/index.md': '# Start\n',
    'docs/b.md': '# Bulb\n',
  });
  t.true(site.read('en/latest/index.html').indexOf('>B<') > 0);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
    ['mkdocs.yml:1 navigation "INHERIT" is not followed to "../outside.yml": there is no such file'],
  );
});

test('aliases of VuePress and VitePress lead to folders, in pictures, links and includes', async (t) => {
  const { site, read, warnings } = await buildFiles(t, {
    'docs/.vuepress/config.js': `const path = require('path')
module.exports = {
  configureWebpack: { resolve: { alias: { '@alias': 'shared/images', '@code': path.resolve(__dirname, '../../src') } } },
}`,
    'docs/README.md': [
      '# A',
      '',
      '![](~@alias/a.png) ![](@alias/a.png) ![](~@source/own/b.png) <img src="~@alias/a.png">',
      '',
      '![](/.vuepress/public/c.png) ![](./.vuepress/public/c.png) ![](~@theme/d.png) ![](@vuepress/public/c.png)',
      '',
      '<img :src="$withBase(\'/c.png\')">',
      '',
      '[B](@source/b.md)',
      '',
      '<<< @code/a.js',
      '',
      '@[code](@code/a.js)',
      '',
      '<!-- @include: @source/parts/p.md -->',
      '',
    ].join('\n'),
    'docs/b.md': '# B\n',
    'docs/parts/p.md': 'Part\n',
    'docs/own/b.png': 'b',
    'docs/.vuepress/public/c.png': 'c',
    'docs/.vuepress/theme/d.png': 'd',
    'shared/images/a.png': 'a',
    'src/a.js': 'code\n',
  });
  t.deepEqual(warnings, []);
  const html = read('index.html');
  const pictures = [...html.matchAll(/<img[^>]* src="\.\/([^"]*)"/g)].map(([, url]) => site.read(`en/latest/${url}`));
  t.deepEqual(pictures, ['a', 'a', 'b', 'a', 'c', 'c', 'd', 'c', 'c']);
  t.deepEqual(listCode(html), ['code', 'code']);
  t.regex(html, /<a href="\.\/b\.html">B<\/a>/);
  t.regex(html, /<p>Part<\/p>/);
});

inputTest('fences with titles of tabs that follow each other are one group', async (t) => {
  const { read, warnings } = await buildInput(t, 'f21-fence-tab');
  const groups = read('index.html').split('<div class="tabs code-group"').slice(1);
  t.deepEqual(
    groups.map((group) => [...group.matchAll(/<label[^>]*>([^<]*)</g)].map(([, title]) => title)),
    [['File (TOML)', 'File (YAML)'], ['CLI']],
  );
  t.deepEqual(groups.map(listCode), [['a = 1', 'a: 1'], ['--a=1']]);
  t.regex(groups[0]!, /Text between/);
  t.deepEqual(warnings, []);
});

test('a table of a MkDocs site has the cells that its author sees', async (t) => {
  const files = { 'docs/index.md': '# A\n\nA | B\n--|--\n`x|y` | z\n' };
  const rows = ({ read }: Built) => [...read('index.html').matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell);
  t.deepEqual(rows(await buildFiles(t, { ...files, 'mkdocs.yml': 'site_name: A' })), ['<code>x|y</code>', 'z']);
  t.deepEqual(rows(await buildFiles(t, files)), ['`x', 'y`']);
});

inputTest('values of the front matter are printed where they are asked for', async (t) => {
  const { read, warnings, site } = await buildInput(t, 'f07-frontmatter-in-text');
  const html = read('append.html');
  t.regex(html, /<h1[^>]*><code>append<\/code> for tables/);
  t.regex(html, /<p>Adds a row\. Since 1\.4, 2026\. <\/p>/);
  t.regex(site.read('en/latest/append.html'), /<title>append/);
  t.deepEqual(
    warnings.map(({ file, message }) => `${file} ${message}`),
    ['docs/append.md "{{ $frontmatter.none }}" belongs to another generator and was left out'],
  );
});

inputTest('references lead to headings of other pages', async (t) => {
  const { read, warnings } = await buildInput(t, 'f13-mkdocs-autorefs');
  const links = [...read('index.html').matchAll(/<a href="(\.\/parts[^"]*)">(.*?)<\/a>/g)].map(([, url, text]) => [
    url,
    text,
  ]);
  t.deepEqual(links, [
    ['./parts.html#dimmer', 'the dimmer'],
    ['./parts.html#colour', 'Colour'],
    ['./parts.html#lamp-warm', '<code>warm</code>'],
  ]);
  t.deepEqual(warnings, []);
});

test('references of MkDocs: to this page, to objects, to anchors, in languages; none where nothing has the id', async (t) => {
  const files = {
    'docs/index.md': [
      '# Home',
      '',
      '[own][here], [Part two!][], [`lamp.Bulb`][], [`on`][lamp.Bulb], [x][mark], [y][def] and *[Sub *text*][sub-text]*.',
      '',
      'Text [lost **word**][lamp.none], list[one][here], [a][b c]{ .big }, ![p][here], `[c][here]`.',
      '',
      '| A |',
      '|---|',
      '| [z][sub-text] |',
      '',
      '## Here',
      '',
      '[def]: https://example.com',
    ].join('\n'),
    'docs/sub/page.md':
      '# Page\n\n## Part two!\n\n## Sub *text*\n\n[](){ #mark }\n\n[back][here]\n\n::: lamp.Bulb\n    options: {}\n',
    'docs/sub/page.de.md': '# Seite\n\n## Teil { #part-two }\n\n[zurück][here] [hier][part-two]\n',
  };
  const built = await buildFiles(t, {
    ...files,
    'mkdocs.yml': 'site_name: A\nplugins: {search: , mkdocstrings: {handlers: {}}}\n',
  });
  const list = (html: string) =>
    [...html.replace(/ rel="[^"]*"/g, '').matchAll(/<a (?:class="big" )?href="([^"]*)"[^>]*>((?:(?!<\/a>).)*)<\/a>/g)]
      .map(([, url, text]) => `${url} ${text}`)
      .filter((link) => !link.endsWith('#') && !/(?:Edit|Next|Previous|Page)/.test(link));
  const html = /<article.*<\/article>/s.exec(built.read('index.html'))![0];
  t.deepEqual(list(html), [
    '#here own',
    './sub/page.html#part-two Part two!',
    './sub/page.html#lamp.Bulb <code>lamp.Bulb</code>',
    './sub/page.html#lamp.Bulb <code>on</code>',
    './sub/page.html#mark x',
    'https://example.com y',
    './sub/page.html#sub-text Sub <em>text</em>',
    './sub/page.html#sub-text z',
  ]);
  t.true(
    html.includes('Text lost <strong>word</strong>, list[one][here], a, ![p][here], <code>[c][here]</code>.'),
    html,
  );
  const german = /<article.*<\/article>/s.exec(built.site.read('de/latest/sub/page.html'))![0];
  t.deepEqual(
    list(german),
    ['../index.html#here zurück', '#part-two hier'].map((link) => link.replace('index.html', '')),
  );
  t.deepEqual(
    built.warnings
      .filter(({ code }) => code === 'undefined-reference')
      .map(({ file, line, message }) => `${file}:${line} ${message}`),
    [
      'docs/index.md:5 Reference "[b c]" has no definition, and no page has a heading with this id',
      'docs/index.md:5 Reference "[lamp.none]" has no definition, and no page has a heading with this id',
    ],
  );
  const plain = await buildFiles(t, { ...files, 'mkdocs.yml': 'site_name: A\n' });
  t.true(plain.read('index.html').includes('[own][here], [Part two!][]'));
});

test('links and pictures of a file that include-markdown takes count from its own folder', async (t) => {
  const { read, warnings, site } = await buildFiles(t, {
    'mkdocs.yml': 'site_name: A\nplugins: [include-markdown]\n',
    'README.md':
      '# Lamp\n\n![](art/a.png) <img src="art/a.png"> [Setup](docs/setup/page.md#x) [x](#here) [y](https://example.com)\n\n<p><img src="./art/a.png"></p>\n\n## Here\n',
    'art/a.png': 'a',
    'docs/index.md': '{%\n   include-markdown "../README.md"\n%}\n',
    'docs/setup/page.md':
      '# Setup\n\n## X\n\n{% include-markdown "../../README.md" start="# Lamp" end="[Setup]" %}\n\n--8<-- "part.md"\n',
    'docs/setup/part.md': '![](b.png)\n',
    'docs/setup/b.png': 'b',
  });
  t.deepEqual(warnings, []);
  const pictures = (html: string, folder: string) =>
    [...html.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, url]) => site.read(`en/latest/${folder}${url}`));
  t.deepEqual(pictures(read('index.html'), ''), ['a', 'a', 'a']);
  t.true(read('index.html').includes('<a href="./setup/page.html#x">Setup</a>'));
  t.deepEqual(pictures(read('setup/page.html'), 'setup/'), ['a', 'a', 'b']);
});
