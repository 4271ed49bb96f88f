import test from 'ava';
import { parseProjectFile } from '../../../builder/plan/project-file.ts';
import type { NavEntry } from '../../../builder/plan/project-file-schema.ts';
import type { ProjectFile } from '../../../builder/plan/site-options.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import fc from '../../helpers/fast-check.ts';

test('parseProjectFile() reads every key', async (t) => {
  const text = `
title: My project
sourceDir: ./website/docs/
lang: [en, zh_CN]
latest: v2.0
single: false
nav:
  - index.md
  - Guide:
      - Start: guide/start.md
      - guide/more.md
  - title: Links
    children:
      - {title: Home page, path: "https://example.test/"}
  - {title: Folder, path: guide/}
  - folder: api
  - {title: More, path: more.md#part, collapsed: true, children: [folder: .]}
excluded: ["dependabot/**", test]
redirects: {old.md: new.md}
theme:
  accent: "#0a7"
  logo: logo.svg
  links: [{title: Source, url: "https://example.test/"}]
  footer: Made by hand
markdown: {math: true, mermaid: false, emoji: true, html: safe}
`;
  const page = (path: string, title?: string) => ({ title, path, children: [] });
  t.deepEqual(await parse(text), {
    title: 'My project',
    sourceDir: 'website/docs',
    lang: ['en', 'zh_CN'],
    latest: 'v2.0',
    single: false,
    nav: [
      page('index.md'),
      { title: 'Guide', path: undefined, children: [page('guide/start.md', 'Start'), page('guide/more.md')] },
      { title: 'Links', path: undefined, children: [page('https://example.test/', 'Home page')] },
      page('guide/', 'Folder'),
      { title: undefined, path: undefined, children: [], folder: 'api' },
      {
        title: 'More',
        path: 'more.md#part',
        children: [{ title: undefined, path: undefined, children: [], folder: '.' }],
        collapsed: true,
      },
    ],
    excluded: 'dependabot/**|test',
    redirects: { 'old.md': 'new.md' },
    theme: {
      accent: '#0a7',
      logo: 'logo.svg',
      links: [{ title: 'Source', url: 'https://example.test/' }],
      footer: { text: 'Made by hand' },
    },
    markdown: { math: true, mermaid: false, emoji: true, html: 'safe' },
  });
});

test('parseProjectFile() takes an empty file, comments and languages in one string', async (t) => {
  t.deepEqual(await parse(''), {});
  t.deepEqual(await parse('# nothing\n---\n'), {});
  t.deepEqual(await parse('lang: en, zh_CN, no'), { lang: ['en', 'zh_CN', 'no'] });
  t.deepEqual(await parse('sourceDir: .'), { sourceDir: '.' });
});

test('parseProjectFile() takes an alias', async (t) => {
  t.deepEqual(await parse('title: &name Docs\ntheme:\n  footer: *name\n'), {
    title: 'Docs',
    theme: { footer: { text: 'Docs' } },
  });
});

