import test from 'ava';
import { buildSegment, encodePageEntry, listSegmentTexts } from '../../../builder/search/search-segment.ts';
import {
  divideIntoVolumes,
  planVolume,
  presentVolume,
  type SearchPage,
} from '../../../builder/search/search-volume.ts';
import { openVolume } from '../../../lib/search/volume.ts';

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
const plan = (...versions: (readonly SearchPage[])[]) =>
  planVolume({ language: 'en', versions: versions.map((pages, at) => ({ slug: `v${at + 1}`, pages })) });
const build = (...contents: readonly SearchPage[]) => {
  const input = contents.map((content) => [content, entries.get(content.key)!] as const);
  return { part: JSON.parse(buildSegment(input)), texts: JSON.parse(listSegmentTexts(input)) };
};

test('planVolume() says in which versions a page has which content', (t) => {
  const { versions, pages, segments } = plan(
    [page('a.html', 'k1')],
    [page('a.html', 'k1')],
    [page('a.html', 'k2'), page('b.html', 'k1')],
  );
  t.deepEqual(versions, ['v1', 'v2', 'v3']);
  t.deepEqual(pages, [
    ['a.html', [0, 1, 0, 2, 2, 1]],
    ['b.html', [2, 2, 0]],
  ]);
  t.deepEqual(
    segments.flat().map(({ key }) => key),
    ['k1', 'k2'],
  );
});

test('planVolume() leaves all segments but one as they are when a page changes, comes or goes', (t) => {
  const names = Array.from({ length: 400 }, (_, at) => `guide/page-${at}.html`);
  const pagesOf = (list: readonly string[], changed = '') =>
    list.map((path) => page(path, path === changed ? 'new' : `key of ${path}`));
  const segmentsOf = (pages: readonly SearchPage[]) => plan(pages).segments.map((list) => JSON.stringify(list));
  const before = segmentsOf(pagesOf(names));
  t.true(before.length > 20 && before.length < 100, `${before.length} segments`);
  for (const name of ['guide/page-0.html', 'guide/page-123.html', 'guide/page-399.html']) {
    const others = names.filter((path) => path !== name);
    for (const after of [segmentsOf(pagesOf(names, name)), segmentsOf(pagesOf(others))]) {
      // A page that begins a segment joins two when it goes.
      t.true(after.filter((segment) => !before.includes(segment)).length <= 1, name);
    }
  }
});

test('buildSegment() holds a section of several versions once', (t) => {
  const { part, texts } = build(page('a.html', 'k1'), page('a.html', 'k2'));
  const [contents, sections, lengths, terms, postings] = part;
  t.deepEqual(contents, [
    ['Start', [0, 1]],
    ['Start', [2, 1]],
  ]);
  t.deepEqual(sections, [
    ['', 'Start'],
    ['b', 'Both'],
    ['', 'Start'],
  ]);
  t.deepEqual(lengths, [
    [1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
  ]);
  t.deepEqual(texts, ['One one', 'Shared', 'Two']);
  t.is(terms, 'start one both shared two');
  t.is(postings, '0 1 5 1,2 -2,4,5,8');
});

test('buildSegment() adds what stands above a landing page to its beginning', (t) => {
  t.is(build(page('index.html', 'k1', 'Hero text')).texts[0], 'Hero text One one');
});

test('openVolume() gives back what the segments of a volume hold, wherever the sections of a word are', (t) => {
  const planned = plan([page('a.html', 'k1')], [page('a.html', 'k2'), page('b.html', 'k1', 'Lead')]);
  const segments = planned.segments.flat().map((content, at) => ({
    textFile: `t${at}`,
    part: Buffer.from(buildSegment([[content, entries.get(content.key)!]])),
  }));
  const volume = openVolume(JSON.parse(String(presentVolume(planned, segments))));
  const find = (word: string) =>
    [...volume.findWord([[word]]).keys()].sort().map((section) => {
      const { file, place } = volume.textOf(section);
      const places = volume.contentsOf(section).flatMap((at) => volume.contents[at]!.places);
      return [file, place, volume.headingOf(section)[1], ...places.map(({ path, versions }) => `${path} ${versions}`)];
    });
  t.deepEqual(find('shared'), [
    ['t0', 1, 'Both', 'a.html v1'],
    ['t1', 1, 'Both', 'a.html v2'],
    ['t2', 1, 'Both', 'b.html v2'],
  ]);
  t.deepEqual(
    find('one').map(([file]) => file),
    ['t0', 't2'],
  );
  t.deepEqual(
    find('two').map(([file]) => file),
    ['t1'],
  );
  t.deepEqual(
    find('lead').map(([file]) => file),
    ['t2'],
  );
  const scores = [...volume.findWord([['one']]).values()].map(({ score }) => score);
  t.true(scores.every((score) => score > 0));
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
