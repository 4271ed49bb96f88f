import test from 'ava';
import { bundledLanguagesInfo } from 'shiki/langs';
import {
  findGrammar,
  isKnownLanguage,
  languageGroup,
  listGrammarNames,
} from '../../../../builder/markdown/code/languages.ts';

test('listGrammarNames() has what Shiki has', (t) => {
  const expected = bundledLanguagesInfo.flatMap(({ id, aliases = [] }) =>
    [id, ...aliases].map((name) => [name, id] as const),
  );
  t.deepEqual([...listGrammarNames()].sort(), [...expected].sort());
});

test('findGrammar() knows aliases and plain text', (t) => {
  t.is(findGrammar('ts'), 'typescript');
  t.is(findGrammar('text'), undefined);
  t.true(isKnownLanguage('text'));
  t.false(isKnownLanguage('constructor'));
});

test('languageGroup() keeps families together', (t) => {
  t.is(languageGroup('ts'), languageGroup('jsx'));
  t.is(languageGroup('vue'), languageGroup('html'));
  t.is(languageGroup('py'), 'python');
  t.is(languageGroup('txt'), '');
});
