import { readdirSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { type Cache, defineCacheKind, openCache } from '../../../builder/cache/cache.ts';
import { createFolder } from '../../helpers/create-repository.ts';

const FACTS = defineCacheKind<{ readonly size: number; readonly note?: string | undefined } | null>('facts');

function open(folder: string, engineVersion = '1'): Cache {
  return openCache({ folder, maxBytes: 1e6, engineVersion });
}

/** Returns a function that counts how often it was called. */
function createMaker<T>(value: T) {
  const maker = {
    calls: 0,
    async make() {
      maker.calls++;
      return value;
    },
  };
  return maker;
}

async function ask(t: ExecutionContext, cache: Cache, parts: readonly string[], expected: 'made' | 'found') {
  const maker = createMaker({ size: 1 });
  t.deepEqual(await cache.memo(FACTS, parts, maker.make), { size: 1 });
  t.is(maker.calls, expected === 'made' ? 1 : 0, parts.join(' '));
}

test('memo() makes a value once for its kind, its parts and the engine, also for later builds', async (t) => {
  const folder = createFolder(t);
  const first = open(folder);
  await ask(t, first, ['a', 'b'], 'made');
  await ask(t, first, ['a', 'b'], 'found');
  await ask(t, first, ['ab'], 'made');
  t.is(first.recall(defineCacheKind('others'), ['a', 'b']), undefined);
  t.is(first.close(), undefined);

  const second = open(folder);
  await ask(t, second, ['a', 'b'], 'found');
  t.deepEqual(second.recall(FACTS, ['ab']), { size: 1 });
  second.close();

  const other = open(folder, '2');
  await ask(t, other, ['a', 'b'], 'made');
  other.close();
});

test('memo() returns a value as it will be read, the first time as well', async (t) => {
  const cache = open(createFolder(t));
  const make = createMaker({ size: 1, note: undefined }).make;
  t.deepEqual(Object.keys((await cache.memo(FACTS, ['a'], make)) ?? {}), ['size']);
  t.deepEqual(Object.keys(cache.recall(FACTS, ['a']) ?? {}), ['size']);
  cache.close();
});

test('memo() keeps that there is nothing, too', async (t) => {
  const cache = open(createFolder(t));
  const maker = createMaker(null);
  t.is(await cache.memo(FACTS, ['a'], maker.make), null);
  t.is(await cache.memo(FACTS, ['a'], maker.make), null);
  t.is(maker.calls, 1);
  cache.close();
});

test('memo() lets callers at the same time share one value, or one failure, which is not kept', async (t) => {
  const cache = open(createFolder(t));
  const maker = createMaker({ size: 1 });
  const both = [cache.memo(FACTS, ['a'], maker.make), cache.memo(FACTS, ['a'], maker.make)];
  t.deepEqual(await Promise.all(both), [{ size: 1 }, { size: 1 }]);
  t.is(maker.calls, 1);
  let failures = 0;
  const fail = async (): Promise<never> => {
    failures++;
    throw new Error('No');
  };
  const failed = await Promise.allSettled([cache.memo(FACTS, ['b'], fail), cache.memo(FACTS, ['b'], fail)]);
  t.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.is(failures, 1);
  await ask(t, cache, ['b'], 'made');
  cache.close();
});

test('a kind that is kept in memory serves caches in other folders; one that is not reads from its own', async (t) => {
  const recent = defineCacheKind<{ readonly size: number }>('recent', { maxEntries: 1 });
  const [first, second] = [open(createFolder(t)), open(createFolder(t))];
  first.keep(recent, ['a'], { size: 1 });
  first.keep(FACTS, ['a'], { size: 1 });
  t.deepEqual(second.recall(recent, ['a']), { size: 1 });
  t.is(second.recall(FACTS, ['a']), undefined);
  // Another value takes its place in memory.
  first.keep(recent, ['b'], { size: 2 });
  t.is(second.recall(recent, ['a']), undefined);
  t.deepEqual(first.recall(recent, ['a']), { size: 1 });
  first.close();
  second.close();
});

test('a cache of something else, or damaged, begins anew', async (t) => {
  const folder = createFolder(t);
  const cache = open(folder);
  await ask(t, cache, ['a'], 'made');
  cache.close();
  for (const name of readdirSync(folder)) writeFileSync(`${folder}/${name}`, 'no segment');
  const again = open(folder);
  t.true(again.isEmpty);
  await ask(t, again, ['a'], 'made');
  t.is(again.close(), undefined);
});
