import test from 'ava';
import { decodeTerms, encodePageEntry, encodeTerms } from '../../../builder/search/page-entry.ts';
import { assembleVolume, divideIntoVolumes, type SearchPage } from '../../../builder/search/search-volume.ts';
import { countTerms } from '../../../lib/search-terms.ts';

const entries = new Map([
  [
    'k1',
    encodePageEntry([
      { id: '', heading: 'Start', text: 'One one' },
      { id: 'b', heading: 'Both', text: 'Shared' },
    ]),
  ],
  [
    'k2',
    encodePageEntry([
      { id: '', heading: 'Start', text: 'Two' },
      { id: 'b', heading: 'Both', text: 'Shared' },
    ]),
  ],
]);
const page = (path: string, key: string, lead = ''): SearchPage => ({ path, key, title: 'Start', lead });
const assemble = (...versions: (readonly SearchPage[])[]) => {
  const list = versions.map((pages, at) => ({ slug: `v${at + 1}`, pages }));
  const files = assembleVolume(
    { language: 'en', versions: list },
    { readEntry: (key) => entries.get(key), readTerms: countTerms },
  );
  return {
    files,
    index: JSON.parse(files[0]!.bytes.toString()),
    texts: files.slice(1).map(({ bytes }) => JSON.parse(bytes.toString())),
  };
};

test('assembleVolume() holds a section of several versions once, and says in which versions a page is', (t) => {
  const { index, texts } = assemble(
    [page('a.html', 'k1')],
    [page('a.html', 'k1')],
    [page('a.html', 'k2'), page('b.html', 'k1')],
  );
  t.deepEqual(index.versions, ['v1', 'v2', 'v3']);
  t.deepEqual(index.pages, [
    ['a.html', [0, 1, 0, 2, 2, 1]],
    ['b.html', [2, 2, 0]],
  ]);
  t.deepEqual(index.contents, [
    ['Start', [0, 1]],
    ['Start', [2, 1]],
  ]);
  t.deepEqual(index.sections, [
    ['', 'Start'],
    ['b', 'Both'],
    ['', 'Start'],
  ]);
  t.deepEqual(texts, [['One one', 'Shared', 'Two']]);
  t.deepEqual(Object.fromEntries(index.terms), {
    both: { 1: { 1: 1 } },
    one: { 2: { 0: 2 } },
    shared: { 2: { 1: 1 } },
    start: { 0: { 0: 1, 2: 1 }, 1: { 0: 1, 2: 1 } },
    two: { 2: { 2: 1 } },
  });
});

test('assembleVolume() names files by their content, so that equal indexes are one file', (t) => {
  const names = (...versions: (readonly SearchPage[])[]) => assemble(...versions).files.map(({ name }) => name);
  t.deepEqual(names([page('a.html', 'k1')]), names([page('a.html', 'k1')]));
  t.notDeepEqual(names([page('a.html', 'k1')]), names([page('a.html', 'k2')]));
  for (const name of names([page('a.html', 'k1')])) t.regex(name, /^search-\w+\.[0-9a-f]{16}\.json$/);
});

test('assembleVolume() adds what stands above a landing page to its beginning', (t) => {
  const { texts, index } = assemble([page('index.html', 'k1', 'Hero text')]);
  t.is(texts[0][0], 'Hero text One one');
  t.deepEqual(Object.fromEntries(index.terms)['hero'], { 2: { 0: 1 } });
});

test('assembleVolume() leaves out a page of which nothing is kept', (t) => {
  t.deepEqual(assemble([page('a.html', 'gone'), page('b.html', 'k1')]).index.pages, [
    ['a.html', []],
    ['b.html', [0, 0, 0]],
  ]);
});

test('divideIntoVolumes() keeps versions together that share their pages, and parts those that do not', (t) => {
  const version = (slug: string, ...keys: string[]) => ({ slug, pages: keys.map((key) => page(`${key}.html`, key)) });
  const slugs = (...versions: ReturnType<typeof version>[]) =>
    divideIntoVolumes('en', versions).map((volume) => volume.versions.map(({ slug }) => slug));
  t.deepEqual(slugs(), []);
  t.deepEqual(slugs(version('v1', 'a', 'b'), version('v2', 'a', 'c'), version('v3', 'a', 'd')), [['v1', 'v2', 'v3']]);
  t.deepEqual(
    slugs(
      version('v1', 'a', 'b'),
      version('v2', 'c', 'd'),
      version('v3', 'e', 'f'),
      version('v4', 'g', 'h'),
      version('v5', 'g', 'i'),
    ),
    [
      ['v1', 'v2', 'v3'],
      ['v4', 'v5'],
    ],
  );
});

test('decodeTerms() gives back the terms that encodeTerms() was given', (t) => {
  for (const text of ['', 'one', 'One one two, 自定义自定义 foo.bar 1.6.4 c++']) {
    const terms = countTerms(text);
    t.deepEqual(decodeTerms(encodeTerms(terms)), terms);
  }
});
