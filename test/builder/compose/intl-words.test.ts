import test from 'ava';
import { DAY_PATTERNS, formatDay, languageName, OWN_NAMES } from '../../../builder/compose/intl-words.ts';

test('languages call themselves as Intl.DisplayNames says', (t) => {
  for (const [tag, name] of OWN_NAMES) {
    t.is(new Intl.DisplayNames([tag], { type: 'language', languageDisplay: 'standard' }).of(tag), name);
    t.is(languageName(tag, tag), name);
  }
});

test('days are what Intl.DateTimeFormat says', (t) => {
  for (const tag of [...DAY_PATTERNS.keys(), 'de', 'fa', 'not a tag']) {
    const format = new Intl.DateTimeFormat([tag === 'not a tag' ? 'en' : tag], { dateStyle: 'long', timeZone: 'UTC' });
    for (const year of [1, 1599, 1600, 1970, 2026, 9999, 10_000]) {
      for (let month = 0; month < 12; month++) {
        const day = new Date(Date.UTC(2000, month, month * 2 + 5, 23, 59));
        day.setUTCFullYear(year);
        t.is(formatDay(day, tag), format.format(day));
      }
    }
  }
});

test("languageName() speaks the reader's language", (t) => {
  t.is(languageName('en', 'zh-CN'), '英语');
  t.is(languageName('de', 'fr'), 'allemand');
  t.is(languageName('de', 'de'), 'Deutsch');
});

test('languageName() gives back what is no language', (t) => {
  t.is(languageName('not a tag', 'en'), 'not a tag');
});
