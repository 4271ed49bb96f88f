import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { contentKey } from '../../../builder/cache/content-key.ts';
import { openEntryStore } from '../../../builder/cache/entry-store.ts';
import { openSegment, readSegmentValue, writeSegment } from '../../../builder/cache/segment.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import fc from '../../helpers/fast-check.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';

const values = new Map(['', 'a', 'hello', 'x'.repeat(50)].map((text) => [contentKey(text), Buffer.from(text)]));

test('writeSegment() and openSegment() keep values of any size', (t) => {
  const path = join(createFolder(t), 'a.seg');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uint8Array({ maxLength: 200 }), { maxLength: 20, selector: (bytes) => contentKey(bytes) }),
      (list) => {
        const kept = new Map(list.map((bytes) => [contentKey(bytes), Buffer.from(bytes)]));
        writeSegment(path, kept);
        const opened = openSegment(path);
        if (opened === undefined || opened === 'damaged') return t.fail();
        t.is(opened.index.size, kept.size);
        for (const [key, value] of kept) t.deepEqual(readSegmentValue(opened, opened.index.get(key)!), value);
      },
    ),
    { numRuns: 50 },
  );
});

test('writeSegment() keeps more values than a system takes at once', (t) => {
  const path = join(createFolder(t), 'a.seg');
  const many = new Map(
    Array.from({ length: 3_000 }, (_, at) => [contentKey(`${at}`), Buffer.from(`${at % 3 ? at : ''}`)]),
  );
  writeSegment(path, many);
  const opened = openSegment(path);
  if (opened === undefined || opened === 'damaged') return t.fail();
  for (const [key, value] of many) t.deepEqual(readSegmentValue(opened, opened.index.get(key)!), value);
});

diskTest('writeSegment() says that a disk is full and leaves nothing there', (t) => {
  const folder = mountDisk(t, 'size=1m');
  const big = new Map(Array.from({ length: 40 }, (_, at) => [contentKey(`${at}`), Buffer.alloc(50_000, at)]));
  t.throws(() => writeSegment(join(folder, 'a.seg'), big), { code: 'ENOSPC' } as object);
  t.deepEqual(readdirSync(folder), []);
});

/** Opens a store on one damaged segment and checks that it gives right values or none. */
function readDamaged(folder: string, bytes: Buffer): { readonly wrong: readonly string[]; readonly found: number } {
  writeFileSync(join(folder, `${'0'.repeat(24)}.seg`), bytes);
  const store = openEntryStore({ folder, maxBytes: 1e9 });
  const wrong: string[] = [];
  let found = 0;
  for (const [key, value] of values) {
    const read = store.read(key, Buffer.from);
    if (read !== undefined) found++;
    if (read !== undefined && !read.equals(value)) wrong.push(key);
    // A key that is known must have its value, else whoever asked first relies on nothing.
    if (store.has(key) !== (store.read(key, Buffer.from) !== undefined)) wrong.push(`has ${key}`);
  }
  store.close();
  return { wrong, found };
}

function createSegment(folder: string): Buffer {
  const path = join(folder, `${'0'.repeat(24)}.seg`);
  writeSegment(path, values);
  return readFileSync(path);
}

test('openEntryStore() gives the right value or none after any byte of a segment has changed', (t) => {
  const folder = createFolder(t);
  const whole = createSegment(folder);
  t.is(readDamaged(folder, whole).found, values.size);
  for (let at = 0; at < whole.length; at++) {
    for (const flip of [0x01, 0x80, 0xff]) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= flip;
      t.deepEqual(readDamaged(folder, damaged).wrong, [], `byte ${at} xor ${flip}`);
    }
  }
});

test('openEntryStore() gives no value of a segment that was cut off anywhere', (t) => {
  const folder = createFolder(t);
  const whole = createSegment(folder);
  for (let length = 0; length < whole.length; length++) {
    t.deepEqual(readDamaged(folder, whole.subarray(0, length)), { wrong: [], found: 0 }, `length ${length}`);
  }
});

test('openEntryStore() gives no value of a file of any other content', (t) => {
  const folder = createFolder(t);
  const whole = createSegment(folder);
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(whole.length), (noise, at) => {
        const mixed = Buffer.concat([whole.subarray(0, at), noise, whole.subarray(at)]);
        return (
          readDamaged(folder, mixed).wrong.length === 0 && readDamaged(folder, Buffer.from(noise)).wrong.length === 0
        );
      }),
      { numRuns: 30 },
    ),
  );
});

test('openEntryStore() gives no value of a segment that is cut off while it is open', (t) => {
  const folder = createFolder(t);
  createSegment(folder);
  const store = openEntryStore({ folder, maxBytes: 1e9 });
  truncateSync(join(folder, `${'0'.repeat(24)}.seg`), 10);
  for (const [key, value] of values) {
    const read = store.read(key, Buffer.from);
    t.true(read === undefined || read.equals(value));
  }
  t.is(store.close(), undefined);
});
