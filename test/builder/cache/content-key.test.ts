import test from 'ava';
import { contentKey } from '../../../builder/cache/content-key.ts';
import fc from '../../helpers/fast-check.ts';

const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ':', '1', '2', 'é', '😀', '\0') }),
  fc.uint8Array({ maxLength: 4 }),
);
const parts = fc.array(part, { maxLength: 4 });
const show = (list: readonly (string | Uint8Array)[]): string =>
  JSON.stringify(list.map((item) => (typeof item === 'string' ? item : [...item])));

test('contentKey() gives 40 hex digits', (t) => {
  t.notThrows(() => fc.assert(fc.property(parts, (list) => /^[0-9a-f]{40}$/.test(contentKey(...list)))));
});

test('contentKey() gives different keys for different parts', (t) => {
  fc.assert(
    fc.property(parts, parts, (a, b) => (contentKey(...a) === contentKey(...b)) === (show(a) === show(b))),
    { numRuns: 1_000 },
  );
  for (const [a, b] of [
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['ab'], ['a', 'b']],
    [[''], []],
    [
      ['', 'a'],
      ['a', ''],
    ],
    [['1:a'], ['1', 'a']],
  ] as const) {
    t.not(contentKey(...a), contentKey(...b));
  }
});

test('contentKey() tells bytes from the text of their hash', (t) => {
  t.not(contentKey(Buffer.from('a')), contentKey('86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'));
});
