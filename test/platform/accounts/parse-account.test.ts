import test from 'ava';
import fc from 'fast-check';
import { DataError } from '../../../data/data-error.ts';
import { parseAccount } from '../../../platform/accounts/parse-account.ts';

const fails = (text: string): string | undefined => {
  try {
    parseAccount(text);
    return undefined;
  } catch (error) {
    return error instanceof DataError && error.code === 'invalid' ? error.message : `unexpected ${error}`;
  }
};

test('parseAccount() gives lower case in NFC', (t) => {
  t.is(parseAccount('Reader'), 'reader');
  t.is(parseAccount('  a.b_c-d@example.org '), 'a.b_c-d@example.org');
  t.is(parseAccount('Ame\u0301lie'), 'am\u00e9lie');
  t.is(parseAccount('管理员'), '管理员');
  t.is(parseAccount('42'), '42');
  t.is(parseAccount('x'.repeat(64)), 'x'.repeat(64));
});

test('parseAccount() refuses other lengths', (t) => {
  for (const text of ['', 'a', ' a ', 'x'.repeat(65), 'x'.repeat(100_000)]) t.regex(fails(text)!, /2 to 64 characters/);
});

test('parseAccount() refuses what could be taken for something else', (t) => {
  const texts = [
    '_a',
    '.a',
    '@a',
    'a b',
    'a/b',
    'a\u0000b',
    'a\nb',
    '__proto__',
    'a\u200bb',
    'a\u202eb',
    '<b>',
    'a:b',
    '😀😀',
    '\u0301ab',
  ];
  for (const text of texts) t.regex(fails(text)!, /must have letters and digits/, JSON.stringify(text));
  t.regex(fails('p\u0430ypal')!, /must not mix/);
  for (const text of ['constructor', 'NULL', 'Anonymous']) t.regex(fails(text)!, /is reserved/);
});

test('parseAccount() lets only the operator give away official names', (t) => {
  t.regex(fails('Admin')!, /^Account "admin" is reserved; choose another$/);
  t.is(parseAccount('Admin', { isOfficial: true }), 'admin');
  t.throws(() => parseAccount('undefined', { isOfficial: true }), { instanceOf: DataError });
});

test('parseAccount() gives the same when asked again, or refuses', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
      if (fails(text) !== undefined) return t.regex(fails(text)!, /^(?:An account|Account)/);
      const account = parseAccount(text);
      t.is(parseAccount(account), account);
      t.is(account, account.toLowerCase().normalize('NFC'));
    }),
    { numRuns: 500 },
  );
});
