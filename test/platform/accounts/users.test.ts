import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { logIn } from '../../../platform/accounts/sessions.ts';
import { changePassword, createUid, createUser, parseAccount, verifyUser } from '../../../platform/accounts/users.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createAccounts, PASSWORD } from '../../helpers/create-accounts.ts';
import fc from '../../helpers/fast-check.ts';

const right = { account: 'reader', password: PASSWORD };

const fails = (text: string): string | undefined => {
  try {
    parseAccount(text);
    return undefined;
  } catch (error) {
    return error instanceof DataError && error.code === 'invalid' ? error.message : `unexpected ${error}`;
  }
};

test('parseAccount() returns lower case in NFKC', (t) => {
  t.is(parseAccount('Reader'), 'reader');
  t.is(parseAccount('  a.b_c-d@example.org '), 'a.b_c-d@example.org');
  t.is(parseAccount('Ame\u0301lie'), 'am\u00e9lie');
  t.is(parseAccount('读者'), '读者');
  t.is(parseAccount('Ｒｅａｄｅｒ'), 'reader');
  for (const text of ['東京タワーのtom', 'tom王ㄅㄆ', '김tom', 'иван.петров-1', 'נועם', 'สมชาย'])
    t.is(parseAccount(text), text);
  t.is(parseAccount('42'), '42');
  t.is(parseAccount('x'.repeat(64)), 'x'.repeat(64));
});

test('parseAccount() refuses other lengths', (t) => {
  for (const text of ['', 'a', ' a ', 'x'.repeat(65), 'x'.repeat(100_000), `name${' '.repeat(1_000)}x`])
    t.regex(fails(text)!, /2 to 64 characters/);
});

test('parseAccount() refuses what could be taken for something else', (t) => {
  const texts = [
    '_a',
    '.a',
    '@a',
    'a b',
    'a/b',
    'a\u0000b',
    'a\nb',
    '__proto__',
    'a\u200bb',
    'a\u202eb',
    '<b>',
    'a:b',
    '😀😀',
    '\u0301ab',
  ];
  for (const text of texts) t.regex(fails(text)!, /must have letters and digits/, JSON.stringify(text));
  for (const text of ['p\u0430ypal', 'tοm', 'tom\u0567', 'ab\u05d0', 'カタкат', 'ᏢᎪy', 'ꓐꓵꓕ']) {
    t.regex(fails(text)!, /must not mix/, text);
  }
  for (const text of ['constructor', 'NULL', 'Anonymous']) t.regex(fails(text)!, /is reserved/);
});

test('parseAccount() lets only the operator give away official names', (t) => {
  t.regex(fails('Admin')!, /^Account "admin" is reserved; choose another$/);
  const marked = [
    'admin.',
    'admin@',
    'adminʼ',
    'admin̲',
    'adminー',
    'admin一',
    'ádmin',
    'ro\u0307ot',
    '管理员ˈ',
    'nobody.',
    'null-',
  ];
  for (const text of ['admin_', 'sup.port', '管理员', '管理員', 'Администратор', ...marked])
    t.regex(fails(text)!, /is reserved/, text);
  for (const text of ['ᴀdmin', 'ꜱupport', 'admin\u115f', 'admin\uffa0', 'ad\u034fmin'])
    t.regex(fails(text)!, /must have letters/, text);
  for (const text of ['ａｄｍｉｎ', 'ⓡⓞⓞⓣ', '𝐬𝐭𝐚𝐟𝐟']) {
    t.regex(fails(text)!, /is reserved/, text);
  }
  t.is(parseAccount('Admin', { isOfficial: true }), 'admin');
  t.throws(() => parseAccount('undefined', { isOfficial: true }), { instanceOf: DataError });
});

test('parseAccount() returns the same when asked again, or refuses', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
      if (fails(text) !== undefined) return t.regex(fails(text)!, /^(?:An account|Account)/);
      const account = parseAccount(text);
      t.is(parseAccount(account), account);
      t.is(account, account.toLowerCase().normalize('NFKC'));
    }),
    { numRuns: 170 },
  );
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

test('createUser() returns a uid of 10 digits, and another one where it is taken', async (t) => {
  for (let i = 0; i < 1000; i++) t.regex(createUid(), /^[1-9]\d{9}$/);
  const accounts = createAccounts();
  const { uid } = await accounts.addUser();
  const draws = [uid, uid, '2000000000'];
  const made = await createUser(accounts, { account: 'second', password: PASSWORD }, { drawUid: () => draws.shift()! });
  t.is(made.uid, '2000000000');
  await throwsData(
    t,
    createUser(accounts, { account: 'Second', password: PASSWORD }),
    'taken',
    /"second" already exists/,
  );
  await throwsData(
    t,
    createUser(accounts, { account: 'third', password: PASSWORD }, { drawUid: () => uid }),
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

test('a new password is none of those that are tried first', async (t) => {
  const accounts = createAccounts();
  const { uid } = await accounts.addUser('reader.one@example.org');
  for (const [password, message] of [
    ['password1', /most common/],
    ['QwertyUIOP', /most common/],
    ['ｐａｓｓｗｏｒｄ１', /most common/],
    ['woaini1314', /most common/],
    ['5201314520', /most common/],
    ['Reader.One', /name of the account/],
    ['reader.one@example.org', /name of the account/],
    ['aaaaaaaaaaaaaaaaaaaa', /repeat/],
    ['abc1abc1abc1', /repeat/],
  ] as const) {
    await throwsData(t, changePassword(accounts, uid, password), 'invalid', message);
    const account = 'reader.one@example.com';
    if (password !== 'reader.one@example.org') {
      await throwsData(t, createUser(accounts, { account, password }), 'invalid', message);
    }
  }
  await changePassword(accounts, uid, 'reader.one likes tea');
});
