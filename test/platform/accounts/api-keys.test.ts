import test from 'ava';
import {
  createKey,
  deleteKey,
  disableKey,
  findByKey,
  MAX_KEYS,
  presentKey,
} from '../../../platform/accounts/api-keys.ts';
import { presentUser } from '../../../platform/accounts/users.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createAccounts } from '../../helpers/create-accounts.ts';

test('createKey() returns the key once and keeps its hash and a short prefix', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const { key, raw } = await createKey(accounts, { uid, permission: 'read' });
  t.regex(raw, /^dbk_[\w-]{43}$/);
  t.is(key.prefix, raw.slice(0, 12));
  t.false(JSON.stringify(await accounts.store.keys.find(key.id)).includes(raw.slice(12)));
  t.is((await findByKey(accounts, raw))?.user.uid, uid);
  t.false('hash' in presentKey(key));
  t.false('passwordHash' in presentUser((await accounts.store.users.find(uid))!));
});

test('createKey() keeps a name of one line', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const { key } = await createKey(accounts, { uid, permission: 'read', name: '  CI of the guide ' });
  t.is(key.name, 'CI of the guide');
  t.is((await createKey(accounts, { uid, permission: 'read', name: ' ' })).key.name, undefined);
  for (const name of ['x'.repeat(65), 'a\nb', 'a\u202eb']) {
    await throwsData(t, createKey(accounts, { uid, permission: 'read', name }), 'invalid', /name of a key/);
  }
});

test('findByKey() records the last use, once an hour, and finds the key where that fails', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const { key, raw } = await createKey(accounts, { uid, permission: 'read' });
  const lastUse = async () => (await accounts.store.keys.find(key.id))!.lastUsedAt;
  t.is(await lastUse(), undefined);
  await findByKey(accounts, raw);
  t.is(await lastUse(), '2026-03-01T00:00:00.000Z');
  accounts.clock.ms += 3_599_000;
  await findByKey(accounts, raw);
  t.is(await lastUse(), '2026-03-01T00:00:00.000Z');
  accounts.clock.ms += 1000;
  await findByKey(accounts, raw);
  t.is(await lastUse(), '2026-03-01T01:00:00.000Z');
  accounts.clock.ms += 3_600_000;
  const { keys } = accounts.store;
  const change = () => Promise.reject(new Error('disk full'));
  const found = await findByKey({ ...accounts, store: { ...accounts.store, keys: { ...keys, change } } }, raw);
  t.is(found?.key.id, key.id);
});

test('createKey() returns a user 5 keys at most, however many are asked for at once', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const asked = Array.from({ length: 20 }, () => createKey(accounts, { uid, permission: 'write' }));
  const outcomes = await Promise.allSettled(asked);
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, MAX_KEYS);
  await throwsData(
    t,
    createKey(accounts, { uid, permission: 'read' }),
    'refused',
    /^A user can have 5 keys; delete one/,
  );
  const [first] = await accounts.store.keys.listOf(uid);
  await deleteKey(accounts, first!);
  await t.notThrowsAsync(createKey(accounts, { uid, permission: 'read' }));
});

test('createKey() refuses unknown users and permissions', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  await throwsData(t, createKey(accounts, { uid: '1', permission: 'read' }), 'not-found');
  await throwsData(t, createKey(accounts, { uid, permission: 'admin' as never }), 'invalid');
});

test('disableKey() and deleteKey() know no keys of other people', async (t) => {
  const accounts = createAccounts();
  const [one, other] = [await accounts.addUser(), await accounts.addUser('other')];
  const { key, raw } = await createKey(accounts, { uid: one.uid, permission: 'read' });
  for (const own of [
    { uid: other.uid, id: key.id },
    { uid: one.uid, id: 'none' },
  ]) {
    await throwsData(t, disableKey(accounts, own), 'not-found');
    await throwsData(t, deleteKey(accounts, own), 'not-found');
  }
  t.true((await disableKey(accounts, key)).isDisabled);
  t.is(await findByKey(accounts, raw), undefined);
});
