import test from 'ava';
import { createBoundedMap, createWorkMemory, memoize } from '../../lib/bounded-map.ts';
import fc from '../helpers/fast-check.ts';

test('a bounded map drops what was not used for longest', (t) => {
  const map = createBoundedMap<string, number>({ maxEntries: 3 });
  for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i);
  t.is(map.get('a'), 0);
  t.is(map.peek('b'), 1, 'peek() is no use');
  map.set('d', 3);
  t.deepEqual(
    [...map.entries()],
    [
      ['d', 3],
      ['a', 0],
      ['c', 2],
    ],
  );
  map.set('c', 7);
  map.set('e', 4);
  t.deepEqual(
    [...map.entries()].map(([key]) => key),
    ['e', 'c', 'd'],
  );
  t.true(map.delete('d'));
  t.false(map.delete('d'));
  t.is(map.get('d'), undefined);
  t.is(map.size, 2);
});

test('a bounded map weighs its entries, and keeps none that is too heavy by itself', (t) => {
  const map = createBoundedMap<string, string>({ maxWeight: 10, weigh: (value, key) => value.length + key.length });
  map.set('a', 'xxxx');
  map.set('b', 'xxxx');
  map.set('a', 'x');
  map.set('c', 'xx');
  t.deepEqual(
    [...map.entries()].map(([key]) => key),
    ['c', 'a', 'b'],
  );
  map.set('d', 'x');
  t.deepEqual(
    [...map.entries()].map(([key]) => key),
    ['d', 'c', 'a'],
  );
  map.set('c', 'x'.repeat(20));
  t.deepEqual(
    [...map.entries()].map(([key]) => key),
    ['d', 'a'],
    'the value before is gone, too',
  );
});

test('a bounded map answers as a plain list in the order of use does', (t) => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.record({ do: fc.constantFrom('get', 'peek', 'set', 'delete'), key, value: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = createBoundedMap<string, number>({ maxEntries: 4, maxWeight: 20, weigh: (value) => value + 1 });
      let list: (readonly [string, number])[] = [];
      for (const one of steps) {
        const found = list.find(([name]) => name === one.key);
        const others = list.filter(([name]) => name !== one.key);
        if (one.do === 'get') {
          t.is(map.get(one.key), found?.[1]);
          if (found) list = [...others, found];
        } else if (one.do === 'peek') t.is(map.peek(one.key), found?.[1]);
        else if (one.do === 'delete') {
          t.is(map.delete(one.key), found !== undefined);
          list = others;
        } else {
          map.set(one.key, one.value);
          list = [...others, [one.key, one.value]];
          const weight = () => list.reduce((sum, [, value]) => sum + value + 1, 0);
          while (list.length > 4 || weight() > 20) list.shift();
        }
        t.deepEqual([...map.entries()].reverse(), list);
        t.is(map.size, list.length);
      }
    }),
  );
});

test('memoize() computes once while a result is remembered, undefined included', (t) => {
  const asked: string[] = [];
  const upper = memoize((text: string) => {
    asked.push(text);
    return text === '' ? undefined : text.toUpperCase();
  }, 2);
  t.deepEqual([upper('a'), upper(''), upper('a'), upper('')], ['A', undefined, 'A', undefined]);
  t.deepEqual(asked, ['a', '']);
  upper('b');
  upper('');
  upper('a');
  t.deepEqual(asked, ['a', '', 'b', 'a']);
});

test('memoize() remembers the last half of its entries, however many keys are asked for', (t) => {
  let computed = 0;
  const double = memoize((text: string) => {
    computed++;
    return text + text;
  }, 10);
  for (let key = 0; key < 1_000; key++) double(`${key}`);
  t.is(computed, 1_000);
  for (const key of [999, 998, 997, 996, 995]) t.is(double(`${key}`), `${key}${key}`);
  t.is(computed, 1_000);
  double('989');
  t.is(computed, 1_001);
});

test('createWorkMemory() does work once at a time, remembers it within its limits, and does what failed again', async (t) => {
  const recall = createWorkMemory<string, string>({ maxWeight: 5, weigh: (value) => value.length });
  const made: string[] = [];
  const make = (value: string) => async (): Promise<string> => {
    made.push(value);
    await Promise.resolve();
    if (value === '') throw new Error('Nothing');
    return value;
  };
  t.deepEqual(await Promise.all([recall('a', make('one')), recall('a', make('two'))]), ['one', 'one']);
  t.is(recall('a', make('three')), 'one', 'at once');
  await recall('b', make('four'));
  t.is(await recall('a', make('five')), 'five');
  t.deepEqual(made, ['one', 'four', 'five']);
  await t.throwsAsync(async () => recall('c', make('')), { message: 'Nothing' });
  t.is(await recall('c', make('six')), 'six');
});
