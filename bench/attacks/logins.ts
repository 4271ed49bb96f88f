import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attack,
  type AttackedServer,
  describeTimes,
  from,
  keepDoing,
  startServer,
  tally,
  writeConfig,
} from './attack.ts';

const PASSWORD = 'correct horse battery';
const CONNECTIONS = 70;
const DEVICES = 20;
const STRANGERS = 5;
const WRONG = 17;
/** Wrong passwords for an account before the next one has to wait. */
const FREE = 10;
/** A hash takes 0.2 s of a core; two run at once, and those of strangers take turns with the others. */
const KNOWN_MS = 10_000;
const STRANGER_MS = 60_000;

interface Login {
  readonly status: number;
  readonly ms: number;
  readonly device: string;
  readonly waitS: number;
}

/** 70 connections with made-up accounts, and wrong passwords for one account: who has a right password logs in. */
export const loginAttack: Attack = {
  name: 'logins',
  title: `Logins: ${CONNECTIONS} connections with made-up accounts, then ${WRONG} wrong passwords for one account`,
  async run(arena) {
    const server = await startServer(arena, writeConfig(arena));
    const accounts = Array.from({ length: DEVICES + STRANGERS }, (_, i) => `user${i}`);
    for (const account of accounts) await server.operations.createUser({ account, password: PASSWORD });
    const known = accounts.slice(0, DEVICES);
    const devices: string[] = [];
    for (const [i, account] of known.entries())
      devices.push((await logIn(server, { account, number: 1000 + i })).device);

    const attacks: number[] = [];
    const stop = keepDoing(CONNECTIONS, async (i) => {
      const { status } = await logIn(server, {
        account: `made-up-${i}`,
        password: 'wrong',
        number: 10_000 + (i % CONNECTIONS),
      });
      attacks.push(status);
    });
    while (attacks.length < CONNECTIONS) await sleep(20);
    arena.say('logins from known devices and from unknown ones');
    const fromDevices: Login[] = [];
    const fromElsewhere: Login[] = [];
    const queue = known.map((account, i) => ({ account, number: 200_000 + i, device: devices[i] }));
    await Promise.all([
      ...Array.from({ length: 4 }, async () => {
        for (let one = queue.shift(); one; one = queue.shift()) fromDevices.push(await logIn(server, one));
      }),
      ...accounts.slice(DEVICES).map(async (account, i) => {
        fromElsewhere.push(await logInPatiently(server, { account, number: 300_000 + i }));
      }),
    ]);
    await stop();

    arena.say('wrong passwords for one account');
    const account = known[0]!;
    const wrong: number[] = [];
    const guess = async (i: number): Promise<void> => {
      wrong.push((await logIn(server, { account, password: 'wrong', number: 400_000 + i })).status);
    };
    await Promise.all(Array.from({ length: WRONG }, (_, i) => guess(i)));
    const own = await logIn(server, { account, number: 500_000, device: devices[0] });
    return [
      {
        name: `${DEVICES} of ${DEVICES} logins from known devices get through within ${KNOWN_MS / 1000} s`,
        holds: fromDevices.every(({ status, ms }) => status === 200 && ms <= KNOWN_MS),
        seen: `${describe(fromDevices)}; attackers ${tally(attacks)}`,
      },
      {
        name: `logins from elsewhere that wait as they are told get through within ${STRANGER_MS / 1000} s`,
        holds: fromElsewhere.every(({ status, ms }) => status === 200 && ms <= STRANGER_MS),
        seen: describe(fromElsewhere),
      },
      {
        name: 'nobody gets in with a made-up account',
        holds: attacks.every((status) => status !== 200),
        seen: tally(attacks),
      },
      {
        name: `after ${WRONG} wrong passwords from ${WRONG} addresses, the account's own device logs in`,
        holds: own.status === 200,
        seen: `${own.status} in ${Math.round(own.ms)} ms`,
      },
      {
        name: `and ${FREE} of those passwords were looked at`,
        holds: wrong.filter((status) => status === 401).length <= FREE,
        seen: tally(wrong),
      },
    ];
  },
};

async function logIn(
  { origin }: AttackedServer,
  options: {
    readonly account: string;
    readonly number: number;
    readonly password?: string;
    readonly device?: string | undefined;
  },
): Promise<Login> {
  const { account, number, password = PASSWORD, device } = options;
  const start = performance.now();
  const answer = await fetch(`${origin}/api/user/login`, {
    method: 'POST',
    headers: { ...from(number), ...(device && { Cookie: device }) },
    body: new URLSearchParams({ account, password }),
  });
  await answer.arrayBuffer();
  const ms = performance.now() - start;
  const cookie = answer.headers.getSetCookie().find((one) => one.startsWith('knownDevice=')) ?? '';
  const waitS = Number(answer.headers.get('Retry-After') ?? 0);
  return { status: answer.status, ms, device: cookie.split(';')[0]!, waitS };
}

/** Logs in like a person who tries again when the answer says so. */
async function logInPatiently(
  server: AttackedServer,
  options: { readonly account: string; readonly number: number },
): Promise<Login> {
  const start = performance.now();
  for (;;) {
    const login = await logIn(server, options);
    const ms = performance.now() - start;
    if (login.waitS === 0 || ms > STRANGER_MS) return { ...login, ms };
    await sleep(login.waitS * 1000);
  }
}

function describe(logins: readonly Login[]): string {
  return `${tally(logins.map(({ status }) => status))}, ${describeTimes(logins.map(({ ms }) => ms))}`;
}
