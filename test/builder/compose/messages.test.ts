import { readdirSync } from 'node:fs';
import test from 'ava';
import { findMessages, MESSAGE_LANGUAGES } from '../../../builder/compose/messages.ts';
import { DEFAULT_TITLES } from '../../../builder/markdown/page/titles.ts';

const english = findMessages('en');

test('findMessages() gives English where there is no better', (t) => {
  t.is(findMessages('sw'), findMessages('sw'));
  t.deepEqual(findMessages('sw'), english);
  t.deepEqual(findMessages('not a tag'), english);
  t.deepEqual(findMessages('../en'), english);
});

test('findMessages() gives the base language', (t) => {
  t.is(findMessages('pt-BR').next, findMessages('pt').next);
  t.is(findMessages('de-AT').next, 'Weiter');
});

test('findMessages() tells the scripts of Chinese apart', (t) => {
  t.is(findMessages('zh').next, findMessages('zh-CN').next);
  t.is(findMessages('zh-Hant').copy, findMessages('zh-TW').copy);
  t.is(findMessages('zh-HK').copy, findMessages('zh-TW').copy);
  t.is(findMessages('zh-cn').copy, findMessages('zh-CN').copy);
});

test('every language of the folder is known, and none else', (t) => {
  const files = readdirSync(new URL('../../../../templates/messages/', import.meta.url));
  t.deepEqual(files.map((file) => file.replace('.json', '')).sort(), [...MESSAGE_LANGUAGES].sort());
});

/** Returns all texts by their names, of groups of texts as well. */
function listTexts(texts: object, prefix = ''): ReadonlyMap<string, string> {
  const entries = Object.entries(texts) as readonly (readonly [string, string | object])[];
  return new Map(
    entries.flatMap(([name, text]) =>
      typeof text === 'string' ? [[prefix + name, text] as const] : [...listTexts(text, `${prefix}${name}.`)],
    ),
  );
}

for (const tag of MESSAGE_LANGUAGES) {
  test(`messages of ${tag} are complete`, (t) => {
    const messages = findMessages(tag);
    const texts = listTexts(messages);
    t.deepEqual([...texts.keys()], [...listTexts(english).keys()]);
    for (const [name, text] of texts) {
      t.true(text.trim().length > 0, name);
      const places = (one: string): readonly string[] => [...one.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
      t.deepEqual(places(text), places(listTexts(english).get(name)!), name);
    }
    t.is(messages.fallback.split('{language}').length, 2);
  });
}

test('messages have a word for each that the Markdown renderer adds', (t) => {
  t.deepEqual(Object.keys(english.titles).sort(), Object.keys(DEFAULT_TITLES).sort());
});
