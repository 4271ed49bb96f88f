import test from 'ava';
import { bundledLanguagesInfo } from 'shiki/langs';
import { findGrammar, isKnownLanguage, languageGroup } from '../../../../builder/markdown/code/languages.ts';

test('findGrammar() knows all names that Shiki has for a grammar, and others', (t) => {
  const expected = bundledLanguagesInfo.flatMap(({ id, aliases = [] }) =>
    [id, ...aliases].map((name) => [name, id] as const),
  );
  t.deepEqual(
    expected.filter(([name, grammar]) => findGrammar(name) !== grammar),
    [],
  );
  const grammars = new Set<string>(bundledLanguagesInfo.map(({ id }) => id));
  const others =
    'pycon ipython3 golang node mkd markdoc jinja2 tera html+jinja gotmpl rhtml batchfile htaccess sh-session ksh env cfg ' +
    'postgresql vbnet obj-c webmanifest irb mermaid-example';
  t.deepEqual(
    others.split(' ').filter((name) => !grammars.has(findGrammar(name) ?? '')),
    [],
  );
  t.is(findGrammar('pycon'), 'python');
  t.is(findGrammar('jinja2'), 'jinja');
});

test('findGrammar() knows aliases and plain text', (t) => {
  t.is(findGrammar('ts'), 'typescript');
  t.is(findGrammar('text'), undefined);
  t.true(isKnownLanguage('text'));
  t.true(isKnownLanguage('no-highlight'));
  t.false(isKnownLanguage('constructor'));
});

test('findGrammar() takes a language with what a site does with its code for that language', (t) => {
  t.is(findGrammar('js-live'), 'javascript');
  t.is(findGrammar('crystal-play'), 'crystal');
  t.is(findGrammar('cr'), 'crystal');
  t.is(findGrammar('sql_snippet'), 'sql');
  t.true(isKnownLanguage('text-example'));
  t.is(findGrammar('vue-html'), 'vue-html');
  for (const unknown of ['nobody-live', 'js.live', '-js', 'x-live', 'js_', 'rst-class', 'code-block']) {
    t.false(isKnownLanguage(unknown), unknown);
  }
});

test('languageGroup() keeps families together', (t) => {
  t.is(languageGroup('ts'), languageGroup('jsx'));
  t.is(languageGroup('vue'), languageGroup('html'));
  t.is(languageGroup('py'), 'python');
  t.is(languageGroup('txt'), '');
});
