import test from 'ava';
import { createPasswords, type DeriveKey } from '../../../platform/accounts/passwords.ts';
import { findBySession, logIn, MAX_SESSIONS } from '../../../platform/accounts/sessions.ts';
import { changePassword, disableUser } from '../../../platform/accounts/users.ts';
import { CHEAP, createAccounts, PASSWORD } from '../../helpers/create-accounts.ts';

const right = { account: 'reader', password: PASSWORD };

/** Derives by a sum; `before` runs ahead of each. */
function createDerive(before: (call: number) => Promise<void> = async () => {}) {
  const state = { calls: 0 };
  const derive: DeriveKey = async (password, { bytes, salt }) => {
    await before(++state.calls);
    return Buffer.alloc(bytes, password + salt.toString('hex'));
  };
  return { derive, state };
}

test('logIn() returns a token that finds the user, and keeps only its hash', async (t) => {
  const accounts = createAccounts();
  const user = await accounts.addUser();
  const outcome = await logIn(accounts, { account: ' READER ', password: PASSWORD });
  if (outcome.kind !== 'done') return t.fail(outcome.kind);
  t.regex(outcome.token, /^dbs_[\w-]{43}$/);
  t.deepEqual(await findBySession(accounts, outcome.token), { ...user, lastLoginAt: outcome.session.createdAt });
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
  await disableUser(accounts, uid, { isDisabled: false });
  t.is((await logIn(accounts, right)).kind, 'done');
});

test('logIn() hashes a password again that was kept with less', async (t) => {
  const old = createAccounts();
  const { uid, passwordHash } = await old.addUser();
  const accounts = { ...old, passwords: createPasswords({ parameters: { ...CHEAP, ln: 5 } }) };
  t.is((await logIn(accounts, { ...right, password: 'something else' })).kind, 'wrong');
  t.is((await old.store.users.find(uid))!.passwordHash, passwordHash);
  t.is((await logIn(accounts, right)).kind, 'done');
  t.regex((await old.store.users.find(uid))!.passwordHash, /ln=5/);
  t.is((await logIn(accounts, right)).kind, 'done');
});

test('logIn() with many at once and a password to hash again lets all of them in', async (t) => {
  const old = createAccounts();
  const { uid } = await old.addUser();
  const accounts = { ...old, passwords: createPasswords({ parameters: { ...CHEAP, ln: 5 } }) };
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => logIn(accounts, right)));
  t.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['done']));
  t.is((await old.store.sessions.listOf(uid)).length, 10);
});

test('logIn() returns no session for a password that is changed meanwhile', async (t) => {
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

test('logIn() returns no session for an account that is disabled meanwhile', async (t) => {
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
