import test from 'ava';
import type { Session } from '../../../data/records/session.ts';
import { createSession } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of sessions does. */
export function testSessions({ name, open, reopen }: Adapter): void {
  const hashes = (sessions: readonly Session[]) => sessions.map(({ tokenHash }) => tokenHash);
  const at = (second: number) => `2026-05-04T03:02:${String(second).padStart(2, '0')}.000Z`;
  const many = { most: 100 };

  test.serial(`${name}: sessions are found by the hash of their token, and gone once removed`, async (t) => {
    const store = await open(t);
    const session = createSession();
    await store.sessions.add(session, many);
    const again = await reopen(store);
    t.deepEqual(await again.sessions.find(session.tokenHash), session);
    for (const none of ['', '__proto__', session.tokenHash.toUpperCase()]) {
      t.is(await again.sessions.find(none), undefined);
      t.false(await again.sessions.remove(none));
    }
    await throwsData(t, again.sessions.add(createSession({ uid: '2' }), many), 'taken');
    t.true(await again.sessions.remove(session.tokenHash));
    t.false(await again.sessions.remove(session.tokenHash));
    t.is(await (await reopen(again)).sessions.find(session.tokenHash), undefined);
  });

  test.serial(`${name}: sessions.add() lets the oldest of the same user go beyond the limit`, async (t) => {
    const store = await open(t);
    await store.sessions.add(createSession({ tokenHash: 'other', uid: '2', createdAt: at(0) }), { most: 3 });
    const added = [4, 2, 3, 5, 1].map((second) =>
      store.sessions.add(createSession({ tokenHash: `s${second}`, createdAt: at(second) }), { most: 3 }),
    );
    await Promise.all(added);
    const { sessions } = await reopen(store);
    // The last one that came in stays, whatever its clock said.
    t.deepEqual(hashes(await sessions.listOf('1000000001')), ['s1', 's4', 's5']);
    t.deepEqual(hashes(await sessions.listOf('2')), ['other']);
    t.is(await sessions.find('s2'), undefined);
  });

  test.serial(`${name}: sessions.removeAllOf() removes those of one user`, async (t) => {
    const store = await open(t);
    for (const i of [1, 2, 3]) await store.sessions.add(createSession({ tokenHash: `s${i}` }), many);
    await store.sessions.add(createSession({ tokenHash: 'other', uid: '2' }), many);
    t.is(await store.sessions.removeAllOf('1000000001'), 3);
    const { sessions } = await reopen(store);
    t.is(await sessions.removeAllOf('1000000001'), 0);
    t.deepEqual(await sessions.listOf('1000000001'), []);
    t.deepEqual(hashes(await sessions.listOf('2')), ['other']);
  });

  test.serial(`${name}: sessions.prune() removes those that have expired, to the moment`, async (t) => {
    const store = await open(t);
    for (const second of [30, 10, 20]) {
      await store.sessions.add(createSession({ tokenHash: `s${second}`, expiresAt: at(second) }), many);
    }
    t.is(await store.sessions.prune(at(9)), 0);
    t.is(await store.sessions.prune(at(20)), 2);
    const { sessions } = await reopen(store);
    t.deepEqual(hashes(await sessions.listOf('1000000001')), ['s30']);
    t.is(await sessions.prune(at(59), 1), 0, 'the last ones may be kept');
    t.is(await sessions.prune(at(59)), 1);
    t.is(await sessions.prune(at(59)), 0);
  });
}
