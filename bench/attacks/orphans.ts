import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, listDescendants } from '../../test/helpers/is-running.ts';
import { runGit } from '../../test/helpers/run-git.ts';
import { type Arena, type Attack, describeTimes, startServer, writeConfig } from './attack.ts';

const KILLS = 12;
const LIMIT_MS = 5_000;
const PAGES = 1_500;
/** Processes for each core that do nothing but calculate: builds have a lower priority than these. */
const BURNERS_PER_CORE = 3;

/** kill -9 of a server whose builds and commands are under way, on a machine that has too much to do. */
export const orphanAttack: Attack = {
  name: 'orphans',
  title: `Processes of a server after kill -9, ${KILLS} times, beside ${BURNERS_PER_CORE} busy processes for each core`,
  async run(arena) {
    const folder = writeConfig(arena, 'builds: {concurrency: 3, quick: 0}\n');
    const repository = createRepository(arena);
    burn(arena);
    const endMs: number[] = [];
    const counts: number[] = [];
    const left: string[] = [];
    for (let i = 0; i < KILLS; i++) {
      if (i % 4 === 0) arena.say(`${i} of ${KILLS}`);
      const server = await startServer(arena, folder);
      if (i === 0) {
        await server.operations.createProject({ name: 'large', settings: { url: repository } });
        await server.operations.createProject({ name: 'larger', settings: { url: repository } });
        const before = 'sleep 600 & (trap "" TERM HUP; while :; do :; done) & sleep 601';
        await server.operations.createProject({ name: 'hooked', settings: { url: repository, before } });
      }
      for (const name of ['large', 'larger', 'hooked']) await server.operations.build({ name, all: true });
      await waitForProcesses(server.child.pid!);
      await sleep(300 + 250 * i);
      const family = listDescendants(server.child.pid!);
      counts.push(family.length);
      const start = performance.now();
      await server.stop('SIGKILL');
      while (family.some(isRunning) && performance.now() - start < 4 * LIMIT_MS) await sleep(20);
      endMs.push(performance.now() - start);
      const still = family.filter(isRunning);
      left.push(...still.map(({ pid }) => `${pid}`));
      for (const { pid } of still) process.kill(pid, 'SIGKILL');
    }
    return [
      {
        name: `all end within ${LIMIT_MS / 1000} s`,
        holds: left.length === 0 && Math.max(...endMs) <= LIMIT_MS && Math.min(...counts) >= 4,
        seen: `${counts.join(', ')} processes; ${describeTimes(endMs)}; ${left.length} were left after ${(4 * LIMIT_MS) / 1000} s`,
      },
    ];
  },
};

/** Waits until builds and the command run. */
async function waitForProcesses(pid: number): Promise<void> {
  for (const end = performance.now() + 60_000; listDescendants(pid).length < 6; await sleep(50)) {
    if (performance.now() > end) return;
  }
}

/** A repository whose pages take a while each. */
function createRepository({ folder }: Arena): string {
  const place = join(folder, 'repository');
  mkdirSync(join(place, 'docs'), { recursive: true });
  for (let i = 0; i < PAGES; i++) {
    const code = Array.from({ length: 60 }, (_, line) => `export const value${line} = () => [${i}, ${line}];`).join(
      '\n',
    );
    writeFileSync(join(place, 'docs', `page-${i}.md`), `# Page ${i}\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
  }
  runGit(place, 'init', '--quiet', '--initial-branch=main');
  runGit(place, 'add', '.');
  runGit(place, '-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '--quiet', '-m', 'Pages');
  return place;
}

function burn({ context }: Arena): void {
  for (let i = 0; i < BURNERS_PER_CORE * availableParallelism(); i++) {
    const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
    context.teardown(() => void child.kill('SIGKILL'));
  }
}
