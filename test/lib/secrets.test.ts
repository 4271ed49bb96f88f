import test from 'ava';
import { createSecret, hashSecret, isSameSecret } from '../../lib/secrets.ts';

test('secrets are drawn at random and long enough', (t) => {
  const drawn = new Set(Array.from({ length: 100 }, createSecret));
  t.is(drawn.size, 100);
  for (const secret of drawn) t.regex(secret, /^[A-Za-z0-9_-]{43}$/);
});

test('hashSecret() returns the SHA-256 in hex', (t) => {
  // FIPS 180-2, appendix B.1
  t.is(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('isSameSecret() compares texts of any length and script', (t) => {
  t.true(isSameSecret('', ''));
  t.true(isSameSecret('Größe 秘密', 'Größe 秘密'));
  for (const [one, other] of [
    ['a', ''],
    ['a', 'A'],
    ['a', 'a '],
    ['abc', 'abd'],
  ] as const) {
    t.false(isSameSecret(one, other), `${one} ${other}`);
  }
});
