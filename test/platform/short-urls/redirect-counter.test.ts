import test from 'ava';
import type { RedirectStore } from '../../../data/records/redirects.ts';
import { createRedirectCounter } from '../../../platform/short-urls/redirect-counter.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';

/** A store that counts its writes, and refuses them while `isFull`. */
function createStore() {
  const { redirects } = createMemoryStore();
  const state = { writes: 0, isFull: false, onWrite: () => {} };
  const store: RedirectStore = {
    ...redirects,
    async add(counts) {
      state.writes++;
      state.onWrite();
      if (state.isFull) throw new Error('disk full');
      await redirects.add(counts);
    },
  };
  return { redirects, state, store };
}

test('redirects are counted without a write each, known at once, and stored in one write', async (t) => {
  const { redirects, state, store } = createStore();
  const written = new Promise<void>((resolve) => {
    state.onWrite = resolve;
  });
  const counter = createRedirectCounter({ store, onError: (error) => t.fail(String(error)), storeMs: 50 });
  for (let i = 0; i < 1_000; i++) counter.count(i % 2 ? 'Go' : 'gO');
  counter.count('other');
  t.deepEqual([state.writes, await counter.read(['GO', 'other', 'none'])], [0, [1_000, 1, 0]]);
  await written;
  await counter.close();
  t.is(state.writes, 1);
  t.deepEqual(await redirects.count(['go', 'other']), [1_000, 1]);
  t.deepEqual(await counter.read(['go']), [1_000]);
});

test('what cannot be stored is kept for the next write, and closing stores the rest', async (t) => {
  const { redirects, state, store } = createStore();
  const errors: unknown[] = [];
  const failed = new Promise<void>((resolve) => {
    state.onWrite = resolve;
  });
  state.isFull = true;
  const counter = createRedirectCounter({ store, onError: (error) => errors.push(error), storeMs: 1 });
  counter.count('go');
  await failed;
  counter.count('go');
  state.isFull = false;
  await counter.close();
  t.true(errors.length > 0);
  t.deepEqual(await redirects.count(['go']), [2]);
});

test('many codes are stored a thousand in a write', async (t) => {
  const { state, store } = createStore();
  const counter = createRedirectCounter({ store, onError: (error) => t.fail(String(error)) });
  for (let i = 0; i < 4_001; i++) counter.count(`code-${i}`);
  t.is(state.writes, 0);
  await counter.close();
  t.is(state.writes, 5);
  t.deepEqual(await counter.read(['code-0', 'code-4000']), [1, 1]);
});
