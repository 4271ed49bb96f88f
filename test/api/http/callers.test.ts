import test from 'ava';
import type { CredentialWay } from '../../../api/http/route.ts';
import { disableKey } from '../../../platform/accounts/api-keys.ts';
import { disableUser } from '../../../platform/accounts/users.ts';
import { type CallerSetup, serveCaller } from '../../helpers/serve-caller.ts';

const KEY_WAYS = ['url-query', 'post-form', 'header'] as const;
const SESSION_WAYS = ['session-header', 'session-cookie'] as const;
const ALL: readonly CredentialWay[] = [...KEY_WAYS, ...SESSION_WAYS];
const base64 = (raw: string): string => Buffer.from(raw).toString('base64url');
const header = (token: string): { headers: Record<string, string> } => ({
  headers: { Authorization: `Token ${token}` },
});

/** Passes the right credential in a way. */
const PASS: Readonly<Record<CredentialWay, (setup: CallerSetup) => Parameters<CallerSetup['call']>[0]>> = {
  'url-query': ({ read }) => ({ query: `token=${base64(read)}` }),
  'post-form': ({ write }) => ({ form: { token: write } }),
  header: ({ read }) => header(read),
  'session-header': ({ session }) => header(session),
  'session-cookie': ({ session }) => ({ cookie: session }),
};

for (const way of ALL) {
  test(`identify() takes a credential by ${way} where the endpoint does`, async (t) => {
    const setup = await serveCaller(t, [way]);
    const { status, account, source } = await setup.call(PASS[way](setup));
    t.deepEqual([status, account, source], [200, 'reader', '127.0.0.1']);
  });

  test(`identify() does not take a credential by ${way} where the endpoint does not`, async (t) => {
    const setup = await serveCaller(
      t,
      ALL.filter((one) => one !== way),
    );
    const { status, account } = await setup.call(PASS[way](setup));
    t.is(account, undefined);
    // A key in the header is no session there, and the other way round.
    t.is(status, way === 'header' || way === 'session-header' ? 401 : 200);
  });
}

test('identify() takes nobody for anonymous, whatever other headers say', async (t) => {
  const { call } = await serveCaller(t, ALL);
  for (const Authorization of ['Basic cmVhZGVyOnB3', 'Bearer abc', 'Tokens abc', 'tokenabc']) {
    t.deepEqual(await call({ headers: { Authorization } }).then(({ status, account }) => [status, account]), [
      200,
      undefined,
    ]);
  }
  const anonymous = await call();
  t.deepEqual([anonymous.status, anonymous.account, anonymous.permission], [200, undefined, undefined]);
});

test('identify() takes the key in the query as URL-safe base64 with and without padding, and in no other form', async (t) => {
  const { call, read } = await serveCaller(t, ['url-query']);
  const padded = Buffer.from(read).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  t.true(padded.endsWith('='));
  for (const token of [base64(read), padded, encodeURIComponent(padded)])
    t.is((await call({ query: `token=${token}` })).account, 'reader');
  const wrong = [
    read,
    '',
    `${base64(read)}===`,
    `${base64(read)}!`,
    base64(read).slice(1),
    base64(`${read}\n`),
    'A'.repeat(5000),
    '%FF%00',
    '__proto__',
  ];
  for (const token of wrong) t.is((await call({ query: `token=${token}` })).status, 401, token);
  t.is((await call({ query: `token=${base64(read)}&token=${base64(read)}` })).status, 400);
});

test('identify() refuses what is wrong in each way, and says the same each time', async (t) => {
  const { call } = await serveCaller(t, ALL);
  const answers = await Promise.all([
    call({ query: 'token=abcd' }),
    call({ form: { token: 'dbk_nothing' } }),
    call({ form: { token: '' } }),
    call(header('dbk_nothing')),
    call({ headers: { Authorization: 'Token' } }),
    call({ headers: { Authorization: `Token ${'x'.repeat(5000)}` } }),
    call({ cookie: 'dbs_nothing' }),
  ]);
  for (const { status, account } of answers) t.deepEqual([status, account], [401, undefined]);
  t.is(new Set(answers.map(({ message }) => message)).size, 1);
});

test('identify() takes any case of the scheme and spaces around the token', async (t) => {
  const { call, read } = await serveCaller(t, ['header']);
  for (const Authorization of [`token ${read}`, `TOKEN   ${read}  `])
    t.is((await call({ headers: { Authorization } })).account, 'reader');
});

