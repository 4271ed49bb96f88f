import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { codeLength, createCode, isCode, parseCode } from '../../../platform/short-urls/short-code.ts';

test('createCode() returns codes that can be codes, have no look-alikes, and differ', (t) => {
  const codes = Array.from({ length: 20_000 }, () => createCode(100_000));
  t.is(new Set(codes).size, codes.length);
  t.true(codes.every((code) => /^[2-9b-df-hjkmnp-tv-z]{8}$/.test(code)));
  t.deepEqual(codes.slice(0, 100).map(parseCode), codes.slice(0, 100));
});

test('createCode() uses every character about as often', (t) => {
  const counts = new Map<string, number>();
  const text = Array.from({ length: 10_000 }, () => createCode(100_000)).join('');
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const mean = text.length / 28;
  t.is(counts.size, 28);
  // Ten times the standard deviation.
  for (const [character, count] of counts) t.true(Math.abs(count - mean) < 10 * Math.sqrt(mean), character);
});

test('createCode() keeps a million possible codes for each one that exists', (t) => {
  t.is(codeLength(0), 6);
  let before = 6;
  for (const count of [100, 1_000, 10_000, 100_000, 1_000_000, 1e9]) {
    const length = codeLength(count);
    t.true(
      length >= before && 28 ** length > count * 1e6 && 28 ** (length - 1) < (count + 1) * 1e6 + 28 ** 5,
      `${count}`,
    );
    before = length;
  }
});

test('parseCode() keeps letters of either case, digits, "_" and "-"', (t) => {
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
  test(`parseCode() refuses ${JSON.stringify(code)}`, (t) => {
    t.is(t.throws(() => parseCode(code), { instanceOf: DataError, message: /"jid"/ })?.code, 'invalid');
    t.false(isCode(code));
  });
}

test('parseCode() refuses reserved words in any case', (t) => {
  for (const code of ['api', 'API', 'Docbuild', 'openservice', 'control', 'login', 'www', 'login-', 'API_']) {
    t.throws(() => parseCode(code), { instanceOf: DataError, message: /reserved/ });
  }
});
