import type { Context } from 'koa';
import { createLogin } from '../../../api/accounts/login.ts';
import { ApiError } from '../../../api/http/errors.ts';
import { createAccounts, PASSWORD } from '../../helpers/create-accounts.ts';
import test from '../../helpers/serial-test.ts';

/** A login whose callers name their source themselves, and a clock. */
async function create() {
  let calls = 0;
  const accounts = createAccounts({
    derive: async (password, { bytes }) => {
      calls++;
      return Buffer.alloc(bytes, password);
    },
  });
  await accounts.addUser();
  calls = 0;
  const login = createLogin(accounts, (ctx) => ctx.ip);
  return {
    ...accounts,
    calls: () => calls,
    /** Returns the status, and how long to wait. */
    async attempt(account: string, ip: string, password = 'something else') {
      try {
        await login({ ip } as Context, { account, password });
        return [200];
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const wait = error.headers['Retry-After'];
        return wait === undefined ? [error.status] : [error.status, Number(wait)];
      }
    },
  };
}

for (const account of ['reader', 'nobody', 'a b', '']) {
  test(`createLogin() slows down attempts on the account "${account}", from wherever they come`, async (t) => {
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

test('createLogin() slows down a source, whatever accounts it tries', async (t) => {
  const { attempt, clock } = await create();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(`user${i}`, '192.0.2.1')));
  t.is(outcomes.filter(([status]) => status === 401).length, 20);
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [429, 1]);
  t.deepEqual(await attempt('reader', '192.0.2.2', PASSWORD), [200]);
  clock.ms += 3_600_000;
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
});

test('createLogin() lets a right password end the waits of its account, but not those of its source', async (t) => {
  const { attempt } = await create();
  for (let i = 0; i < 9; i++) await attempt('reader', '192.0.2.1');
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
  for (let i = 0; i < 9; i++) t.deepEqual(await attempt('reader', '192.0.2.1'), [401]);
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
  for (let i = 0; i < 2; i++) t.deepEqual(await attempt(`other${i}`, '192.0.2.1'), [401]);
  t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [429, 1]);
});

test('createLogin() does not slow down those whose password is right', async (t) => {
  const { attempt } = await create();
  for (let i = 0; i < 60; i++) t.deepEqual(await attempt('reader', '192.0.2.1', PASSWORD), [200]);
});

test('createLogin() answers 503 when too many ask at once, and counts none of those', async (t) => {
  const accounts = createAccounts({
    derive: (_, { bytes }) => new Promise((r) => setTimeout(() => r(Buffer.alloc(bytes)), 5)),
  });
  const login = createLogin(accounts, (ctx) => ctx.ip);
  const asked = Array.from({ length: 80 }, (_, i) =>
    login({ ip: `${i}` } as Context, { account: `user${i}`, password: PASSWORD }),
  );
  const errors = (await Promise.allSettled(asked)).map((one) => (one as PromiseRejectedResult).reason as ApiError);
  const busy = errors.filter(({ status }) => status === 503);
  t.is(busy.length, 28);
  t.is(busy[0]!.headers['Retry-After'], '2');
});
