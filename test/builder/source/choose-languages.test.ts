import test from 'ava';
import { chooseLanguages } from '../../../builder/source/choose-languages.ts';
import { findLanguages } from '../../../builder/source/find-languages.ts';
import { createFiles } from './create-files.ts';

function choose(refs: readonly (readonly string[])[], declared?: readonly string[]): readonly string[] {
  const layouts = refs.map((paths) => findLanguages(createFiles(...paths), declared));
  return chooseLanguages(layouts, declared).map(({ code }) => code);
}

test('chooseLanguages() puts English first, the others in the order of the alphabet', (t) => {
  t.deepEqual(choose([['zh/a.md', 'en/a.md', 'de/a.md']]), ['en', 'de', 'zh']);
});

test('chooseLanguages() takes English for pages that do not say their language', (t) => {
  t.deepEqual(choose([['a.md', 'zh_CN/a.md']]), ['en', 'zh_CN']);
  t.deepEqual(choose([['a.md']]), ['en']);
  t.deepEqual(choose([]), ['en']);
});

test('chooseLanguages() takes the English of the folders when there is one', (t) => {
  t.deepEqual(choose([['a.md', 'en-US/a.md', 'fr/a.md']]), ['en-US', 'fr']);
});

test('chooseLanguages() puts the first of the alphabet first where there is no English', (t) => {
  t.deepEqual(choose([['zh/a.md', 'fr/a.md']]), ['fr', 'zh']);
  t.deepEqual(choose([['zh/a.md']]), ['zh']);
});

test('chooseLanguages() adds no English when all pages have suffixes of others', (t) => {
  t.deepEqual(choose([['a.fr.md', 'a.zh.md']]), ['fr', 'zh']);
});

test('chooseLanguages() joins spellings of several refs and takes the first', (t) => {
  t.deepEqual(
    choose([
      ['en/a.md', 'zh_CN/a.md'],
      ['en/a.md', 'zh-cn/a.md'],
      ['EN/a.md', 'zh-CN/a.md', 'fa/a.md'],
    ]),
    ['en', 'fa', 'zh_CN'],
  );
});

test('chooseLanguages() keeps declared languages and their order', (t) => {
  t.deepEqual(choose([['en/a.md', 'fr/a.md']], ['zh_CN', 'en']), ['zh_CN', 'en']);
});

test('chooseLanguages() takes a language that is declared twice once', (t) => {
  t.deepEqual(choose([['en/a.md']], ['en', 'zh_CN', 'zh-cn', 'EN']), ['en', 'zh_CN']);
});

test('chooseLanguages() gives tags and directions', (t) => {
  t.deepEqual(
    chooseLanguages([], ['zh_CN', 'fa', 'az-Arab']).map(({ key, tag, dir }) => [key, tag, dir]),
    [
      ['zh-cn', 'zh-CN', 'ltr'],
      ['fa', 'fa', 'rtl'],
      ['az-arab', 'az-Arab', 'rtl'],
    ],
  );
});
