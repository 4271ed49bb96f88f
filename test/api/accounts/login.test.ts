import test from 'ava';
import type { Context } from 'koa';
import { findKnownDevice, rememberDevice } from '../../../platform/accounts/known-devices.ts';
import { addSession, MAX_SESSIONS } from '../../../platform/accounts/sessions.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { createAccounts, createTestLogin, PASSWORD } from '../../helpers/create-accounts.ts';

function createContext(ip: string, device?: string): Context {
  const headers = device === undefined ? {} : { cookie: `knownDevice=${device}` };
  return { ip, secure: false, req: { headers } } as Context;
}

const right = { account: 'reader', password: PASSWORD };

/** A login whose callers name their source themselves, and a clock. */
async function create() {
  let calls = 0;
  const accounts = createAccounts({
    derive: async (password, { bytes }) => {
      calls++;
      return Buffer.alloc(bytes, password);
    },
  });
  const user = await accounts.addUser();
  calls = 0;
  const { login } = createTestLogin(accounts);
  return {
    ...accounts,
    user,
    calls: () => calls,
    /** Returns the status, and how long to wait. */
    async attempt(account: string, ip: string, password = 'something else', device?: string) {
      try {
        await login(createContext(ip, device), { account, password });
        return [200];
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const wait = error.headers['Retry-After'];
        return wait === undefined ? [error.status] : [error.status, Number(wait)];
      }
    },
  };
}

for (const account of ['reader', 'nobody', 'a b', '']) {
  test.serial(`createLogin() slows down attempts on the account "${account}", from wherever they come`, async (t) => {
    const { attempt, clock, calls } = await create();
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(account, `203.0.113.${i}`)));
    t.is(outcomes.filter(([status]) => status === 401).length, 10);
    t.is(outcomes.filter(([status, wait]) => status === 429 && wait === 1).length, 40);
    t.is(calls(), 10, 'those that are refused cost nothing');
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const [, wait] = await attempt(` ${account.toUpperCase()} `, 'x', PASSWORD);
      waits.push(wait!);
      clock.ms += wait! * 1000;
      t.deepEqual(await attempt(account, `198.51.100.${i}`), [401]);
    }
    t.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    t.deepEqual(await attempt('another', '192.0.2.1'), [401]);
  });
}

test.serial('createLogin() slows down a source, whatever accounts it tries', async (t) => {
  const { attempt, clock } = await create();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(`user${i}`, '192.0.2.1')));
  t.is(outcomes.filter(([status]) => status === 401).length, 20);
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [429, 1]);
  t.deepEqual(await attempt('reader', '192.0.2.2', PASSWORD), [200]);
  clock.ms += 3_600_000;
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
});

test.serial(
  'createLogin() lets a right password end the waits of its account, but not those of its source',
  async (t) => {
    const { attempt } = await create();
    for (let i = 0; i < 9; i++) await attempt('reader', '192.0.2.1');
    t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
    for (let i = 0; i < 9; i++) t.deepEqual(await attempt('reader', '192.0.2.1'), [401]);
    t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
    for (let i = 0; i < 2; i++) t.deepEqual(await attempt(`other${i}`, '192.0.2.1'), [401]);
    t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [429, 1]);
  },
);

test.serial('createLogin() does not slow down those whose password is right', async (t) => {
  const { attempt } = await create();
  for (let i = 0; i < 60; i++) t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
});

test.serial(
  'createLogin() checks a password without a session, and counts its attempts with those of logins',
  async (t) => {
    const accounts = createAccounts();
    const user = await accounts.addUser();
    const { login, checkPassword } = createTestLogin(accounts);
    for (let i = 0; i < MAX_SESSIONS; i++) await addSession(accounts, user.uid);
    const before = await accounts.store.sessions.listOf(user.uid);
    await checkPassword(createContext('192.0.2.1'), right);
    t.deepEqual(await accounts.store.sessions.listOf(user.uid), before);
    const wrong = { ...right, password: 'something else' };
    for (let i = 0; i < 10; i++) {
      const error = await t.throwsAsync<ServiceError>(checkPassword(createContext(`198.51.100.${i}`), wrong));
      t.is(error?.status, 401);
    }
    t.is((await t.throwsAsync<ServiceError>(login(createContext('192.0.2.2'), right)))?.status, 429);
    t.is((await t.throwsAsync<ServiceError>(checkPassword(createContext('192.0.2.2'), right)))?.status, 429);
  },
);

test.serial('createLogin() answers 503 when too many ask at once, and counts none of those', async (t) => {
  const accounts = createAccounts({
    derive: (_, { bytes }) => new Promise((r) => setTimeout(() => r(Buffer.alloc(bytes)), 5)),
  });
  const { login } = createTestLogin(accounts);
  const asked = Array.from({ length: 80 }, (_, i) =>
    login(createContext(`${i}`), { account: `user${i}`, password: PASSWORD }),
  );
  const errors = (await Promise.allSettled(asked)).map((one) => (one as PromiseRejectedResult).reason as ServiceError);
  const busy = errors.filter(({ status }) => status === 503);
  t.is(busy.length, 28);
  t.is(busy[0]!.headers['Retry-After'], '2');
});

