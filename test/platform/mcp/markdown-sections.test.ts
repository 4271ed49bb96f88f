import test from 'ava';
import { findSection, parseMarkdownPage, selectPart, type TextPart } from '../../../platform/mcp/markdown-sections.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import fc from '../../helpers/fast-check.ts';

const PAGE = `---
title: "A \\"quoted\\" title"
version: 'v1.0'
---

# Start

Lead.

## Install {#setup}

\`\`\`sh
# no heading
\`\`\`

### On \`Linux\` ###

Text.

## Use

End.
`;

test('parseMarkdownPage() reads front matter, headings and their ids, and no heading inside code', (t) => {
  const { meta, text, sections } = parseMarkdownPage(PAGE);
  t.is(meta.get('title'), 'A "quoted" title');
  t.is(meta.get('version'), 'v1.0');
  t.true(text.startsWith('# Start\n'));
  t.deepEqual(
    sections.map(({ id, heading, level }) => [id, heading, level]),
    [
      ['start', 'Start', 1],
      ['setup', 'Install', 2],
      ['on-linux', 'On `Linux`', 3],
      ['use', 'Use', 2],
    ],
  );
});

test('parseMarkdownPage() finds no heading in code that begins an item or stands in a quote', (t) => {
  const { sections } = parseMarkdownPage(
    '## A\n\n- ```sh\n  # no heading\n  ```\n\n1. > ````md\n   > ```\n   > ````\n\n## B\n\n: ```\n  # no\n  ```\n\n## C\n',
  );
  t.deepEqual(
    sections.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
});

test('parseMarkdownPage() tells sections with the same heading apart, and text above the first heading', (t) => {
  const { sections } = parseMarkdownPage('Before.\n\n## A\n\n## A\n\n## 安装\n');
  t.deepEqual(
    sections.map(({ id }) => id),
    ['', 'a', 'a-1', '安装'],
  );
});

test('findSection() finds a section by its id or its heading, however it is written', (t) => {
  const page = parseMarkdownPage(PAGE);
  t.is(findSection(page, 'setup')?.heading, 'Install');
  t.is(findSection(page, 'install')?.heading, 'Install');
  t.is(findSection(page, 'On Linux')?.id, 'on-linux');
  t.is(findSection(page, 'nothing'), undefined);
});

test('selectPart() returns a section with those below it, and says what follows', (t) => {
  const page = parseMarkdownPage(PAGE);
  const { text, next, isCut } = selectPart(page, 'setup', 1_000)!;
  t.regex(text, /^## Install[\s\S]*### On[\s\S]*Text\.\n\n$/);
  t.is(next, 'use');
  t.false(isCut);
  t.deepEqual(selectPart(page, '', 10_000), { id: '', text: page.text, next: undefined, isCut: false });
  t.is(selectPart(page, 'nothing', 1_000), undefined);
});

test('selectPart() cuts what is too long before a heading, otherwise at the end of a line', (t) => {
  const page = parseMarkdownPage(`# A\n\n${'word\n'.repeat(50)}\n## B\n\nend\n`);
  const first = selectPart(page, '', 100)!;
  t.is(first.next, 'a~2');
  t.true(first.isCut);
  t.true(first.text.endsWith('\n') && first.text.length <= 100);
  const short = parseMarkdownPage(`# A\n\ntext\n\n## B\n\n${'word\n'.repeat(50)}`);
  t.deepEqual(selectPart(short, '', 100), { id: '', text: '# A\n\ntext\n\n', next: 'b', isCut: true });
});

test('selectPart() returns all of a page, once, to whoever goes on as it says', (t) => {
  const line = fc.oneof(
    fc.constantFrom('# One', '## Two', '### Three', '```', '', '#', '~~~'),
    fc.string({ maxLength: 60 }),
    fc.string({ maxLength: 8 }).map((text) => `# ${text}`),
  );
  const property = fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 20, max: 200 }), (lines, max) => {
    const page = parseMarkdownPage(lines.join('\n'));
    let read = '';
    let wanted: string | undefined = '';
    for (let step = 0; wanted !== undefined && step < 1_000; step++) {
      const part: TextPart | undefined = selectPart(page, wanted, max);
      if (!part || part.text.length > max) return false;
      read += part.text;
      wanted = part.next;
    }
    return read === page.text.slice(page.sections[0]!.start);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 500 }));
});

test.serial('parseMarkdownPage() takes time in proportion to the length of a page of signs', (t) => {
  for (const sign of ['#', '# [', '`', '~~~', '# <', '# {#', '# \t ', '--- ', '[](']) {
    const start = cpuTimeMs();
    parseMarkdownPage(`---\n${sign.repeat(100_000)}`);
    parseMarkdownPage(`${`${sign.repeat(600)}\n`.repeat(400)}`);
    t.true(cpuTimeMs() - start < 1_500, sign);
  }
});
