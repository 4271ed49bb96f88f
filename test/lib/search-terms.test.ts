import test from 'ava';
import { countTerms, eachTerm, eachWord, toleranceOf } from '../../lib/search-terms.ts';
import fc from '../helpers/fast-check.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

/** Readings of the words of a query. */
function read(text: string): readonly (readonly (readonly string[])[])[] {
  const words: (readonly (readonly string[])[])[] = [];
  eachWord(text, ({ readings }) => words.push(readings));
  return words;
}

const termsOf = (text: string): readonly string[] => [...countTerms(text).keys()];
/** Tells whether a text is found by all words of a query without typing errors and beginnings. */
const finds = (query: string, text: string): boolean => {
  const terms = countTerms(text);
  return read(query).every((readings) => readings.some((reading) => reading.every((term) => terms.has(term))));
};

const script = fc.constantFrom(
  ...[
    'a',
    'Z',
    'é',
    'ß',
    'İ',
    'ё',
    'Й',
    'ک',
    '\u200c',
    '\u064b',
    '۳',
    '七',
    '自',
    '定',
    'が',
    'ー',
    '한',
    '국',
    'ไ',
    'ท',
    'ย',
    '่',
  ],
  ...[
    'Ａ',
    'ﬁ',
    '½',
    'क',
    'ि',
    'א',
    '😀',
    '.',
    '-',
    '_',
    "'",
    '/',
    ' ',
    '\n',
    '1',
    '$',
    '+',
    '#',
    '\0',
    '"',
    '\\',
    '\ud842',
    '𠮷',
    'ﷺ',
  ],
);
const texts = fc.array(script, { maxLength: 40 }).map((signs) => signs.join(''));

test('search terms: what a text says is found by each of its words, and by all of them together', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const terms = countTerms(text);
      for (const reading of read(text).flat())
        for (const term of reading) t.true(terms.has(term), JSON.stringify([text, term]));
    }),
    { numRuns: 700 },
  );
});

test('search terms: none is empty or long, holds a space or a sign that JSON escapes, whatever the text', (t) => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
      for (const term of termsOf(text)) {
        t.true(term.length > 0 && term.length <= 64);
        t.notRegex(term, /[\s"\\\p{Cc}]/u);
      }
    }),
    { numRuns: 700 },
  );
});

test('search terms: they stand where they say, and are as many as are counted', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const counts = new Map<string, number>();
      eachTerm(text, (term, start, end) => {
        t.true(start >= 0 && start < end && end <= text.length);
        counts.set(term, (counts.get(term) ?? 0) + 1);
      });
      t.deepEqual([...counts].sort(), [...countTerms(text)].sort());
    }),
  );
});

for (const [query, text] of [
  ['createcontentloader', 'createContentLoader()'],
  ['contentLoader', 'use createContentLoader here'],
  ['content', 'createContentLoader'],
  ['base-url', '--base-url <url>'],
  ['baseUrl', 'base_url'],
  ['bar', 'foo.bar'],
  ['foo.bar', 'foo.bar()'],
  ['config.ts', 'docs/.vitepress/config.ts'],
  ['XMLHttp', 'XMLHttpRequest'.slice(0, 7)],
  ['request', 'XMLHttpRequest'],
  ['option', "l'option"],
  ['1.6.4', 'since v2, not 1.6.4.'],
  ['c++', 'C and C++'],
  ['C#', 'in c# only'],
  ['cafe', 'Café'],
  ['strasse', 'Straße'],
  ['istanbul', 'İstanbul'],
  ['еще', 'Ещё'],
  ['развертывание', 'Развёртывание'],
  ['کتاب', 'كتاب'],
  ['123', '۱۲۳'],
  ['میخواهید', 'می\u200cخواهید'],
  ['خواهید', 'می\u200cخواهید'],
  ['می خواهید', 'می\u200cخواهید'],
  ['שלום', 'שָׁלוֹם'],
  ['full', 'ＦＵＬＬ'],
  ['file', 'ﬁle'],
  ['自定义', '使用自定义主题'],
  ['Vue的API', 'Vue 的 API'],
  ['的', 'Vue 的 API'],
  ['検索', '全文検索エンジン'],
  ['ガイド', 'ｶﾞｲﾄﾞ'],
  ['설정', '설정하기'],
  ['𠮷野', '𠮷野家'],
  ['ไทย', 'ภาษาไทย'],
] as const) {
  test(`search terms: "${query}" finds "${text}"`, (t) => {
    t.true(finds(query, text), JSON.stringify([read(query), termsOf(text)]));
  });
}

for (const [query, text] of [
  ['定自', '自定义'],
  ['bar', 'foobar'],
  ['мои', 'мир'],
  ['कि', 'की'],
] as const) {
  test(`search terms: "${query}" does not find "${text}"`, (t) => {
    t.false(finds(query, text));
  });
}

test('search terms: a text without a browser’s or Node’s dictionary is found as well', (t) => {
  // Each cuts Thai in its own way: the pairs are the same everywhere, and one reading is enough.
  const [readings] = read('ภาษาไทย');
  t.is(readings!.length, 2);
  const terms = countTerms('เรียนภาษาไทยวันนี้');
  t.true(readings![1]!.every((term) => terms.has(term)));
});

test('search terms: beginnings count from two letters, errors from four; signs of Chinese as they are', (t) => {
  t.deepEqual(toleranceOf('a'), { prefix: false, fuzzy: 0 });
  t.deepEqual(toleranceOf('ab'), { prefix: true, fuzzy: 0 });
  t.deepEqual(toleranceOf('abcd'), { prefix: true, fuzzy: 0.2 });
  t.deepEqual(toleranceOf('自'), { prefix: true, fuzzy: 0 });
  t.deepEqual(toleranceOf('自定'), { prefix: false, fuzzy: 0 });
  t.deepEqual(toleranceOf('2024'), { prefix: true, fuzzy: 0 });
});

test('search terms: the last sign of a run is found alone, as those before it are by their pairs', (t) => {
  t.deepEqual(termsOf('自定义'), ['自定', '定义', '义']);
});

test.serial('search terms: hostile text takes linear time', (t) => {
  for (const sign of ['_', '.', 'a.', 'aB', '+', 'c+', '#', '\u200c', 'é', 'ไ', '七', "'"]) {
    const text = sign.repeat(200_000 / sign.length);
    const ms = fastestMs(() => countTerms(text));
    t.true(ms < 3_000, `${sign}: ${ms} ms`);
  }
});