test.serial('createLogin() keeps an account that is under attack open to its known devices', async (t) => {
  const { attempt, user, clock, addUser } = await create();
  const device = rememberDevice(undefined, user);
  for (let i = 0; i < 60; i++) await attempt('reader', `203.0.113.${i}`);
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [429, 1]);
  t.deepEqual(await attempt('reader', '203.0.113.1', PASSWORD, device), [200]);
  for (let i = 0; i < 10; i++) t.deepEqual(await attempt('reader', '192.0.2.9', 'something else', device), [401]);
  t.deepEqual(await attempt('reader', '192.0.2.9', PASSWORD, device), [429, 1], 'a device is slowed down, too');
  clock.ms += 1000;
  t.deepEqual(await attempt('reader', '192.0.2.9', PASSWORD, device), [200]);
  const other = rememberDevice(undefined, await addUser('other'));
  const forged = `${device.slice(0, -1)}${device.endsWith('A') ? 'B' : 'A'}`;
  for (const cookie of [other, forged, device.split('.')[0]!, '', 'x'.repeat(10_000)]) {
    for (let i = 0; i < 10; i++) await attempt('reader', `198.51.100.${i}`);
    t.is((await attempt('reader', '192.0.2.200', PASSWORD, cookie))[0], 429, cookie.slice(0, 60));
    clock.ms += 60_000;
    t.deepEqual(await attempt('reader', '192.0.2.201', PASSWORD), [200]);
  }
});

test.serial('rememberDevice() knows a browser for four accounts, until a password is changed', async (t) => {
  const { addUser } = createAccounts();
  const users = await Promise.all(['one', 'two', 'three', 'four', 'five'].map((name) => addUser(name)));
  const cookie = users.reduce<string | undefined>((before, user) => rememberDevice(before, user), undefined)!;
  t.deepEqual(
    users.map((user) => findKnownDevice(cookie, user) === cookie.split('.')[0]),
    [false, true, true, true, true],
  );
  t.is(rememberDevice(cookie, users[4]!), cookie);
  t.is(findKnownDevice(cookie, { ...users[4]!, passwordHash: 'another' }), undefined);
  t.is(findKnownDevice(undefined, users[4]!), undefined);
});

test.serial('createLogin() slows down a /48, of which each customer has all 65,536 networks', async (t) => {
  const { attempt } = await create();
  const sources = Array.from({ length: 100 }, (_, i) => `2001:db8:7:${i.toString(16)}::/64`);
  const outcomes: number[][] = [];
  for (const [i, source] of sources.entries()) outcomes.push(await attempt(`user${i}`, source));
  t.is(outcomes.filter(([status]) => status === 401).length, 60);
  t.deepEqual(await attempt('reader', '2001:db8:8:1::/64', PASSWORD), [200]);
});

for (const [whence, sourceOf] of [
  ['one address', () => '203.0.113.1'],
  ['many addresses', (i: number) => `203.0.113.${i}`],
] as const) {
  test.serial(
    `createLogin() lets a known browser and a known address in while ${whence} makes up accounts`,
    async (t) => {
      const waiting: (() => void)[] = [];
      let isHeld = false;
      const accounts = createAccounts({
        derive: async (password, { bytes }) => {
          if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
          return Buffer.alloc(bytes, password);
        },
      });
      const user = await accounts.addUser();
      const { login } = createTestLogin(accounts);
      const logIn = (ip: string, device?: string) => login(createContext(ip, device), right);
      await logIn('192.0.2.1');
      isHeld = true;
      const begin = (i: number) => login(createContext(sourceOf(i)), { account: `made-up${i}`, password: PASSWORD });
      const attack = Array.from({ length: 250 }, (_, i) => begin(i).catch((error: ServiceError) => error.status));
      const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
      await settle();
      const stranger = logIn('198.51.100.8').then(
        () => 200,
        (error: ServiceError) => error.status,
      );
      await settle();
      const known = [logIn('192.0.2.1'), logIn('198.51.100.7', rememberDevice(undefined, user))];
      let isDone = false;
      void Promise.all(known).then(() => {
        isDone = true;
      });
      let rounds = 0;
      for (; !isDone; rounds++) {
        for (const resolve of waiting.splice(0)) resolve();
        await settle();
      }
      t.true(rounds <= 4, `${rounds} rounds of two`);
      isHeld = false;
      for (const resolve of waiting.splice(0)) resolve();
      // From many addresses, each with one attempt, strangers cannot be told apart.
      t.is(await stranger, whence === 'one address' ? 200 : 503);
      t.true((await Promise.all(attack)).includes(503) || whence === 'one address');
    },
  );
}

test.serial(
  'createLogin() lets somebody new in while addresses that have sent wrong passwords keep all places',
  async (t) => {
    const waiting: (() => void)[] = [];
    const accounts = createAccounts({
      derive: async (password, { bytes }) => {
        if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        return Buffer.alloc(bytes, password);
      },
    });
    let isHeld = false;
    await accounts.addUser();
    const { login } = createTestLogin(accounts);
    const attack = (i: number) =>
      login(createContext(`203.0.113.${i}`), { account: `made-up${i}`, password: PASSWORD }).catch(() => undefined);
    for (let i = 0; i < 200; i++) await attack(i);
    isHeld = true;
    const attacks = Array.from({ length: 200 }, (_, i) => attack(i));
    const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
    await settle();
    let isDone = false;
    const stranger = login(createContext('198.51.100.8'), right).finally(() => {
      isDone = true;
    });
    let rounds = 0;
    for (; !isDone; rounds++) {
      await settle();
      for (const resolve of waiting.splice(0)) resolve();
      t.true(rounds < 10);
    }
    t.is((await stranger).user.account, 'reader');
    isHeld = false;
    for (const resolve of waiting.splice(0)) resolve();
    await Promise.all(attacks);
  },
);
