import test from 'ava';
import { findIncludes, listIncludePaths } from '../../../../builder/markdown/include/include-references.ts';
import {
  findInsertions,
  listInsertions,
  parseInsertionLine,
  parseSnippet,
  readInsertion,
} from '../../../../builder/markdown/include/python-includes.ts';
import { parseRanges, selectLines } from '../../../../builder/markdown/include/select-lines.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const mkdocs = { generator: 'mkdocs', pagePath: 'docs/a/page.md', sourceDir: 'docs' } as const;

function render(text: string, files: Readonly<Record<string, string>>) {
  return renderPage(text, { includes: new Map(Object.entries(files)), ...mkdocs });
}

test('readInsertion() reads the forms of markdown-include and mdx_include', (t) => {
  const read = (text: string) => {
    const reference = readInsertion(text, 0)?.reference;
    return reference && [reference.path, reference.settings];
  };
  t.deepEqual(read('{!a.md!}'), ['a.md', undefined]);
  t.deepEqual(read('{! a b/c.md !}'), ['a b/c.md', undefined]);
  t.deepEqual(read('{!+ a.md | utf-8 !}'), ['a.md', undefined]);
  t.deepEqual(read('{!-> ../a.py[ln:4-5]!}'), ['../a.py', '4,5']);
  t.deepEqual(read('{! a.py [ln:1.3-2.5,7,9-] | utf-8 !}'), ['a.py', '1,2;7,7;9,']);
  t.deepEqual(read('{!a.md!lines=1-3 5 8-10}'), ['a.md', '1,3;5,5;8,10']);
  for (const text of ['{!a!}', '{!!}', '{! !}', '{!a.md}', '{!a.md!', '{!a.md\n!}', '{!a.md!x}', '{!a{b}.md!}']) {
    t.is(read(text), undefined, text);
  }
});

test('listInsertions() knows what a backslash makes text', (t) => {
  const found = [...listInsertions('a {!b.md!} \\{!c.md!} {!d!} {!e.md!}')];
  t.deepEqual(
    found.map(({ start, end, reference }) => [start, end, reference?.path]),
    [
      [2, 10, 'b.md'],
      [11, 20, undefined],
      [27, 35, 'e.md'],
    ],
  );
});

test('parseInsertionLine() counts marked lines of a file in the lines that are shown', (t) => {
  const read = (line: string) => {
    const { settings, lines, title, isClosed } = parseInsertionLine(line)!;
    return [settings, lines, title, isClosed];
  };
  t.deepEqual(read('{* a.py *}'), [undefined, undefined, undefined, undefined]);
  t.deepEqual(read('{* a.py hl[4,8:9] *}'), ['4-4,8-9', undefined, undefined, undefined]);
  t.deepEqual(read('{* a.py ln[3:6,8,10:11] hl[3,5:7,10] *}'), ['1-1,3-4,8-8', '3,6;8,8;10,11', undefined, undefined]);
  t.deepEqual(read('{* ../a.py  ln[0] hl[2] title["x/a.py"]*}'), ['2-2', undefined, 'x/a.py', true]);
  for (const line of ['{* text *}', '{*a.py*}', '{* a.py', '{!a.md!} and more']) {
    t.is(parseInsertionLine(line), undefined, line);
  }
});

test('parseSnippet() reads lines, several of them, and regions', (t) => {
  const read = (text: string) => {
    const reference = parseSnippet(text);
    return reference && [reference.path, reference.settings, reference.region];
  };
  t.deepEqual(read('a.md'), ['a.md', undefined, undefined]);
  t.deepEqual(read('a.md:3'), ['a.md', '3,', undefined]);
  t.deepEqual(read('a.md:4:6'), ['a.md', '4,6', undefined]);
  t.deepEqual(read('a.md::3'), ['a.md', ',3', undefined]);
  t.deepEqual(read('a.md:1:3,5:6,-2:'), ['a.md', '1,3;5,6;-2,', undefined]);
  t.deepEqual(read('a.md:part'), ['a.md', undefined, 'part']);
  for (const text of ['; a.md', 'https://example.com/a.md']) t.is(read(text), undefined, text);
});

test('selectLines() joins parts, counts from the end, and shows where lines are left out', (t) => {
  const text = '1\n2\n3\n4\n5\n';
  t.is(selectLines(text, parseRanges('1,2;4,4')!), '1\n2\n4');
  t.is(selectLines(text, parseRanges('-2,-1')!), '4\n5');
  t.is(selectLines(text, parseRanges('1,1;3,3')!, '…'), '1\n…\n3');
  t.is(selectLines(text, parseRanges('-99,1')!), '1');
});

