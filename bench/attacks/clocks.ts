import { CLOCK_LOOK_MS, createShiftedClock } from '../../test/helpers/shift-clock.ts';
import { type Arena, type Attack, type AttackedServer, startServer, tally, writeConfig } from './attack.ts';

const DAY_MS = 86_400_000;
/** Days by which the clock is wrong from start to start of the server, and set right again each time. */
const WRONG_DAYS = [365, -365, 3_650, 89, 365];
const PASSWORD = 'correct horse battery';
/** A server tidies up ten seconds after its start. */
const TIDIED_MS = 12_000;

/** A clock that is wrong by years for a while, at starts and while a server runs. */
export const clockAttack: Attack = {
  name: 'clocks',
  title: 'A clock that is wrong by up to ten years, from start to start and under way, and is set right again',
  async run(arena) {
    const { place, shift, start } = createPlace(arena);
    const made: string[] = [];
    const act = async ({ operations }: AttackedServer): Promise<void> => {
      const host = `host-${made.length}.example`;
      await operations.addBlock({ kind: 'host', target: host });
      made.push(host);
    };
    let server = await start();
    const { uid } = await server.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
    await server.operations.addBlock({ kind: 'source', target: '203.0.113.9', until: inAnHour() });
    const cookie = await logIn(server);
    for (let i = 0; i < 3; i++) await act(server);
    for (const days of WRONG_DAYS) {
      arena.say(`${days} days ahead`);
      await server.stop('SIGTERM');
      shift(days);
      server = await start();
      for (let i = 0; i < 3; i++) await act(server);
      await pass(TIDIED_MS);
      await act(server);
      // Then while it runs.
      shift(0);
      await pass(5 * CLOCK_LOOK_MS);
      await act(server);
      shift(-days);
      await pass(5 * CLOCK_LOOK_MS);
      await act(server);
      await server.stop('SIGTERM');
      shift(0);
      server = await start();
      await pass(TIDIED_MS);
      await act(server);
    }
    const entries = await server.operations.listAudit({ action: 'addBlock', limit: 1_000 });
    const listed = entries.map(({ target }) => target).filter((target) => target.endsWith('.example'));
    const blocks = await server.operations.listBlocks({});
    const old = await fetch(`${server.origin}/api/user/quota`, { headers: { Cookie: cookie } });
    const logins = await Promise.all(Array.from({ length: 3 }, () => tryLogin(server)));
    const shortened = await shorten(server, await logIn(server), 20);
    await server.stop('SIGTERM');
    return [
      {
        name: 'no entry of the audit log is lost or in another place',
        holds: listed.join() === made.toReversed().join(),
        seen: `${made.length} made, ${listed.length} listed${listed.join() === made.toReversed().join() ? ', in their order' : ''}`,
      },
      {
        name: "an operator's block lasts until its end",
        holds: blocks.some(({ target }) => target === '203.0.113.9/32'),
        seen: `${blocks.filter(({ kind }) => kind === 'source').length} of 1 blocks of a source`,
      },
      {
        name: 'who was logged in still is, and others can log in',
        holds: old.status === 200 && logins.every((status) => status === 200),
        seen: `session of before: ${old.status}; logins: ${tally(logins)} (user ${uid === '' ? 'unknown' : 'known'})`,
      },
      {
        name: 'short URLs can be made',
        holds: shortened.every((code) => code === 0),
        seen: `codes: ${tally(shortened)}`,
      },
      {
        name: `the folder can be opened by the next start`,
        holds: (await (await fetchHealth(await start())).text()).includes('"success":true'),
        seen: place.split('/').at(-1)!,
      },
    ];
  },
};

function createPlace(arena: Arena) {
  const place = writeConfig(arena);
  const clock = createShiftedClock(place);
  const shift = (days: number): void => clock.shift(days * DAY_MS);
  return { place, shift, start: () => startServer(arena, place, clock.env) };
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const fetchHealth = ({ origin }: AttackedServer): Promise<Response> => fetch(`${origin}/healthz`);

function postLogin({ origin }: AttackedServer): Promise<Response> {
  const body = new URLSearchParams({ account: 'boss', password: PASSWORD });
  return fetch(`${origin}/api/user/login`, { method: 'POST', body });
}

async function tryLogin(server: AttackedServer): Promise<number> {
  return (await postLogin(server)).status;
}

/** Returns the cookie of a new session. */
async function logIn(server: AttackedServer): Promise<string> {
  const cookies = (await postLogin(server)).headers.getSetCookie();
  return cookies.find((one) => /sessionId=/.test(one))?.split(';')[0] ?? '';
}

async function shorten({ origin }: AttackedServer, cookie: string, count: number): Promise<readonly number[]> {
  const codes: number[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await fetch(`${origin}/openservice/shorturl/v1/?Action=shorten`, {
      method: 'POST',
      body: new URLSearchParams({ long_url: `https://example.org/${i}` }),
      headers: { Cookie: cookie },
    });
    codes.push(((await answer.json()) as { code: number }).code);
  }
  return codes;
}
