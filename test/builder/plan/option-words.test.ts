import { LIMIT_SETTINGS } from '../../../builder/build-limits.ts';
import { markOptions, wordOptions } from '../../../builder/option-marks.ts';
import { FLAG_WORDS } from '../../../builder/plan/option-words.ts';
import test from '../../helpers/serial-test.ts';

test('wordOptions() puts in what can be changed where the message is read', (t) => {
  const message = `Choose versions with ${markOptions('refs', 'exclude')}; raise it with ${markOptions('maxPageBytes')}`;
  t.is(wordOptions(message, FLAG_WORDS), 'Choose versions with --refs or --exclude; raise it with --max-page');
  t.is(
    wordOptions(message, { exclude: 'a key', maxPageBytes: 'another' }),
    'Choose versions with a key; raise it with another',
  );
});

test('wordOptions() leaves what a repository has written alone', (t) => {
  for (const text of ['{option}', '{option nothing}', '{option constructor|toString}', '{option refs ']) {
    t.is(wordOptions(text, FLAG_WORDS), text);
  }
});

test('every limit has a flag', (t) => {
  t.is(FLAG_WORDS.timeoutMs, '--timeout');
  t.deepEqual(
    Object.keys(LIMIT_SETTINGS).filter((name) => !Object.hasOwn(FLAG_WORDS, name)),
    [],
  );
});
