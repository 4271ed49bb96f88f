import test from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { LIMIT_SETTINGS } from '../../../builder/build-limits.ts';
import { markOptions, wordOptions } from '../../../builder/option-marks.ts';
import type { BuildSummary } from '../../../builder/plan/build-summary.ts';
import { FLAG_WORDS, wordBuild } from '../../../builder/plan/option-words.ts';

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

test('wordBuild() words the errors and warnings of a build, and the error that ends it', async (t) => {
  const problem = (message: string) => ({ ref: 'main', file: 'a.md', line: 1, code: 'x', message });
  const advice = `raise it with ${markOptions('maxPageBytes')}`;
  const summary = { errors: [problem(advice), problem('as it is')], warnings: [problem(advice)] };
  const worded = await wordBuild(FLAG_WORDS, async () => summary as unknown as BuildSummary);
  const messages = (problems: readonly { readonly message: string }[]) => problems.map(({ message }) => message);
  t.deepEqual(messages(worded.errors), ['raise it with --max-page', 'as it is']);
  t.deepEqual(messages(worded.warnings), ['raise it with --max-page']);
  const ended = wordBuild(FLAG_WORDS, () => Promise.reject(new BuildError('no-source', advice)));
  await t.throwsAsync(ended, { instanceOf: BuildError, code: 'no-source', message: 'raise it with --max-page' });
});
