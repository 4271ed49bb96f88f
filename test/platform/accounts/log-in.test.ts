import test from 'ava';
import { changePassword, disableUser, verifyUser } from '../../../platform/accounts/change-user.ts';
import type { Derive } from '../../../platform/accounts/create-passwords.ts';
import { createPasswords } from '../../../platform/accounts/create-passwords.ts';
import { createUid, createUser } from '../../../platform/accounts/create-user.ts';
import { findBySession } from '../../../platform/accounts/find-by-token.ts';
import { logIn, MAX_SESSIONS } from '../../../platform/accounts/log-in.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { CHEAP, createAccounts, PASSWORD } from '../../helpers/create-accounts.ts';

const right = { account: 'reader', password: PASSWORD };

/** Derives by a sum; `before` runs ahead of each. */
function createDerive(before: (call: number) => Promise<void> = async () => {}) {
  const state = { calls: 0 };
  const derive: Derive = async (password, { bytes, salt }) => {
    await before(++state.calls);
    return Buffer.alloc(bytes, password + salt.toString('hex'));
  };
  return { derive, state };
}

test('logIn() gives a token that finds the user, and keeps only its hash', async (t) => {
  const accounts = createAccounts();
  const user = await accounts.addUser();
  const outcome = await logIn(accounts, { account: ' READER ', password: PASSWORD });
  if (outcome.kind !== 'done') return t.fail(outcome.kind);
  t.regex(outcome.token, /^dbs_[\w-]{43}$/);
  t.deepEqual(await findBySession(accounts, outcome.token), user);
  const kept = JSON.stringify(await accounts.store.sessions.listOf(user.uid));
  t.false(kept.includes(outcome.token));
  t.regex(kept, /"tokenHash":"[0-9a-f]{64}"/);
  t.is(outcome.session.expiresAt, '2026-03-31T00:00:00.000Z');
});

test('logIn() tells nothing of which part is wrong, and does the same work for both', async (t) => {
  const { derive, state } = createDerive();
  const accounts = createAccounts({ derive });
  await accounts.addUser();
  for (const attempt of [
    { account: 'reader', password: 'something else' },
    { account: 'nobody', password: PASSWORD },
    { account: '', password: PASSWORD },
    { account: '__proto__', password: PASSWORD },
    { account: 'a b', password: PASSWORD },
  ]) {
    state.calls = 0;
    t.deepEqual(await logIn(accounts, attempt), { kind: 'wrong' });
    t.is(state.calls, 1, attempt.account);
  }
  t.deepEqual(await accounts.store.sessions.prune('9999'), 0);
});

test('logIn() tells of a disabled account only those who know its password', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  await disableUser(accounts, uid);
  t.deepEqual(await logIn(accounts, right), { kind: 'disabled' });
  t.deepEqual(await logIn(accounts, { ...right, password: 'something else' }), { kind: 'wrong' });
  await disableUser(accounts, uid, false);
  t.is((await logIn(accounts, right)).kind, 'done');
});

test('logIn() hashes a password anew that was kept with less', async (t) => {
  const old = createAccounts();
  const { uid, passwordHash } = await old.addUser();
  const accounts = { ...old, passwords: createPasswords({ parameters: { ...CHEAP, ln: 5 } }) };
  t.is((await logIn(accounts, { ...right, password: 'something else' })).kind, 'wrong');
  t.is((await old.store.users.find(uid))!.passwordHash, passwordHash);
  t.is((await logIn(accounts, right)).kind, 'done');
  t.regex((await old.store.users.find(uid))!.passwordHash, /ln=5/);
  t.is((await logIn(accounts, right)).kind, 'done');
});

test('logIn() with many at once and a password to hash anew lets all of them in', async (t) => {
  const old = createAccounts();
  const { uid } = await old.addUser();
  const accounts = { ...old, passwords: createPasswords({ parameters: { ...CHEAP, ln: 5 } }) };
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => logIn(accounts, right)));
  t.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['done']));
  t.is((await old.store.sessions.listOf(uid)).length, 10);
});

test('logIn() gives no session for a password that is changed meanwhile', async (t) => {
  let changing: Promise<unknown> = Promise.resolve();
  const { derive } = createDerive(async (call) => {
    // The second call checks the login's password, the third hashes the new one.
    if (call !== 2) return;
    changing = changePassword(accounts, user.uid, 'another password');
    await changing;
  });
  const accounts = createAccounts({ derive });
  const user = await accounts.addUser();
  t.deepEqual(await logIn(accounts, right), { kind: 'wrong' });
  t.deepEqual(await accounts.store.sessions.listOf(user.uid), []);
  t.is((await logIn(accounts, { ...right, password: 'another password' })).kind, 'done');
});

test('logIn() gives no session for an account that is disabled meanwhile', async (t) => {
  const { derive } = createDerive(async (call) => {
    if (call === 2) await disableUser(accounts, user.uid);
  });
  const accounts = createAccounts({ derive });
  const user = await accounts.addUser();
  t.deepEqual(await logIn(accounts, right), { kind: 'disabled' });
  t.deepEqual(await accounts.store.sessions.listOf(user.uid), []);
});

test('logIn() ends sessions that have expired, and the oldest above a number', async (t) => {
  const accounts = createAccounts({ tokenDays: 1 });
  const { uid } = await accounts.addUser();
  await logIn(accounts, right);
  accounts.clock.ms += 86_400_000;
  for (let i = 0; i < MAX_SESSIONS + 3; i++) {
    accounts.clock.ms++;
    await logIn(accounts, right);
  }
  const sessions = await accounts.store.sessions.listOf(uid);
  t.is(sessions.length, MAX_SESSIONS);
  t.is(sessions.at(-1)?.createdAt, accounts.now().toISOString());
});

test('changePassword() ends all sessions', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  await logIn(accounts, right);
  await changePassword(accounts, uid, 'another password');
  t.deepEqual(await accounts.store.sessions.listOf(uid), []);
  t.is((await logIn(accounts, right)).kind, 'wrong');
  await throwsData(t, changePassword(accounts, uid, 'short'), 'invalid');
  await throwsData(t, changePassword(accounts, '1', 'another password'), 'not-found');
});

test('createUser() gives a uid of 10 digits, and another one where it is taken', async (t) => {
  for (let i = 0; i < 1000; i++) t.regex(createUid(), /^[1-9]\d{9}$/);
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const draws = [uid, uid, '2000000000'];
  const made = await createUser(
    accounts,
    { account: 'second', password: PASSWORD },
    { createUid: () => draws.shift()! },
  );
  t.is(made.uid, '2000000000');
  await throwsData(t, createUser(accounts, { account: 'Second', password: PASSWORD }), 'taken', /"second" exists/);
  await throwsData(
    t,
    createUser(accounts, { account: 'third', password: PASSWORD }, { createUid: () => uid }),
    'taken',
    /No free uid/,
  );
  await throwsData(t, createUser(accounts, { account: 'third', password: 'short' }), 'invalid');
});

test('verifyUser() notes it and takes it back', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  t.true((await verifyUser(accounts, uid)).isVerified);
  t.false((await verifyUser(accounts, uid, false)).isVerified);
  await throwsData(t, verifyUser(accounts, '1'), 'not-found');
});
