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
import test from '../../helpers/serial-test.ts';

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

test('createKey() returns a user 5 keys at most, however many are asked for at once', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const asked = Array.from({ length: 20 }, () => createKey(accounts, { uid, permission: 'write' }));
  const outcomes = await Promise.allSettled(asked);
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, MAX_KEYS);
  await throwsData(
    t,
    createKey(accounts, { uid, permission: 'read' }),
    'invalid',
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
