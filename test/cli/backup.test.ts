import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { type SpawnedServer, spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const PAGES = 30;

/** A server that is busy: projects are added and all pages of one are changed and built, over and over. */
async function createBusy(t: ExecutionContext) {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const repository = createRepository(t);
  const mark = (number: number) => {
    for (let i = 0; i < PAGES; i++) repository.write(`docs/p${i}.md`, `# Page ${i}\n\nmark ${number}.\n`);
    repository.commit(`Mark ${number}`);
  };
  mark(0);
  for (const name of ['v1', 'v2']) repository.git('branch', name);
  const server = await spawnServer(t, folder);
  const operations = (await connectControl(socketPath(join(folder, 'base'))))!;
  const build = async (ref?: string) => {
    const { id } = await operations.build({ name: 'guide', ...(ref === undefined ? { all: true } : { ref }) });
    t.is((await operations.waitForBuild({ id })).status, 'passing');
  };
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  await build();
  /** Changes that were acknowledged. */
  const done = { projects: 0, mark: 0 };
  let isBusy = true;
  const adding = async () => {
    for (; isBusy; done.projects++) {
      const settings = { url: `https://h.invalid/${done.projects}` };
      await operations.createProject({ name: `p${done.projects}`, settings });
      // More of them at once would prove nothing more.
      await setTimeout(10);
    }
  };
  const building = async () => {
    for (let number = 1; isBusy; number++) {
      mark(number);
      await build('main');
      done.mark = number;
    }
  };
  const work = Promise.all([adding(), building()]);
  return {
    folder,
    done,
    async stop() {
      isBusy = false;
      await work;
      t.is(await server.stop('SIGTERM'), 0);
    },
  };
}

/** Both tell that files changed or went while they were copied, and copy all the same. */
const run = (command: string, cwd: string) => promisify(execFile)('sh', ['-c', `${command} || true`], { cwd });

async function waitUntilQuiet({ origin }: SpawnedServer): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const text = await (await fetch(`${origin}/metrics`)).text();
    const open = [...text.matchAll(/^docbuild_builds_(?:waiting|running)\S* (\d+)$/gm)].map(([, count]) =>
      Number(count),
    );
    if (open.length !== 2) throw new Error(`No numbers of open builds:\n${text}`);
    quiet = open.every((count) => count === 0) ? quiet + 1 : 0;
    await setTimeout(200);
  }
}

test('a copy of base_dir that is made while the server works opens and serves what was acknowledged before', async (t) => {
  const busy = await createBusy(t);
  const ways = ['cp -a base copy/base', 'tar -cf - base | tar -xf - -C copy'];
  const copies = [];
  for (let round = 0; round < 2; round++) {
    const place = join(busy.folder, `round${round}`);
    mkdirSync(place);
    writeFileSync(join(place, 'docbuild.yml'), 'base_dir: ./base\n');
    // Another moment of a build each time.
    await waitUntil(() => busy.done.mark > round && busy.done.projects > 5 * round);
    await setTimeout(70 * round);
    const before = { ...busy.done };
    await run(ways[round]!.replaceAll('copy', `round${round}`), busy.folder);
    copies.push({ place, before });
  }
  // The original goes on while the first copy is served.
  const early = await spawnServer(t, copies[0]!.place);
  t.is(await early.stop('SIGTERM'), 0);
  await busy.stop();
  for (const { place, before } of copies) {
    const server = await spawnServer(t, place);
    const operations = (await connectControl(socketPath(join(place, 'base'))))!;
    const names = new Set((await operations.listProjects({})).map(({ name }) => name));
    for (let i = 0; i < before.projects; i++) t.true(names.has(`p${i}`), `${place}: p${i} of ${before.projects}`);
    await waitUntilQuiet(server);
    const marks = new Set<number>();
    for (const version of ['main', 'latest', 'v1']) {
      for (let i = 0; i < PAGES; i++) {
        const page = await fetch(`${server.origin}/docs/guide/en/${version}/p${i}.html`);
        t.is(page.status, 200, `${place}: ${version}/p${i}`);
        const mark = Number(/mark (\d+)\./.exec(await page.text())?.[1]);
        if (version === 'v1') t.is(mark, 0);
        else marks.add(mark);
      }
    }
    t.is(marks.size, 1, `${place}: pages of ${[...marks]}`);
    t.true([...marks][0]! >= before.mark, `${place}: ${[...marks]} of ${before.mark}`);
    t.notRegex(server.output(), /"level":50/);
    await operations.createProject({ name: 'later', settings: { url: 'https://h.invalid/later' } });
    t.is(await server.stop('SIGTERM'), 0);
  }
});