test('an include that counts from a base is looked for there, then around the page, then elsewhere', (t) => {
  const paths = (path: string, includeFolders: readonly string[]) =>
    listIncludePaths(parseInsertionLine(`{!${path}!}`)!, {
      pagePath: 'docs/fr/a.md',
      sourceDir: 'docs',
      includeFolders,
    });
  t.deepEqual(paths('x.md', ['docs/en/docs/', '']), ['x.md', 'docs/fr/x.md', 'docs/x.md', 'docs/en/docs/x.md']);
  t.deepEqual(paths('../../src/x.py', ['docs/en/']), ['src/x.py']);
  t.deepEqual(paths('../../../x.py', []), []);
});

test('inserted files are Markdown in any place, and may insert others', (t) => {
  const files = {
    'docs/a.md': 'One *two*\n',
    'docs/list.md': '- a\n- {!a.md!}\n',
    'docs/self.md': '{!self.md!}\n',
    'docs/word.txt': 'W',
  };
  const { html, warnings } = render(
    '{!list.md!}\n\n| A |\n|---|\n| {!word.txt!} |\n\n!!! note\n    {!a.md!}\n\nA **{!word.txt!}** *b* {!self.md!}\n',
    files,
  );
  t.regex(html, /<ul>\s*<li>a<\/li>\s*<li>One <em>two<\/em><\/li>\s*<\/ul>/);
  t.regex(html, /<td>W<\/td>/);
  t.regex(html, /<p>One <em>two<\/em><\/p>\s*<\/div>/);
  t.regex(html, /<p>A <strong>W<\/strong> <em>b<\/em> {!self\.md!}<\/p>/);
  t.deepEqual(
    warnings.map(({ line, message }) => `${line} ${message}`),
    ['10 Cannot include "self.md": it includes itself'],
  );
});

test('on pages of other generators the syntax is text', (t) => {
  const { html, warnings } = renderPage('{!a.md!}\n\n{* a.py *}\n\n```\n{!a.md!}\n```\n', {
    includes: new Map([['docs/a.md', 'A']]),
    pagePath: 'docs/page.md',
    generator: 'vitepress',
  });
  t.regex(html, /<p>{!a\.md!}<\/p>\s*<p>{\* a\.py \*}<\/p>.*{!a\.md!}/s);
  t.deepEqual(warnings, []);
});

test.serial('insertions of hostile texts are found in time', (t) => {
  const start = cpuTimeMs();
  for (const part of [
    '{!',
    '{!a.md!}',
    '{!a.md[ln:',
    '{* a.py ',
    '{* a.py hl[',
    '\\{!a',
    '--8<--\n',
    '{!a.b|!lines=',
  ]) {
    const text = part.repeat(200_000 / part.length);
    findInsertions(text);
    for (const line of [text, `{* a.py ${part.repeat(100)} *}`]) parseInsertionLine(line);
    parseSnippet(`a:${'1:'.repeat(500)}`);
  }
  t.true(cpuTimeMs() - start < 5_000);
});

test('include-markdown takes the part between two texts, and lowers its headings', (t) => {
  const files = {
    'README.md': '# Title\n\n<!--s-->\n## Use\n\n```\n# no heading\n```\n<!--e-->\n\nRest\n',
    'docs/x.py': 'a = 1\nb = 2\n',
    'docs/a/y.txt': 'y',
  };
  const statement =
    '{%\n  include-markdown "../../README.md"\n  start="<!--s-->"\n  end="<!--e-->"\n  heading-offset=2\n%}\n';
  const { html, headings } = render(`# Page\n\n${statement}`, files);
  t.deepEqual(
    headings.map(({ level, text }) => `${level} ${text}`),
    ['1 Page', '4 Use'],
  );
  t.regex(html, /<code># no heading<\/code>/);
  t.notRegex(html, /Rest|Title/);
  const code = render(
    '```py\n{% include "x.py" start="a = 1" %}\n{% include \'y.txt\' %}\n{% include "none.py" %}\n```\n',
    files,
  );
  t.regex(code.html, /<code>\nb = 2\ny\n{% include "none\.py" %}<\/code>/);
  const all = render('{% include-markdown "../../README.md" start="<!--none-->" %}\n', files);
  t.regex(all.html, /Title.*Rest/s);
  t.deepEqual(
    all.warnings.map(({ message }) => message),
    ['All of "../../README.md" is included: it does not contain "<!--none-->"'],
  );
  t.deepEqual(
    findIncludes(statement).map(({ path }) => path),
    ['../../README.md'],
  );
});