/** Reads a text with which nothing is wrong; lines of entries are left out. */
async function parse(text: string): Promise<ProjectFile> {
  const { project, problems } = await parseProjectFile(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const { redirectLines, ...rest } = project;
  return project.nav ? { ...rest, nav: withoutLines(project.nav) } : rest;
}

function withoutLines(entries: readonly NavEntry[]): NavEntry[] {
  return entries.map(({ line, ...entry }) => ({ ...entry, children: withoutLines(entry.children) }));
}

async function fail(text: string): Promise<string> {
  const [first] = (await parseProjectFile(text)).problems;
  return `${first?.line}: ${first?.message}`;
}

for (const [text, message] of [
  ['title: a\nsecret: x\n', '2: Unknown key "secret"'],
  [
    'title: a\nmarkdown:\n  math: true\n  latex:\n    dark: red\n',
    '4: Unknown key "markdown.latex": "markdown" may have emoji, html, math, mermaid',
  ],
  ['titel: a', '1: Unknown key "titel": did you mean "title"?'],
  ['theme: {logo_dark: a.svg}', '1: Unknown key "theme.logo_dark": did you mean "logoDark"?'],
  ['accent: red', '1: Unknown key "accent": did you mean "theme.accent"?'],
  ['theme: {redirects: {a: b}}', '1: Unknown key "theme.redirects": "redirects" is a key of the whole file'],
  ['baseUrl: https://example.test/', '1: Unknown key "baseUrl": it is set by --base-url'],
  [
    'nav: {guide: 3}',
    '1: "nav" must be a list of pages, each on a line of its own, such as "- Guide: guide/index.md", not {guide: 3}',
  ],
  ['nav:\n  - title: Guide\n    pth: a.md\n', '3: Unknown key "nav.pth": did you mean "path"?'],
  ['title: a: b', '1: Not valid YAML: "a: b" has a colon before a blank, and must be in quotes'],
  ['title: @docs/core', '1: Not valid YAML: "@docs/core" begins with "@", and must be in quotes'],
  ['title: a\nlang\n', '2: Not valid YAML: "lang" lacks a colon and a blank after its key'],
  ['lang: [en\ntitle: a\n', '2: Not valid YAML: a list is not closed by "]"'],
  [
    'nav:\n  - a.md\n    - b.md: c.md\n',
    '2: Not valid YAML: "- a.md" is not indented like the items of a list around it',
  ],
  ['hooks:\n  before: rm -rf /\n', '1: Unknown key "hooks"'],
  ['title: a\n\n\ndomain: example.test\nurl: x', '4: Unknown key "domain"'],
  ['__proto__:\n  title: a\n', '1: Unknown key "__proto__"'],
  ['constructor: x', '1: Unknown key "constructor"'],
  ['theme: {links: [{title: a, url: b}, {title: a, uri: b}]}', '1: Unknown key "theme.links.uri": did you mean "url"?'],
  ['title: [a]', '1: "title" must be a text, not ["a"]'],
  ['title: 2024', '1: "title" must be a text, not 2024: put it in quotes, "2024"'],
  ['title: ""', '1: "title" must not be empty'],
  ['title:\n', '1: "title" is empty, and must be a text'],
  ['extensions:\n  openapi:\n    file: a.yaml', '2: "extensions.openapi.path" is missing, and must be a text'],
  ['single: "yes"', '1: "single" must be true or false, not "yes"'],
  ['title: a\nlang: [en, klingon]', '2: "lang" has "klingon", which is not a language code such as "en" or "zh_CN"'],
  ['lang: english', '1: "lang" has "english", which is not a language code such as "en" or "zh_CN"'],
  ['lang: []', '1: "lang" must name at least one language'],
  ['lang: {en: x}', '1: "lang" must be a list of language codes, not {en: "x"}'],
  [
    'theme: {feedback: "javascript:alert({answer})"}',
    '1: "theme.feedback" must be "event", or an http, https or mailto URL with {answer} in it, not "javascript:alert({answer})"',
  ],
  [
    'theme: {feedback: "https://example.com/"}',
    '1: "theme.feedback" must be "event", or an http, https or mailto URL with {answer} in it, not "https://example.com/"',
  ],
  ['theme:\n  accent: "#12345"', '2: "theme.accent" must be an opaque CSS colour such as "#3b82f6", not "#12345"'],
  [
    'theme:\n  accent: "red;}body{display:none"',
    '2: "theme.accent" must be an opaque CSS colour such as "#3b82f6", not "red;}body{display:none"',
  ],
  ['markdown:\n  html: yes', '2: "markdown.html" must be "raw" or "safe", not "yes"'],
  ['nav:\n  - index.md\n  - Guide: 3\n', '3: "nav.Guide" must be a page or a list of pages, not 3'],
  ['nav:\n  - Guide:\n      - a.md\n      - {title: x, path: [a]}\n', '4: "nav.Guide.path" must be a text, not ["a"]'],
  [
    'nav:\n  - {children: [a.md]}\n',
    '2: An item of "nav" must be a page, a title with its page, or a title with a list of pages, not {children: ["a.md"]}',
  ],
  [
    'nav:\n  - {A: a.md, B: b.md}\n',
    '2: An item of "nav" must be a page, a title with its page, or a title with a list of pages, not {A: "a.md", B: "b.md"}',
  ],
  [
    'nav: index.md',
    '1: "nav" must be a list of pages, each on a line of its own, such as "- Guide: guide/index.md", not "index.md"',
  ],
  ['redirects: [a]', '1: "redirects" must be a map of old URLs to pages, such as "old.md: guide/new.md", not ["a"]'],
  ['excluded: 3', '1: "excluded" must be a name or glob, or a list of them, not 3'],
  ['- title', '1: The file must be a map of keys to values, such as "title: Guide"'],
  ['just text', '1: The file must be a map of keys to values, such as "title: Guide"'],
  ['title: a\ntitle: b\n', '2: Not valid YAML: the key "title" is there twice'],
  ['title: "a\n', '1: Not valid YAML: a text in quotes is not closed, or goes on in a line that is not indented'],
  ["title: 'a\nb'\n", '1: Not valid YAML: a text in quotes is not closed, or goes on in a line that is not indented'],
  ['title: a\n\tlang: en\n', '2: Not valid YAML: Tabs are not allowed as indentation'],
  ['title: a\nnav: *x\n', '2: Not valid YAML: Alias "*x" has no anchor before it'],
  ['title: a\nnav: &a\n  - Guide: *a\n', '3: Not valid YAML: Alias "*a" contains itself'],
] as const) {
  test(`parseProjectFile() refuses ${JSON.stringify(text)}`, async (t) => {
    t.is(await fail(text), message);
  });
}

const laughs = [
  'nav: ',
  '  - &a [x.md, x.md, x.md, x.md, x.md, x.md, x.md, x.md, x.md, x.md]',
  ...'bcdefghi'.split('').map((name, at) => `  - &${name} [${Array(10).fill(`*${'abcdefghi'[at]}`).join(', ')}]`),
].join('\n');
for (const [title, text] of [
  ['a billion laughs', laughs],
  ['100,000 brackets', `nav: ${'['.repeat(100_000)}`],
  ['5,000 nested lists', `nav: ${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['nested groups', `nav:\n${Array.from({ length: 3_000 }, (_, at) => `${' '.repeat(2 + at)}- a:`).join('\n')}`],
  ['three megabytes', `title: "${'x'.repeat(3_000_000)}"`],
  ['a source folder of slashes', `sourceDir: "${'/'.repeat(100_000)}x"`],
  ['a colour of 100,000 characters', `theme: {accent: "rgb(${'1'.repeat(100_000)}"}`],
  ['a language of 100,000 characters', `lang: "en${'-abc'.repeat(25_000)}"`],
  ['a language list of 100,000 entries', `lang: "${'en,'.repeat(100_000)}en"`],
  ['an unknown key of 100,000 characters', `${'k'.repeat(500)}: x`],
] as const) {
  test.serial(`parseProjectFile() refuses ${title} in a short time with a short message`, async (t) => {
    const start = cpuTimeMs();
    t.true((await fail(text)).length < 1000);
    t.true(cpuTimeMs() - start < 1000);
  });
}

test('parseProjectFile() takes a navigation of 5,000 pages', async (t) => {
  const { nav } = await parse(
    `nav:\n${Array.from({ length: 5000 }, (_, at) => `  - Page ${at}: guide/${at}.md`).join('\n')}`,
  );
  t.is(nav?.length, 5000);
});

test('parseProjectFile() accepts no colour that could end its place in a style sheet', async (t) => {
  for (const colour of [
    '#0a7',
    '#00aa77',
    '#00aa77ff',
    'teal',
    'rgb(0 170 119)',
    'rgb(0, 170, 119)',
    'hsl(120deg 50% 50%)',
    'oklch(0.7 0.1 200)',
  ]) {
    t.is((await parse(`theme: {accent: ${JSON.stringify(colour)}}`)).theme?.accent, colour);
  }
  const piece = fc.constantFrom(
    '#',
    'rgb(',
    ')',
    ';',
    '}',
    '{',
    '"',
    "'",
    '\\',
    '/*',
    '*/',
    'url(',
    '<',
    'a',
    '0',
    ' ',
    '\n',
    ':',
    '@',
    'e9',
    'var(',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
      const colour = pieces.join('');
      const read = await parse(`theme: {accent: ${JSON.stringify(colour)}}`).catch(() => undefined);
      t.notRegex(String(read?.theme?.accent ?? ''), /[;{}"'\\<>@:\n]|\/\*|\*\/|url\(|var\(|\)./);
    }),
    { numRuns: 170 },
  );
});

test('parseProjectFile() never throws', async (t) => {
  const line = fc.constantFrom(
    'title: a',
    'nav:',
    '  - a.md',
    '  - A: [b.md]',
    '- x',
    'lang: en',
    'theme: {',
    '}',
    '&a',
    '*a',
    '? x',
    ': y',
    '!!binary x',
    '  "',
    '\ttab',
    '%YAML 1.1',
    '---',
    '...',
    '<<: *a',
    'x: &a {<<: *a}',
    '__proto__: 1',
    '| ',
    '>',
  );
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const { problems } = await parseProjectFile(lines.join('\n'));
        for (const { line, message } of problems) t.true(line > 0 && message.length < 300);
      }),
      { numRuns: 330 },
    ),
  );
});

test('parseProjectFile() gives what can be used, and all that cannot, by line', async (t) => {
  const text = [
    'title: Guide',
    'sourceDir: ../elsewhere',
    'secret: x',
    'lang: [en, klingon]',
    'theme:',
    '  accent: "#123456"',
    '  colour: red',
    'markdown:',
    '  emoji: false',
    '  html: saef',
    'nav: 3',
    '',
  ].join('\n');
  const { project, problems } = await parseProjectFile(text);
  t.deepEqual(project, { title: 'Guide', theme: { accent: '#123456' }, markdown: { html: 'safe' } });
  t.deepEqual(
    problems.map(({ line, message }) => `${line} ${message.split(':')[0]}`),
    [
      '2 "sourceDir" must be a path inside the repository, not "../elsewhere"',
      '3 Unknown key "secret"',
      '4 "lang" has "klingon", which is not a language code such as "en" or "zh_CN"',
      '7 Unknown key "theme.colour"',
      '10 "markdown.html" must be "raw" or "safe", not "saef"',
      '11 "nav" must be a list of pages, each on a line of its own, such as "- Guide',
    ],
  );
});

test('parseProjectFile() lets no raw HTML pass where it cannot tell whether it may', async (t) => {
  for (const text of ['markdown: {html: safe\n', '- markdown', 'markdown: safe', 'markdown: {html: SAFE}']) {
    t.deepEqual((await parseProjectFile(text)).project, { markdown: { html: 'safe' } }, text);
  }
  const { project } = await parseProjectFile('markdown: {html: raw, unknown: 1}');
  t.deepEqual(project, { markdown: { html: 'raw' } });
});

test('parseProjectFile() reports several mistakes below one key', async (t) => {
  const text =
    'title: Guide\ntheme:\n  accent: 5\n  links:\n    - {title: A, link: a.md}\n    - {titel: B, url: b.md}\n  logo: 7\n';
  const { project, problems } = await parseProjectFile(text);
  t.is(project.title, 'Guide');
  t.true(problems.length >= 2);
  for (const { line } of problems) t.true(line >= 3 && line <= 7);
  const twice = 'lang: {a: 1}\ntheme: {links: [{title: 1, url: 2}, {title: 3, url: 4}], accent: [], footer: {x: 1}}\n';
  t.is((await parseProjectFile(twice)).problems[0]!.line, 1);
});
