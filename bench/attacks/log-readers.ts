import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRepository } from '../../test/helpers/create-repository.ts';
import { type Attack, from, startServer, tally, writeConfig } from './attack.ts';

const READERS = 200;
const PASSWORD = 'correct horse battery';
const FIRST_LINE_MS = 5_000;

/** Anonymous readers of a live log, as many as 200 addresses and one address can open. */
export const logReaderAttack: Attack = {
  name: 'log-readers',
  title: `${READERS} anonymous readers of a live log from ${READERS} addresses, then ${READERS} from one`,
  async run(arena) {
    const repository = createRepository(arena.context);
    repository.write('docs/index.md', '# Home\n');
    repository.commit('Pages');
    const server = await startServer(arena, writeConfig(arena));
    const settings = { url: repository.folder, before: 'sleep 120' };
    await server.operations.createProject({ name: 'guide', settings });
    const { id } = await server.operations.build({ name: 'guide' });
    while ((await server.operations.listBuilds({ project: 'guide' }))[0]?.status !== 'running') await sleep(50);
    const open: ClientRequest[] = [];
    const follow = async (headers: Record<string, string>): Promise<Followed> => {
      const start = performance.now();
      const url = `${server.origin}/docbuild/builds/${id}/log`;
      const request = get(url, { agent: false, headers: { Accept: 'text/event-stream', ...headers } });
      open.push(request);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      request.on('error', () => {});
      if (answer.statusCode !== 200) return { status: answer.statusCode!, firstLineMs: 0 };
      const line = once(answer, 'data').then(() => performance.now() - start);
      return { status: 200, firstLineMs: await Promise.race([line, sleep(FIRST_LINE_MS, FIRST_LINE_MS)]) };
    };
    const followAll = async (addressOf: (i: number) => number): Promise<readonly number[]> => {
      const all = await Promise.all(Array.from({ length: READERS }, (_, i) => follow(from(addressOf(i)))));
      return all.map(({ status }) => status);
    };
    const fromMany = await followAll((i) => i);
    const logIn = async (account: string, isOperator: boolean): Promise<string> => {
      await server.operations.createUser({ account, password: PASSWORD, isOperator });
      const body = new URLSearchParams({ account, password: PASSWORD });
      const answer = await fetch(`${server.origin}/api/user/login`, { method: 'POST', headers: from(900), body });
      return answer.headers.getSetCookie()[0]!.split(';')[0]!;
    };
    const operator = await follow({ ...from(900), Cookie: await logIn('boss', true) });
    const user = await follow({ ...from(901), Cookie: await logIn('reader', false) });
    for (const request of open.splice(0)) request.destroy();
    while ((await follow(from(902))).status !== 200) await sleep(200);
    const fromOne = await followAll(() => 903);
    for (const request of open) request.destroy();
    await server.operations.cancelBuild({ id });
    const describe = ({ status, firstLineMs }: Followed): string =>
      `${status}, first line after ${Math.round(firstLineMs)} ms`;
    const reads = ({ status, firstLineMs }: Followed): boolean => status === 200 && firstLineMs < FIRST_LINE_MS;
    return [
      { name: 'an operator still reads', holds: reads(operator), seen: describe(operator) },
      { name: 'a user still reads', holds: reads(user), seen: describe(user) },
      {
        name: 'strangers beyond the limit are told to come back (503)',
        holds:
          fromMany.filter((status) => status === 200).length < READERS &&
          fromMany.every((one) => one === 200 || one === 503),
        seen: tally(fromMany),
      },
      {
        name: 'one address gets few places (429), and leaves room for others',
        holds: fromOne.filter((status) => status === 200).length <= 20 && fromOne.includes(429),
        seen: tally(fromOne),
      },
    ];
  },
};

interface Followed {
  readonly status: number;
  readonly firstLineMs: number;
}
