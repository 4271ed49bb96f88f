import test from 'ava';
import { naturalKey } from '../../lib/natural-order.ts';
import fc from '../helpers/fast-check.ts';

const sortNaturally = (texts: readonly string[]) =>
  [...texts].sort((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : naturalKey(a) > naturalKey(b) ? 1 : 0));

test('naturalKey() sorts numbers by their value', (t) => {
  const sorted = ['1.2', '1.10', '2', '10', 'a', 'a2b9', 'a2b10', 'a10', 'v9', 'v10', 'v99999999999999999999', 'va'];
  t.deepEqual(sortNaturally([...sorted].reverse()), sorted);
});

test('naturalKey() tells different texts apart', (t) => {
  const text = fc.stringMatching(/^[0-9a-c-]{0,8}$/);
  t.notThrows(() => fc.assert(fc.property(text, text, (a, b) => (naturalKey(a) === naturalKey(b)) === (a === b))));
});
