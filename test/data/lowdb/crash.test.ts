import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createRandom } from '../../helpers/create-random.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { EFFORT } from '../../helpers/effort.ts';
import { openStore } from '../../helpers/open-store.ts';

const SCRIPT = fileURLToPath(new URL('./write-until-killed.js', import.meta.url));
const ROUNDS = 6 * EFFORT;
/** So many lines tell of some dozen removals, however slow the machine is. */
const MOST_LINES = 800;

/** Lets a process write until it has printed so many lines and a moment longer, kills it, and returns the whole lines it printed. */
async function writeAndKill(
  folder: string,
  { lines, ms }: { readonly lines: number; readonly ms: number },
): Promise<readonly (readonly string[])[]> {
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let count = 0;
  const written = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      count += text.split('\n').length - 1;
      if (count > lines) resolve();
    });
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([written, ended]);
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
  return said
    .slice(0, said.lastIndexOf('\n'))
    .split('\n')
    .map((line) => line.split(' '));
}

test('lowdb: after kill -9 at any moment all that was acknowledged is there, and no removal is half done', async (t) => {
  const folder = join(createFolder(t), 'store');
  const random = createRandom(Date.now());
  const counts = new Map<string, number>();
  const projects = new Set<string>();
  const maybeGone = new Set<string>();
  const builds = new Map<string, string>();
  const removed = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    // Spread, so that some are killed late.
    const most = Math.ceil((MOST_LINES * (round + 1)) / ROUNDS);
    const lines = await writeAndKill(folder, { lines: most - random.below(MOST_LINES / ROUNDS), ms: random.below(20) });
    t.deepEqual(lines[0], ['open'], lines[0]?.join(' '));
    for (const [what, id = '', value = ''] of lines) {
      if (what === 'count') counts.set(id, Math.max(Number(value), counts.get(id) ?? 0));
      if (what === 'project') projects.add(id);
      if (what === 'build') builds.set(id, value);
      if (what === 'removing') maybeGone.add(id);
      if (what === 'removed') removed.add(id);
      if (what === 'warning') t.fail(lines.map((line) => line.join(' ')).join('\n'));
    }
    for (const name of readdirSync(folder).filter((one) => /\.json(?:\.bak)?$/.test(one))) {
      t.notThrows(() => JSON.parse(readFileSync(join(folder, name), 'utf8')), name);
    }
    const store = await openStore(t, folder);
    for (const [id, count] of counts) t.true((await store.builds.find(id))!.requests >= count, id);
    for (const name of projects) {
      const found = await store.projects.find(name);
      if (!maybeGone.has(name)) t.truthy(found, name);
      if (removed.has(name)) t.is(found, undefined, name);
    }
    for (const [id, project] of builds) {
      const owner = await store.projects.find(project);
      t.is((await store.builds.find(id)) !== undefined, owner !== undefined, `${project} ${id}`);
      t.is((await store.deliveries.find(project, 'delivery-1')) !== undefined, owner !== undefined, project);
    }
    await store.close();
    t.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp') || name.startsWith('lock')),
      [],
    );
  }
  t.true(counts.size > 20 && projects.size > 20 && removed.size > 5, `${counts.size} ${projects.size} ${removed.size}`);
});
