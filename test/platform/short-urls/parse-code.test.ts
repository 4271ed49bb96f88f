import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { isCode, parseCode } from '../../../platform/short-urls/parse-code.ts';

test('parse-code() keeps letters of either case, digits, "_" and "-"', (t) => {
  for (const code of ['ab', 'A1', '42', 'My-Link_2026', 'constructor', 'a'.repeat(64)]) t.is(parseCode(code), code);
});

for (const code of [
  '',
  'a',
  '-ab',
  '_ab',
  '__proto__',
  'a b',
  'a/b',
  'a.b',
  '..',
  'ä1',
  'ａｂ',
  'ab\n',
  'a%62',
  'a'.repeat(65),
]) {
  test(`parse-code() refuses ${JSON.stringify(code)}`, (t) => {
    t.is(t.throws(() => parseCode(code), { instanceOf: DataError, message: /"jid"/ })?.code, 'invalid');
    t.false(isCode(code));
  });
}

test('parse-code() refuses reserved words in any case', (t) => {
  for (const code of ['api', 'API', 'Docbuild', 'openservice', 'control', 'login', 'www']) {
    t.throws(() => parseCode(code), { instanceOf: DataError, message: /reserved/ });
  }
});
