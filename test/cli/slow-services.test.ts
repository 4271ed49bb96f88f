import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMarkedProject, findMarks } from '../../bench/fleet/marked-project.ts';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { servePostgresProxy } from '../helpers/serve-postgres-proxy.ts';
import { serveS3 } from '../helpers/serve-s3.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

/** A page is answered within this time, ms: 5 s until its site is known, and 5 s for what S3 has of it. */
const PAGE_MS = 10_000;
/** Delay on a busy machine. */
const SLACK_MS = 2_500;
const LATE_MS = 5_000;
const HOLD_MS = 11_000;
/** Pushes are accepted again so long after everything answers, ms. */
const ACCEPT_MS = 20_000;
const READERS = 4;

postgresTest(
  'nodes: while database and S3 answer 5 s late or in part, no page hangs or is of two pushes, and pushes are live afterwards',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const s3 = await serveS3(t);
    const folder = createFolder(t);
    const project = await createMarkedProject(folder, { name: 'guide', isWhole: true });
    const start = async (role: 'web' | 'build', name: string) => {
      const cwd = join(folder, name);
      mkdirSync(cwd);
      const proxy = await servePostgresProxy(t, own);
      writeFileSync(join(cwd, 'docbuild.yml'), `store: ${proxy.url(database)}\nsites: s3://docs?endpoint=${s3.url}\n`);
      const node = await spawnListening(t, {
        cwd,
        args: ['api', '--role', role, '--port', '0'],
        ready: role === 'build' ? /(docbuild builds)\n/ : /docbuild serves (http:\S+)\n/,
        env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
      });
      return { node, proxy, cwd };
    };
    const warm = await start('web', 'warm');
    const builder = await start('build', 'builder');
    const operations = (await connectControl(socketPath(join(warm.cwd, '.docbuild'))))!;
    await operations.createProject({ name: 'guide', settings: { url: project.repository }, isPublic: true });
    /** Returns what a push is answered with; 0 = nothing within 30 s. */
    const push = (): Promise<number> =>
      fetch(`${warm.node.origin}/docbuild/build/guide`, { method: 'POST', signal: AbortSignal.timeout(30_000) })
        .then(async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        })
        .catch(() => 0);
    const readMark = async ({ origin }: SpawnedServer, page: string): Promise<number> => {
      const answer = await fetch(`${origin}/docs/guide/en/${page}`);
      const text = await answer.text();
      if (answer.status !== 200) return t.true([404, 503].includes(answer.status), String(answer.status)) ? -1 : -1;
      const marks = findMarks(text);
      t.is(marks.length, 1, `${page} is of the pushes ${marks.join(', ')}`);
      return marks[0]!;
    };
    t.is(await push(), 201);
    await waitUntil(async () => (await readMark(warm.node, 'latest/')) === 1);
    // Has nothing in memory and nothing on its disk.
    const cold = await start('web', 'cold');
    const nodes = [warm, cold, builder];
    let longestMs = 0;
    let answered = 0;
    const seen = new Map<SpawnedServer, number>();
    const read = async (isOver: () => boolean, reader: number): Promise<void> => {
      const pages = ['latest/', 'latest/one.html', 'main/two.html', 'v1/three.html', 'latest/none.html'];
      for (let at = reader; !isOver(); at++) {
        const { node } = at % 2 === 0 ? warm : cold;
        const startMs = performance.now();
        const known = seen.get(node) ?? 0;
        const mark = await readMark(node, pages[at % pages.length]!);
        longestMs = Math.max(longestMs, performance.now() - startMs);
        if (mark === -1) continue;
        answered++;
        t.true(mark >= known, `push ${mark} after ${known}`);
        seen.set(node, Math.max(seen.get(node) ?? 0, mark));
        await sleep(20);
      }
    };
    const faults: readonly (readonly [string, () => void])[] = [
      ['S3 is late', () => (s3.fault = () => ({ lateMs: LATE_MS }))],
      ['the database is late', () => nodes.forEach(({ proxy }) => void proxy.delay(LATE_MS))],
      [
        'both are late',
        () => {
          s3.fault = () => ({ lateMs: LATE_MS });
          for (const { proxy } of nodes) proxy.delay(LATE_MS);
        },
      ],
      [
        'both answer in part',
        () => {
          let asked = 0;
          s3.fault = (method) =>
            method === 'GET' && asked++ % 2 === 0 ? (asked % 4 === 1 ? 'half' : 'middle') : undefined;
          for (const { proxy } of nodes) proxy.breakOff('cut');
        },
      ],
      ['answers of the database break off in silence', () => nodes.forEach(({ proxy }) => void proxy.breakOff('hang'))],
    ];
    for (const [name, inject] of faults) {
      let isOver = false;
      inject();
      const reading = Array.from({ length: READERS }, (_, reader) => read(() => isOver, reader));
      const mark = await project.push();
      const pushing = push();
      await sleep(HOLD_MS);
      s3.fault = undefined;
      for (const { proxy } of nodes) proxy.delay(0);
      isOver = true;
      const [status] = await Promise.all([pushing, ...reading]);
      const healedMs = performance.now();
      // What was acknowledged goes live by itself; anything else is pushed again, as code hosts do.
      const statuses = [status];
      while (statuses.at(-1) !== 201) {
        t.true(performance.now() - healedMs < ACCEPT_MS, `${name}: pushes are answered with ${statuses.join(', ')}`);
        if (statuses.length > 1) await sleep(250);
        statuses.push(await push());
      }
      for (const { node } of [warm, cold]) await waitUntil(async () => (await readMark(node, 'latest/')) === mark);
      t.log(
        `${name}: pushes are answered with ${statuses.join(', ')}; all nodes show the push ${Math.round(performance.now() - healedMs)} ms later`,
      );
    }
    t.log(`the longest of ${answered} pages took ${Math.round(longestMs)} ms`);
    t.true(longestMs < PAGE_MS + SLACK_MS, String(longestMs));
    t.true(answered > 50, String(answered));
  },
);
