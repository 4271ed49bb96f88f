import test from 'ava';
import { parse } from 'yaml';
import { parseYaml } from '../../../builder/config/parse-yaml.ts';
import fc from '../../helpers/fast-check.ts';

const MAX_LENGTH = 1_000;

/** Returns the parser's own result for a text; undefined where it refuses it. */
function parseAlone(text: string): { readonly data: unknown } | undefined {
  try {
    return { data: parse(text, { logLevel: 'error' }) ?? undefined };
  } catch {
    return undefined;
  }
}

/** Returns a value with all its numbers, also those that are texts, in one spelling. */
function spellNumbers(value: unknown): unknown {
  if (value === '.inf') return 'Infinity';
  if (Array.isArray(value)) return value.map(spellNumbers);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [spellNumbers(key), spellNumbers(item)]));
  }
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /\d/.test(value));
  return isNumber && !Number.isNaN(Number(value)) ? String(Number(value)) : value;
}

const word = fc.constantFrom(
  ...['title', 'a', 'b-c', 'true', 'False', 'null', 'yes', 'on', 'x.y', 'No', 'NaN', 'Infinity', 'e1', 'constructor'],
  ...[
    'toString',
    "it's",
    '(see',
    'below)',
    'Hi!',
    'a, b',
    '- c',
    '1',
    '0x1',
    '1e3',
    '~',
    '.inf',
    '#c',
    '"q"',
    '&a',
    '*a',
    '/',
  ],
);
const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(word, value).map(([key, text]) => `${key}: ${text}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '  more', 'a:', '- x', '---', '...', 'a: b ', 'a : b', 'a:  b', 'a:\tb', '\ta: b'),
  },
);

test('parseYaml() reads simple lines, for which it loads no parser, as the parser does', async (t) => {
  await t.notThrowsAsync(() =>
    fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '\n'),
        async (lines, end) => {
          const text = lines.join('\n') + end;
          const found = await parseYaml(text, MAX_LENGTH);
          const expected = parseAlone(text);
          t.deepEqual('data' in found ? spellNumbers({ data: found.data }) : undefined, spellNumbers(expected), text);
        },
      ),
      { numRuns: 700 },
    ),
  );
});

test('parseYaml() knows the lines of keys in simple lines', async (t) => {
  const found = await parseYaml('title: A page\nlayout: doc\ndraft: true\n', MAX_LENGTH);
  t.true('data' in found);
  if (!('data' in found)) return;
  t.deepEqual(found.data, { title: 'A page', layout: 'doc', draft: true });
  const lines = [['title'], ['draft'], ['layout', 'deeper'], ['other'], []].map((path) => found.lineOf(path));
  t.deepEqual(lines, [1, 3, 2, 1, 1]);
});

test('parseYaml() keeps numbers as they are written where JavaScript would write them otherwise', async (t) => {
  const found = await parseYaml('[1.10, 21E08, 017, 0x10, 1.0, 10, -2.5, "1.10", { 1.20: 1.30 }]', MAX_LENGTH);
  t.deepEqual('data' in found && found.data, [
    '1.10',
    '21E08',
    '017',
    '0x10',
    '1.0',
    10,
    -2.5,
    '1.10',
    { '1.20': '1.30' },
  ]);
});

test('parseYaml() refuses what is nested too deeply, whatever nests it, with its line', async (t) => {
  const TOO_DEEP = 'it is nested too deeply';
  const rows: readonly (readonly [text: string, line: number])[] = [
    [`a: ${'['.repeat(101)}`, 1],
    [`${'- '.repeat(126)}a`, 1],
    // Neither brackets nor indentation.
    ['? aliases:\n!ENV '.repeat(2_000), 352],
    ['? a:\n&b '.repeat(2_000), 352],
    ['? a:\n!b\n'.repeat(2_000), 0],
  ];
  for (const [text, line] of rows) {
    const found = await parseYaml(text, 100_000);
    if (line > 0) t.like(found, { reason: TOO_DEEP, line }, text.slice(0, 20));
    else t.true('reason' in found && found.reason !== TOO_DEEP, text.slice(0, 20));
  }
});

test('parseYaml() says that there is more than one document, and where the second one begins', async (t) => {
  t.like(await parseYaml('a: 1\n---\nb: 2\n', 1_000), { reason: 'it has more than one document', line: 2 });
  t.like(await parseYaml('---\na: [1]\n...\n', 1_000), { data: { a: [1] } });
});
