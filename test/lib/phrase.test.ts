import test from 'ava';
import { createPhraseReader, fillPhrase, listPlaces, phrase } from '../../lib/phrase.ts';

test('a phrase is English as a string, and its key holds numbers in place of values', (t) => {
  const one = phrase`User "${'ann'}" has ${2} keys`;
  t.is(String(one), 'User "ann" has 2 keys');
  t.is(one.key, 'User "{0}" has {1} keys');
  t.is(String(phrase`Not done: ${one}`), 'Not done: User "ann" has 2 keys');
});

test('a phrase has a word for one and a word for many', (t) => {
  const count = (n: number): string => String(phrase`${n} {0|request|requests} left`);
  t.deepEqual([0, 1, 2].map(count), ['0 requests left', '1 request left', '2 requests left']);
  t.is(fillPhrase('{n} {n|entry|entries}', { n: 1 }), '1 entry');
});

test('values of a phrase are not read as patterns, and no pattern reads more than its values', (t) => {
  t.is(String(phrase`${'{1}'} and ${'{0}'}`), '{1} and {0}');
  t.is(fillPhrase('{constructor} {length} {name}', { name: 'x' }), '{constructor} {length} x');
});

test('listPlaces() lists values without plurals', (t) => {
  t.deepEqual(listPlaces('{n} {n|request|requests} of {all}'), ['n', 'all']);
});

test('createPhraseReader() finds the phrase that a text was made of, with its values', (t) => {
  const read = createPhraseReader([phrase`Gone`, phrase`Build ${''} (${''}) is newer.`]);
  const found = read(String(phrase`Build ${'a.b'} (${'x) (y'}) is newer.`));
  t.deepEqual([found?.key, found?.values], ['Build {0} ({1}) is newer.', ['a.b', 'x) (y']]);
  t.is(read('Gone')?.key, 'Gone');
  for (const text of ['gone', 'Gone!', '', 'Build a (b) is newer!', `Build ${'a'.repeat(501)} (b) is newer.`]) {
    t.is(read(text), undefined, text.slice(0, 30));
  }
});
