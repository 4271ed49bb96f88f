import test from 'ava';
import { append } from '../../lib/append.ts';

test('append() adds more items than a call can have arguments', (t) => {
  const list = [0];
  append(
    list,
    Array.from({ length: 300_000 }, (_, index) => index + 1),
  );
  t.is(list.length, 300_001);
  t.is(list.at(-1), 300_000);
});
