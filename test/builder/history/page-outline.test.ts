import test from 'ava';
import { compareSamples } from '../../../builder/history/diff-pages.ts';
import { outlinePage, readPageSample, readSample } from '../../../builder/history/page-outline.ts';

const page = (...texts: readonly string[]) =>
  outlinePage(texts.map((text, at) => ({ id: at === 0 ? '' : `s${at}`, heading: `Section ${at}`, text })));
const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `word${from + at}`).join(' ');

test('outlines: sections that say the same have the same hash, on any page', (t) => {
  const [one, other] = [page('first', 'same text'), page('second', 'same text')];
  t.is(one.sections[1]!.hash, other.sections[1]!.hash);
  t.not(one.sections[0]!.hash, other.sections[0]!.hash);
  t.not(one.hash, other.hash);
  t.deepEqual(page('a', 'b'), page('a', 'b'));
});

test('outlines: words are counted in all scripts', (t) => {
  const count = (text: string): number => page(text).sections[0]!.words - 2;
  t.is(count('one two-three `four_five` 6.7'), 6);
  t.is(count('über Größe Привет мир'), 4);
  t.is(count('文档构建'), 4);
  t.is(count('문서 빌드'), 2);
  t.is(count('… — “”'), 0);
});

test('outlines: samples tell about how much two long texts have in common', (t) => {
  const [whole, half, other] = [page(words(0, 4000)), page(words(2000, 6000)), page(words(9000, 13000))];
  const [a, b, c] = [whole, half, other].map(readPageSample) as [never, never, never];
  t.is(compareSamples(a, a).jaccard, 1);
  const { jaccard, ofFirst } = compareSamples(a, b);
  t.true(Math.abs(jaccard - 1 / 3) < 0.12 && Math.abs(ofFirst - 1 / 2) < 0.15, `${jaccard} ${ofFirst}`);
  t.true(compareSamples(a, c).jaccard < 0.03);
});

test('outlines: a short section is found in a long one', (t) => {
  const short = page(words(100, 130));
  const long = page(words(0, 50), words(100, 160));
  const found = compareSamples(readSample(short.sections[0]!, short.limit), readSample(long.sections[1]!, long.limit));
  t.true(found.ofFirst > 0.7, `${found.ofFirst}`);
});

test('outlines: they stay small, and sections beyond the limit belong to the last one', (t) => {
  const long = outlinePage(
    Array.from({ length: 3000 }, (_, at) => ({ id: `s${at}`, heading: `H${at}`, text: words(at, at + 40) })),
  );
  t.is(long.sections.length, 1_000);
  t.true(long.sections.at(-1)!.words > 40_000);
  const size = JSON.stringify(page(words(0, 100_000))).length;
  t.true(size < 2_000, `${size}`);
});
