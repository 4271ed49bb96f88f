import test from 'ava';
import type { ApiKey } from '../../../data/records/api-key.ts';
import { createKey } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of API keys does. */
export function testKeys({ name, open, reopen }: Adapter): void {
  const ids = (keys: readonly ApiKey[]) => keys.map(({ id }) => id);
  const five = { most: 5 };
  const numbered = (i: number, values: Partial<ApiKey> = {}): ApiKey =>
    createKey({ id: `k${i}`, hash: `h${i}`, ...values });

  test.serial(`${name}: keys are found by id, by hash and by owner, with every field`, async (t) => {
    const store = await open(t);
    const key = createKey({ permission: 'write', isDisabled: true });
    t.true(await store.keys.add(key, five));
    const { keys } = await reopen(store);
    t.deepEqual(await keys.find(key.id), key);
    t.deepEqual(await keys.findByHash(key.hash), key);
    t.deepEqual(await keys.listOf(key.uid), [key]);
    for (const none of ['', '__proto__', 'constructor', key.prefix]) {
      t.is(await keys.find(none), undefined);
      t.is(await keys.findByHash(none), undefined);
      t.deepEqual(await keys.listOf(none), []);
    }
  });

  test.serial(`${name}: keys.add() takes exactly as many a user as allowed, however many come at once`, async (t) => {
    const store = await open(t);
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => store.keys.add(numbered(i), five)));
    t.is(outcomes.filter(Boolean).length, 5);
    const { keys } = await reopen(store);
    t.is((await keys.listOf('1000000001')).length, 5);
    t.false(await keys.add(numbered(90), five));
    t.is(await keys.findByHash('h90'), undefined);
    t.true(await keys.add(numbered(91, { uid: '2' }), five));
    await keys.remove((await keys.listOf('1000000001'))[0]!.id);
    t.true(await keys.add(numbered(92), five));
    t.false(await keys.add(numbered(93), five));
  });

  test.serial(`${name}: keys.add() refuses an id or hash that is taken`, async (t) => {
    const { keys } = await open(t);
    await keys.add(numbered(1), five);
    await throwsData(t, keys.add(numbered(1, { hash: 'other' }), five), 'taken');
    await throwsData(t, keys.add(numbered(1, { id: 'other' }), five), 'taken', /^This key already exists$/);
    t.deepEqual(ids(await keys.listOf('1000000001')), ['k1']);
  });

  test.serial(`${name}: keys.change() returns the key as it is now, and keeps owner and id`, async (t) => {
    const store = await open(t);
    await store.keys.add(numbered(1), five);
    await store.keys.add(numbered(2), five);
    const changed = await store.keys.change('k1', (key) => ({ ...key, isDisabled: true }));
    t.deepEqual(changed, numbered(1, { isDisabled: true }));
    const { keys } = await reopen(store);
    t.deepEqual(await keys.findByHash('h1'), changed);
    for (const values of [{ uid: '2' }, { id: 'k3' }]) {
      await throwsData(
        t,
        keys.change('k1', (key) => ({ ...key, ...values })),
        'invalid',
      );
    }
    await throwsData(
      t,
      keys.change('k1', (key) => ({ ...key, hash: 'h2' })),
      'taken',
    );
    await throwsData(
      t,
      keys.change('k9', (key) => key),
      'not-found',
      /^Key "k9" does not exist$/,
    );
  });

  test.serial(`${name}: keys.remove() returns the key that was there, and it is no longer found`, async (t) => {
    const store = await open(t);
    await store.keys.add(numbered(1), five);
    t.deepEqual(await store.keys.remove('k1'), numbered(1));
    t.is(await store.keys.remove('k1'), undefined);
    const { keys } = await reopen(store);
    t.is(await keys.findByHash('h1'), undefined);
    t.deepEqual(await keys.listOf('1000000001'), []);
  });
}
