import test from 'ava';
import { type CachedFile, createFileCache } from '../../../platform/sites/file-cache.ts';

const createFile = (ino: number, bytes: number): CachedFile => ({
  stamp: { dev: 1n, ino: BigInt(ino), size: BigInt(bytes), mtimeNs: 1n },
  content: { size: bytes, hash: String(ino), body: Buffer.alloc(bytes), compressed: new Map() },
  wasUsed: false,
});

test('createFileCache() drops what was not used, in the order in which it came', (t) => {
  const cache = createFileCache(40_000);
  const files = [1, 2, 3, 4, 5].map((ino) => createFile(ino, 10_000));
  const [first, second, third, fourth, fifth] = files as [CachedFile, CachedFile, CachedFile, CachedFile, CachedFile];
  cache.add(first);
  cache.add(second);
  cache.add(third);
  first.wasUsed = true;
  cache.add(fourth);
  t.deepEqual(
    files.slice(0, 4).map((file) => cache.find(file.stamp) === file),
    [true, false, true, true],
  );
  t.is(second.content, undefined);
  t.false(first.wasUsed, 'it has to be used again to stay again');
  cache.add(fifth);
  t.deepEqual(
    files.map((file) => file.content !== undefined),
    [true, false, false, true, true],
  );
});

test('createFileCache() knows how much it holds', (t) => {
  const cache = createFileCache(100_000);
  const file = createFile(1, 10_000);
  cache.add(file);
  const alone = cache.bytes;
  cache.add(file);
  t.is(cache.bytes, alone);
  cache.grow(file, 500);
  t.is(cache.bytes, alone + 500);
  cache.grow(createFile(2, 1), 500);
  t.is(cache.bytes, alone + 500, 'not one of its own');
  for (let ino = 10; ino < 200; ino++) {
    cache.add(createFile(ino, 10_000));
    t.true(cache.bytes <= 100_000 && cache.bytes > 0);
  }
  t.is(cache.find(file.stamp), undefined);
  t.is(cache.bytes, 8 * alone);
});
