import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { contentKey } from '../../../builder/cache/content-key.ts';
import { openEntryStore } from '../../../builder/cache/entry-store.ts';
import { createFolder } from '../../helpers/create-repository.ts';

const run = promisify(execFile);
const child = fileURLToPath(new URL('store-child.js', import.meta.url));

const open = (folder: string, maxBytes = 1e9, now?: () => number) =>
  openEntryStore({ folder, maxBytes, ...(now && { now }) });

/** Opens a store, keeps texts under their hashes, and closes it. */
function keep(folder: string, texts: readonly string[], maxBytes?: number, now?: () => number): void {
  const store = open(folder, maxBytes, now);
  for (const text of texts) store.set(contentKey(text), Buffer.from(text));
  store.close();
}

/** Returns which of the texts a store still has. */
function find(folder: string, texts: readonly string[]): readonly string[] {
  const store = open(folder);
  const found = texts.filter((text) => store.read(contentKey(text), String) === text);
  store.close();
  return found;
}

const segments = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.seg'));
const totalBytes = (folder: string): number =>
  segments(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

test('openEntryStore() gives what was kept, at once and in the next run', (t) => {
  const folder = join(createFolder(t), 'deep/cache');
  const store = open(folder);
  const key = contentKey('a');
  t.false(store.has(key));
  t.is(store.read(key, String), undefined);
  store.set(key, Buffer.from('value'));
  t.true(store.has(key));
  t.is(store.read(key, String), 'value');
  t.is(store.close(), undefined);
  const next = open(folder);
  t.true(next.has(key));
  t.is(next.read(key, String), 'value');
  next.close();
});

test('openEntryStore() writes nothing when nothing is new', (t) => {
  const folder = createFolder(t);
  keep(folder, ['a']);
  const before = segments(folder);
  keep(folder, ['a']);
  t.deepEqual(segments(folder), before);
});

test('openEntryStore() writes what is waiting before it gets too much', (t) => {
  const folder = createFolder(t);
  const store = open(folder);
  for (let at = 0; at < 20; at++) store.set(contentKey(String(at)), Buffer.alloc(2_000_000, at));
  t.is(segments(folder).length, 1);
  for (let at = 0; at < 20; at++)
    t.is(
      store.read(contentKey(String(at)), ([byte]) => byte),
      at,
    );
  store.close();
});

test('openEntryStore() joins many small segments and loses nothing', (t) => {
  const folder = createFolder(t);
  const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
  for (const text of texts) keep(folder, [text]);
  t.true(segments(folder).length <= 25);
  t.deepEqual(find(folder, texts), texts);
});

test('openEntryStore() joins segments of which one is damaged and keeps the rest', (t) => {
  const folder = createFolder(t);
  const texts = Array.from({ length: 24 }, (_, at) => `text ${at}`);
  for (const text of texts) keep(folder, [text]);
  const path = join(folder, segments(folder)[0]!);
  const bytes = readFileSync(path);
  bytes[0]! ^= 0xff;
  writeFileSync(path, bytes);
  keep(folder, ['last']);
  t.is(find(folder, texts).length, 23);
});

test('openEntryStore() keeps within its size and drops what was not used for longest', (t) => {
  const folder = createFolder(t);
  const text = (at: number): string => String.fromCharCode(97 + at).repeat(10_000);
  const limit = 35_000;
  for (let at = 0; at < 3; at++) keep(folder, [text(at)], limit, () => at * 1000 + 1000);
  // The first one is used again.
  const store = open(folder, limit, () => 10_000);
  store.read(contentKey(text(0)), String);
  store.set(contentKey(text(3)), Buffer.from(text(3)));
  store.close();
  t.true(totalBytes(folder) <= limit);
  t.deepEqual(
    find(folder, [0, 1, 2, 3].map(text)).map((found) => found[0]),
    ['a', 'c', 'd'],
  );
});

test('openEntryStore() keeps no segment larger than its size', (t) => {
  const folder = createFolder(t);
  keep(folder, ['x'.repeat(5000)], 1000);
  t.is(totalBytes(folder), 0);
  keep(folder, ['small'], 1000);
  t.deepEqual(find(folder, ['small']), ['small']);
});

test('openEntryStore() drops one large segment rather than all small ones', (t) => {
  const folder = createFolder(t);
  keep(folder, ['x'.repeat(5000)], 1e9, () => 5000);
  keep(folder, ['small'], 1e9, () => 1000);
  keep(folder, ['new'], 1000, () => 9000);
  t.deepEqual(find(folder, ['small', 'new']), ['small', 'new']);
});

test('openEntryStore() removes temporary files of processes that died long ago, and no others', (t) => {
  const folder = createFolder(t);
  for (const name of ['old.seg.tmp', 'new.seg.tmp', 'notes.txt']) writeFileSync(join(folder, name), 'x');
  utimesSync(join(folder, 'old.seg.tmp'), 1, 1);
  utimesSync(join(folder, 'notes.txt'), 1, 1);
  keep(folder, []);
  t.deepEqual(readdirSync(folder).sort(), ['new.seg.tmp', 'notes.txt']);
});

test('openEntryStore() gets over a folder in place of a segment or of a temporary file', (t) => {
  const folder = createFolder(t);
  keep(folder, ['a', 'b']);
  mkdirSync(join(folder, `${'0'.repeat(24)}.seg`));
  mkdirSync(join(folder, 'x.seg.tmp'));
  utimesSync(join(folder, 'x.seg.tmp'), 1, 1);
  t.deepEqual(find(folder, ['a', 'b']), ['a', 'b']);
  keep(folder, ['c']);
  t.deepEqual(find(folder, ['a', 'b', 'c']), ['a', 'b', 'c']);
});

test('openEntryStore() works in memory where its folder cannot be, and says why', (t) => {
  const file = join(createFolder(t), 'file');
  writeFileSync(file, '');
  const store = open(join(file, 'cache'));
  store.set(contentKey('a'), Buffer.from('a'));
  t.is(store.read(contentKey('a'), String), 'a');
  t.truthy(store.close());
});

test('openEntryStore() closes twice, and gives nothing afterwards', (t) => {
  const folder = createFolder(t);
  keep(folder, ['a']);
  const store = open(folder);
  store.close();
  t.is(store.read(contentKey('a'), String), undefined);
  t.notThrows(() => store.close());
});

test('openEntryStore() takes a value anew when the kept one turns out damaged', (t) => {
  const folder = createFolder(t);
  keep(folder, ['value']);
  const path = join(folder, segments(folder)[0]!);
  const bytes = readFileSync(path);
  bytes[0]! ^= 0xff;
  writeFileSync(path, bytes);
  const store = open(folder);
  t.false(store.has(contentKey('value')));
  store.set(contentKey('value'), Buffer.from('value'));
  t.is(store.read(contentKey('value'), String), 'value');
  store.close();
  t.deepEqual(find(folder, ['value']), ['value']);
});

test('openEntryStore() serves two stores on one folder', (t) => {
  const folder = createFolder(t);
  keep(folder, ['old']);
  const a = open(folder);
  const b = open(folder);
  a.set(contentKey('a'), Buffer.from('a'));
  b.set(contentKey('b'), Buffer.from('b'));
  a.close();
  t.is(b.read(contentKey('old'), String), 'old');
  b.close();
  t.deepEqual(find(folder, ['old', 'a', 'b']), ['old', 'a', 'b']);
});

test('openEntryStore() goes on when its files are deleted meanwhile', (t) => {
  const folder = createFolder(t);
  keep(folder, ['a']);
  const store = open(folder);
  rmSync(folder, { recursive: true });
  t.is(store.read(contentKey('a'), String), 'a');
  store.set(contentKey('b'), Buffer.from('b'));
  store.close();
  t.false(existsSync(folder));
});

test('openEntryStore() serves several processes at once and never gives a wrong value', async (t) => {
  const folder = createFolder(t);
  const task = JSON.stringify({ folder, rounds: 40, maxBytes: 60_000 });
  const answers = await Promise.all([1, 2, 3].map(() => run(process.execPath, [child, task])));
  for (const { stdout } of answers) {
    const { wrong, found } = JSON.parse(stdout) as { wrong: string[]; found: number };
    t.deepEqual(wrong, []);
    t.true(found > 0);
  }
  t.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('openEntryStore() reads from a folder in which it may not write', async (t) => {
  const folder = createFolder(t);
  const cache = join(folder, 'cache');
  keep(
    cache,
    Array.from({ length: 50 }, (_, at) => String(at).repeat(100)),
  );
  chmodSync(folder, 0o755);
  for (const name of segments(cache)) chmodSync(join(cache, name), 0o444);
  chmodSync(cache, 0o555);
  const before = segments(cache);
  const isRoot = process.getuid?.() === 0;
  const task = JSON.stringify({ folder: cache, rounds: 1, maxBytes: 1e9, isReadOnly: true });
  const { stdout } = await run(process.execPath, [child, task], isRoot ? { uid: 65_534 } : {});
  t.deepEqual(JSON.parse(stdout), { wrong: [], found: 50 });
  t.deepEqual(segments(cache), before);
});

test('openEntryStore() leaves a segment that it may not read', async (t) => {
  const folder = createFolder(t);
  const cache = join(folder, 'cache');
  keep(cache, ['a']);
  chmodSync(folder, 0o755);
  chmodSync(cache, 0o777);
  chmodSync(join(cache, segments(cache)[0]!), 0o000);
  const before = segments(cache)[0]!;
  const isRoot = process.getuid?.() === 0;
  const task = JSON.stringify({ folder: cache, rounds: 1, maxBytes: 1e9, isReadOnly: true });
  await run(process.execPath, [child, task], isRoot ? { uid: 65_534 } : {});
  t.true(segments(cache).includes(before));
});
