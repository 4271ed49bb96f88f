import test from 'ava';
import { type ChunkedRows, createChunkedRows } from '../../../data/lowdb/chunked-rows.ts';
import fc from '../../helpers/fast-check.ts';

const read = (rows: ChunkedRows): readonly string[] => JSON.parse(`[${Buffer.concat(rows.toBuffers())}]`) as string[];
const key = fc.integer({ min: 0, max: 30 }).map(String);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 150_000 }).map((length) => 'é'.repeat(length)) },
);

test('createChunkedRows() holds what was put in last, whatever was put in and taken out', (t) => {
  const changes = fc.array(fc.tuple(key, fc.option(text, { nil: undefined })), { maxLength: 60 });
  fc.assert(
    fc.property(fc.dictionary(key, text), changes, (start, list) => {
      const known = new Map(Object.entries(start));
      const rows = createChunkedRows([...known].map(([name, value]) => [name, JSON.stringify([name, value])]));
      for (const [name, value] of list) {
        if (value === undefined) known.delete(name);
        else known.set(name, value);
        rows.set(name, value === undefined ? undefined : JSON.stringify([name, value]));
      }
      const found = read(rows) as unknown as [string, string][];
      t.deepEqual([...found].sort(), [...known].sort());
      t.is(rows.bytes, known.size === 0 ? 0 : Buffer.concat(rows.toBuffers()).length + 2);
    }),
  );
});

test('createChunkedRows() leaves pieces that were given as they were', (t) => {
  const rows = createChunkedRows([
    ['a', '"a"'],
    ['b', '"b"'],
  ]);
  const before = rows.toBuffers();
  rows.set('a', '"changed"');
  rows.set('b', undefined);
  t.is(Buffer.concat(before).toString(), '"a",\n"b"');
  t.deepEqual(read(rows), ['changed']);
});

test('createChunkedRows() makes one piece again for a change, and few pieces stay when most rows go', (t) => {
  const json = (i: number): string => JSON.stringify(`${i} ${'x'.repeat(400)}`);
  const rows = createChunkedRows(Array.from({ length: 20_000 }, (_, i) => [`${i}`, json(i)] as const));
  const before = new Set(rows.toBuffers());
  t.true(before.size > 100 && before.size < 300, `${before.size}`);
  rows.set('7000', json(1));
  t.is(rows.toBuffers().filter((piece) => !before.has(piece)).length, 2); // the last one is always cut again
  for (let i = 0; i < 19_000; i++) rows.set(`${i}`, undefined);
  for (let i = 0; i < 2_000; i++) rows.set(`new ${i}`, json(i));
  t.true(rows.toBuffers().length < 40, `${rows.toBuffers().length}`);
  t.is(read(rows).length, 3_000);
});
