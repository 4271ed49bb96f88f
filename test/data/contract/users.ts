import test from 'ava';
import type { User } from '../../../data/records/user.ts';
import { createUser } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of users does. */
export function testUsers({ name, open, reopen }: Adapter): void {
  const accounts = (users: readonly User[]) => users.map(({ account }) => account);

  test.serial(`${name}: users are found by uid and by account, with every field`, async (t) => {
    const store = await open(t);
    const user = createUser({ isOperator: true, account: '管理-1' });
    await store.users.add(user);
    const { users } = await reopen(store);
    t.deepEqual(await users.find(user.uid), user);
    t.deepEqual(await users.findByAccount('管理-1'), user);
    for (const none of ['', '__proto__', 'constructor', '管理', user.uid]) {
      t.is(await users.findByAccount(none), undefined);
      if (none !== user.uid) t.is(await users.find(none), undefined);
    }
  });

  test.serial(`${name}: users.list() returns pages in the order of accounts`, async (t) => {
    const store = await open(t);
    for (const [i, account] of ['d', 'a', 'c', 'b'].entries()) {
      await store.users.add(createUser({ uid: `${1_000_000_000 + i}`, account }));
    }
    const { users } = await reopen(store);
    t.deepEqual(accounts(await users.list({ limit: 9 })), ['a', 'b', 'c', 'd']);
    t.deepEqual(accounts(await users.list({ limit: 2 })), ['a', 'b']);
    t.deepEqual(accounts(await users.list({ after: 'b', limit: 9 })), ['c', 'd']);
    t.deepEqual(accounts(await users.list({ after: 'bb', limit: 1 })), ['c']);
    t.deepEqual(await users.list({ after: 'd', limit: 9 }), []);
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await users.list({ limit }), []);
  });

  test.serial(`${name}: users.list() selects accounts that begin with a text, in pages`, async (t) => {
    const store = await open(t);
    for (const [i, account] of ['ann', 'anna', 'anno', 'bob', '安', '安娜', '𠀀'].entries()) {
      await store.users.add(createUser({ uid: `${1_000_000_000 + i}`, account }));
    }
    const { users } = await reopen(store);
    t.deepEqual(accounts(await users.list({ prefix: 'ann', limit: 9 })), ['ann', 'anna', 'anno']);
    t.deepEqual(accounts(await users.list({ prefix: 'ann', after: 'ann', limit: 1 })), ['anna']);
    t.deepEqual(accounts(await users.list({ prefix: 'ann', after: 'a', limit: 1 })), ['ann']);
    t.deepEqual(accounts(await users.list({ prefix: 'ann', after: 'anno', limit: 9 })), []);
    t.deepEqual(accounts(await users.list({ prefix: '安', limit: 9 })), ['安', '安娜']);
    t.deepEqual(accounts(await users.list({ prefix: '𠀀', limit: 9 })), ['𠀀']);
    t.deepEqual(await users.list({ prefix: 'c', limit: 9 }), []);
    t.is((await users.list({ prefix: '', limit: 9 })).length, 7);
    t.is(await users.count(), 7);
  });

  test.serial(`${name}: users.add() refuses a uid or account that is taken, also when both come at once`, async (t) => {
    const store = await open(t);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => store.users.add(createUser({ uid: `${1_000_000_000 + i}` }))),
    );
    t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const { users } = await reopen(store);
    const [first] = await users.list({ limit: 9 });
    await throwsData(t, users.add(createUser({ uid: '2000000000' })), 'taken', /^Account "reader" already exists$/);
    await throwsData(t, users.add(createUser({ uid: first!.uid, account: 'other' })), 'taken', /already exists$/);
    t.deepEqual(await users.list({ limit: 9 }), [first!]);
  });

  test.serial(
    `${name}: users.change() returns the user as they are now, and keeps uids and accounts apart`,
    async (t) => {
      const store = await open(t);
      const [user, other] = [createUser(), createUser({ uid: '1000000002', account: 'other' })];
      await store.users.add(user);
      await store.users.add(other);
      const changed = await store.users.change(user.uid, (one) => ({ ...one, account: 'writer', isDisabled: true }));
      t.deepEqual(changed, { ...user, account: 'writer', isDisabled: true });
      const { users } = await reopen(store);
      t.deepEqual(await users.findByAccount('writer'), changed);
      t.is(await users.findByAccount('reader'), undefined);
      await throwsData(
        t,
        users.change(user.uid, (one) => ({ ...one, account: 'other' })),
        'taken',
      );
      await throwsData(
        t,
        users.change(user.uid, (one) => ({ ...one, uid: '1000000003' })),
        'invalid',
      );
      await throwsData(
        t,
        users.change('1000000009', (one) => one),
        'not-found',
        /^User "1000000009" does not exist$/,
      );
      t.deepEqual(accounts(await users.list({ limit: 9 })), ['other', 'writer']);
    },
  );

  test.serial(`${name}: users of another shape are refused without showing what they hold`, async (t) => {
    const { users } = await open(t);
    const user = createUser({ passwordHash: { hidden: 'Pa55word' } as never });
    await throwsData(t, users.add(user), 'invalid', /^Cannot keep this user: "passwordHash"(?!.*Pa55word)/);
  });
}
