import test from 'ava';
import { createInclusionCache } from '../../../platform/inclusion/answer-cache.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';

const DAY_MS = 86_400_000;

function createSetup(maxEntries = 100, maxDays = 30) {
  const { inclusions: store } = createMemoryStore();
  const clock = { ms: Date.parse('2026-03-15T10:30:00Z') };
  const cache = createInclusionCache({ store, maxDays, maxEntries, now: () => new Date(clock.ms) });
  return { store, clock, cache };
}

test('inclusion-cache: remembers for its days, by engine', async (t) => {
  const { cache, clock } = createSetup();
  t.false(await cache.has('alpha', 'a.example'));
  await cache.remember('alpha', 'a.example');
  clock.ms += 30 * DAY_MS - 1;
  t.true(await cache.has('alpha', 'a.example'));
  t.false(await cache.has('beta', 'a.example'));
  clock.ms += 1;
  t.false(await cache.has('alpha', 'a.example'));
});

test('inclusion-cache: forgets what it is told to and what is too much, and hides what is too old', async (t) => {
  const { cache, clock, store } = createSetup(2);
  for (const url of ['a', 'b', 'c']) {
    await cache.remember('alpha', url);
    clock.ms += 1000;
  }
  t.deepEqual(await Promise.all(['a', 'b', 'c'].map((url) => cache.has('alpha', url))), [false, true, true]);
  await cache.forget('alpha', 'b');
  t.false(await cache.has('alpha', 'b'));
  clock.ms += 31 * DAY_MS;
  await cache.remember('beta', 'd');
  t.false(await cache.has('alpha', 'c'));
  clock.ms -= 31 * DAY_MS;
  t.true(await cache.has('alpha', 'c'), 'the clock was ahead');
  t.false(await cache.has('beta', 'd'), 'nobody knows when that was');
  t.not(await store.find('beta', 'd'), undefined);
});

test('inclusion-cache: remembering anew makes young', async (t) => {
  const { cache, clock } = createSetup();
  await cache.remember('alpha', 'a');
  clock.ms += 20 * DAY_MS;
  await cache.remember('alpha', 'a');
  clock.ms += 20 * DAY_MS;
  t.true(await cache.has('alpha', 'a'));
});

test('inclusion-cache: of no days remembers nothing', async (t) => {
  const { cache } = createSetup(100, 0);
  await cache.remember('alpha', 'a');
  t.false(await cache.has('alpha', 'a'));
});
