import test from 'ava';
import { bundledLanguagesInfo } from 'shiki/langs';
import {
  findGrammar,
  isKnownLanguage,
  languageGroup,
  listGrammarNames,
} from '../../../../builder/markdown/code/languages.ts';

test('listGrammarNames() has what Shiki has, and other names of its grammars', (t) => {
  const expected = bundledLanguagesInfo.flatMap(({ id, aliases = [] }) =>
    [id, ...aliases].map((name) => [name, id] as const),
  );
  const names = listGrammarNames();
  const known = new Map(expected);
  t.deepEqual(
    expected.filter(([name, grammar]) => names.get(name) !== grammar),
    [],
  );
  const others = [...names].filter(([name]) => !known.has(name));
  t.deepEqual(
    others.filter(([, grammar]) => known.get(grammar) !== grammar),
    [],
  );
  t.is(names.get('pycon'), 'python');
  t.is(names.get('jinja2'), 'jinja');
});

test('findGrammar() knows aliases and plain text', (t) => {
  t.is(findGrammar('ts'), 'typescript');
  t.is(findGrammar('text'), undefined);
  t.true(isKnownLanguage('text'));
  t.true(isKnownLanguage('no-highlight'));
  t.false(isKnownLanguage('constructor'));
});

test('languageGroup() keeps families together', (t) => {
  t.is(languageGroup('ts'), languageGroup('jsx'));
  t.is(languageGroup('vue'), languageGroup('html'));
  t.is(languageGroup('py'), 'python');
  t.is(languageGroup('txt'), '');
});
