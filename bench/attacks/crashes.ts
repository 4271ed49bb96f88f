import { setTimeout as sleep } from 'node:timers/promises';
import { runDocbuild } from '../../test/helpers/run-docbuild.ts';
import { spawnServer } from '../../test/helpers/spawn-server.ts';
import { type Attack, describeTimes, keepDoing, tally, writeConfig } from './attack.ts';

const KILLS = 60;
const LOADERS = 8;
/** A server that is killed has answered for so long. */
const UP_MS = [200, 1_100] as const;

/** kill -9 again and again, under requests and beside commands that change the store. */
export const crashAttack: Attack = {
  name: 'crashes',
  title: `${KILLS} restarts after kill -9 under load, with commands beside`,
  async run(arena) {
    // All requests come from one address.
    const folder = writeConfig(arena, 'utility: {requests_per_minute: {crontab: 1000000}}\n');
    const run = (...args: readonly string[]) => runDocbuild(args, { cwd: folder });
    const acknowledged: string[] = [];
    const refusals: string[] = [];
    const stopCommands = keepDoing(1, async (i) => {
      const { code, stderr } = await run('project', 'create', `p${i}`, '-u', `https://h.invalid/p${i}`);
      if (code === 0) acknowledged.push(`p${i}`);
      else refusals.push(`${code}: ${stderr.trim().split('\n').at(-1)}`);
    });
    const startMs: number[] = [];
    const failures: string[] = [];
    const statuses: number[] = [];
    for (let i = 0; i < KILLS; i++) {
      if (i % 10 === 0) arena.say(`${i} of ${KILLS}`);
      const start = performance.now();
      try {
        const server = await spawnServer(arena.context, folder);
        startMs.push(performance.now() - start);
        const stopLoad = keepDoing(LOADERS, async () => {
          const { status } = await fetch(`${server.origin}/openservice/crontab?expression=0%200%20*%20*%20*`);
          statuses.push(status);
        });
        const [least, most] = UP_MS;
        await sleep(least + Math.random() * (most - least));
        await server.stop('SIGKILL');
        await stopLoad();
      } catch (error) {
        failures.push((error as Error).message.slice(-300));
      }
    }
    await stopCommands();
    const listed = await run('project', 'list', '--json');
    const names = new Set((JSON.parse(listed.stdout) as readonly { name: string }[]).map(({ name }) => name));
    const lost = acknowledged.filter((name) => !names.has(name));
    const wrong = statuses.filter((status) => status !== 200);
    return [
      {
        name: `each of ${KILLS} starts succeeds`,
        holds: failures.length === 0,
        seen: `${startMs.length}, ${describeTimes(startMs)}${failures.map((text) => `; ${text}`).join('')}`,
      },
      {
        name: 'nothing that a command has acknowledged is lost',
        holds: acknowledged.length > 0 && lost.length === 0,
        seen: `${acknowledged.length} acknowledged, ${lost.length} lost`,
      },
      {
        name: 'a command beside either works or says why',
        holds: refusals.every((text) => /^1: \S/.test(text)),
        seen: tally(refusals.map((text) => text.replace(/\d{3,}/g, 'N').replace(/p\d+/g, 'p'))),
      },
      {
        name: 'every answer is right',
        holds: wrong.length === 0,
        seen: `${statuses.length} answers, wrong: ${tally(wrong)}`,
      },
    ];
  },
};