test('identify() lets a read-only key read and nothing else', async (t) => {
  const { call, read, write } = await serveCaller(t, KEY_WAYS);
  t.is((await call(header(read))).permission, 'read');
  for (const asked of [
    { form: { token: read } },
    { method: 'POST', ...header(read) },
    { method: 'POST', query: `token=${base64(read)}` },
  ]) {
    t.is((await call(asked)).status, 403);
  }
  t.is((await call({ method: 'POST', ...header(write) })).permission, 'write');
});

test('identify() refuses a key that is disabled, and takes it when it is enabled again', async (t) => {
  const { call, read, accounts, user } = await serveCaller(t, KEY_WAYS);
  const key = (await accounts.store.keys.listOf(user.uid)).find(({ prefix }) => read.startsWith(prefix))!;
  await disableKey(accounts, key);
  t.is((await call(header(read))).status, 401);
  await disableKey(accounts, key, false);
  t.is((await call(header(read))).status, 200);
  await accounts.store.keys.remove(key.id);
  t.is((await call(header(read))).status, 401);
});

test('identify() refuses keys and sessions of a disabled user; sessions stay ended', async (t) => {
  const { call, read, session, accounts, user } = await serveCaller(t, ALL);
  await accounts.store.users.change(user.uid, (one) => ({ ...one, isDisabled: true }));
  t.is((await call({ cookie: session })).status, 401, 'also before its sessions are ended');
  await disableUser(accounts, user.uid);
  t.is((await call(header(read))).status, 401);
  await disableUser(accounts, user.uid, { isDisabled: false });
  t.is((await call(header(read))).status, 200);
  t.is((await call({ cookie: session })).status, 401);
});

test('identify() refuses a session from the moment at which it expires', async (t) => {
  const { call, session, accounts } = await serveCaller(t, SESSION_WAYS);
  accounts.clock.ms += 30 * 86_400_000 - 1;
  t.is((await call({ cookie: session })).status, 200);
  accounts.clock.ms += 1;
  t.is((await call({ cookie: session })).status, 401);
  t.is((await call(header(session))).status, 401);
});

test('identify() lets an explicit token count before the cookie', async (t) => {
  const { call, session, read } = await serveCaller(t, ALL);
  t.is((await call({ cookie: session, ...header('dbk_wrong') })).status, 401);
  t.is((await call({ cookie: 'dbs_wrong', ...header(read) })).permission, 'read');
});

test('identify() refuses what pages of other sites send with the cookie', async (t) => {
  const { call, session, origin } = await serveCaller(
    t,
    ALL,
    'api: {base_url: https://docs.example, auth_url: "https://auth.example:8443"}',
  );
  const post = async (headers: Record<string, string>) =>
    (await call({ method: 'POST', cookie: session, headers })).status;
  const allowed: readonly Record<string, string>[] = [
    {},
    { Origin: origin },
    { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://docs.example', 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://auth.example:8443' },
  ];
  for (const headers of allowed) t.is(await post(headers), 200, JSON.stringify(headers));
  const refused: readonly Record<string, string>[] = [
    { Origin: 'null' },
    { Origin: 'https://evil.example' },
    { Origin: `${origin}.evil.example` },
    { Origin: origin.replace(/\d+$/, '1') },
    { Origin: `${origin}@evil.example` },
    { Origin: 'https://auth.example' },
    { Origin: 'http://docs.example' },
    { Origin: origin, 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ];
  for (const headers of refused) t.is(await post(headers), 403, JSON.stringify(headers));
  // Reading changes nothing, and a token in the header is not sent unasked.
  t.is((await call({ cookie: session, headers: { Origin: 'https://evil.example' } })).status, 200);
  t.is(
    (await call({ method: 'POST', headers: { Origin: 'https://evil.example', Authorization: `Token ${session}` } }))
      .status,
    200,
  );
});

test('identify() reads the address by the trusted proxies', async (t) => {
  const { call } = await serveCaller(t, [], 'api: {trusted_proxies: 1}');
  t.is((await call({ headers: { 'X-Forwarded-For': '1.1.1.1, 2001:db8::7' } })).source, '2001:db8::/64');
  const plain = await serveCaller(t, []);
  t.is((await plain.call({ headers: { 'X-Forwarded-For': '203.0.113.9' } })).source, '127.0.0.1');
});
