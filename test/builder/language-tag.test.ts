import test from 'ava';
import { languageDirection, languageKey, looksLikeLanguage, parseLanguageTag } from '../../builder/language-tag.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

for (const [code, tag, dir] of [
  ['en', 'en', 'ltr'],
  ['zh_CN', 'zh-CN', 'ltr'],
  ['ZH-cn', 'zh-CN', 'ltr'],
  ['zh_hant_tw', 'zh-Hant-TW', 'ltr'],
  ['es-419', 'es-419', 'ltr'],
  ['fa', 'fa', 'rtl'],
  ['ar', 'ar', 'rtl'],
  ['he', 'he', 'rtl'],
  ['iw', 'he', 'rtl'],
  ['ur', 'ur', 'rtl'],
  ['ur-Aran', 'ur-Aran', 'rtl'],
  ['ckb', 'ckb', 'rtl'],
  ['dv', 'dv', 'rtl'],
  ['yi', 'yi', 'rtl'],
  ['sr-Latn', 'sr-Latn', 'ltr'],
  ['sr_Cyrl_RS', 'sr-Cyrl-RS', 'ltr'],
  ['az', 'az', 'ltr'],
  ['az-Arab', 'az-Arab', 'rtl'],
  ['pa-PK', 'pa-PK', 'rtl'],
  ['pa-IN', 'pa-IN', 'ltr'],
  ['nqo', 'nqo', 'rtl'],
  ['ff-Adlm', 'ff-Adlm', 'rtl'],
  ['en-Arab', 'en-Arab', 'rtl'],
] as const) {
  test(`parseLanguageTag() and languageDirection() know ${code}`, (t) => {
    t.is(parseLanguageTag(code), tag);
    t.is(languageDirection(tag), dir);
  });
}

for (const code of [
  '',
  'e',
  'english',
  'en-',
  '-en',
  'en--US',
  'en US',
  'en.US',
  'e1',
  'en-u-ca-gregory',
  'x-klingon',
  '..',
  'en/..',
  'en-toolongsubtag',
  'de-1996-1996',
  '__proto__',
  `en${'-abc'.repeat(30_000)}`,
]) {
  test(`parseLanguageTag() refuses ${JSON.stringify(code.slice(0, 20))}`, (t) => {
    const ms = fastestMs(() => {
      t.is(parseLanguageTag(code), undefined);
    });
    t.true(ms < 50);
  });
}

test('looksLikeLanguage() wants scripts and regions that exist', (t) => {
  t.deepEqual(
    ['zh_CN', 'sr-Latn', 'zh-Hans-SG', 'es-419', 'en'].filter((code) => !looksLikeLanguage(code)),
    [],
  );
  t.deepEqual(['ts-node', 'my-site', 'no-js', 'it-team', 'go', 'js', 'api', 'en-999'].filter(looksLikeLanguage), []);
});

test('languageKey() brings spellings together', (t) => {
  t.is(new Set(['zh_CN', 'zh-cn', 'ZH-CN', 'zh_cn'].map(languageKey)).size, 1);
});

test('a country stands for its language where no language has that code', (t) => {
  t.deepEqual(['cn', 'TW', 'jp', 'kr'].map(parseLanguageTag), ['zh-CN', 'zh-TW', 'ja', 'ko']);
  t.is(languageKey('cn'), languageKey('zh_CN'));
  t.is(parseLanguageTag('br'), 'br', 'Breton');
});

test('languageDirection() agrees with the usual script of every language of two letters', (t) => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  // With its script a language is no common one, and looked up.
  const direct = codes.map((code) => `${code} ${languageDirection(code)}`);
  t.deepEqual(
    direct,
    codes.map((code) => `${code} ${languageDirection(new Intl.Locale(code).maximize().toString())}`),
  );
});
