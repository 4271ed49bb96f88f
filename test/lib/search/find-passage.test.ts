import test from 'ava';
import { findPassage } from '../../../lib/search/find-passage.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

const show = (text: string, ...terms: string[]): string =>
  findPassage(text, new Set(terms))
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('');

test('findPassage() returns the part of a text that has most of the terms', (t) => {
  const words = 'other words '.repeat(40);
  t.is(show('One tea.', 'tea'), 'One [tea].');
  t.is(show('Nothing here.', 'tea'), 'Nothing here.');
  const found = show(`tea ${words}tea and pot ${words}pot`, 'tea', 'pot');
  t.regex(found, /^….*\[tea\] and \[pot\] .*…$/);
});

test.serial('findPassage() takes linear time for a text of nothing but its terms', (t) => {
  const text = 'tea pot '.repeat(150_000);
  const terms = new Set(['tea', 'pot']);
  t.true(findPassage(text, terms).some(({ isMarked }) => isMarked));
  t.true(fastestMs(() => findPassage(text, terms)) < 3_000);
});
