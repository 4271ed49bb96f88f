import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { holdSessions } from '../../../platform/accounts/held-sessions.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createSession, createUser } from '../../helpers/create-records.ts';

test('sessions that cannot be written are held until their end, or until the password is another one', async (t) => {
  const store = createMemoryStore();
  const user = createUser();
  await store.users.add(user);
  let isFull = true;
  const add: typeof store.sessions.add = async (session, limit) => {
    if (isFull) throw new DataError('unwritable', 'No space is left');
    await store.sessions.add(session, limit);
  };
  const failures: unknown[] = [];
  const sessions = holdSessions({ users: store.users, sessions: { ...store.sessions, add } }, (error) =>
    failures.push(error),
  );
  const [one, two] = ['1', '2'].map((tokenHash) => createSession({ tokenHash, uid: user.uid }));
  await sessions.add(one!, { most: 5 });
  t.is(failures.length, 1);
  t.deepEqual(await sessions.find('1'), one);
  isFull = false;
  await sessions.add(two!, { most: 5 });
  t.deepEqual([failures.length, (await sessions.listOf(user.uid)).length], [1, 2]);
  await store.users.change(user.uid, (known) => ({ ...known, passwordHash: 'another' }));
  t.is(await sessions.find('1'), undefined);
  t.deepEqual(await sessions.find('2'), two);
  t.is(await sessions.removeAllOf(user.uid), 2);
  t.is(await sessions.find('2'), undefined);
});
