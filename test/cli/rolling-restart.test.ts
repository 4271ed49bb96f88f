import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMarkedProject, findMarks } from '../../bench/fleet/marked-project.ts';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { serveBalancer } from '../helpers/serve-balancer.ts';
import { serveS3 } from '../helpers/serve-s3.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

/** Readers at once, and nodes of each role. */
const READERS = 8;
const WEBS = 2;
const BUILDS = 2;

postgresTest(
  'nodes: all are restarted one after the other under load, without an error for readers and callers',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const s3 = await serveS3(t);
    const folder = createFolder(t);
    const balancer = await serveBalancer(t);
    const start = async (role: 'web' | 'build', name: string): Promise<SpawnedServer> => {
      const cwd = join(folder, name);
      mkdirSync(cwd, { recursive: true });
      writeFileSync(
        join(cwd, 'docbuild.yml'),
        `store: ${own.url(database)}
sites: s3://docs?endpoint=${s3.url}
api: {docs_api_url: '${balancer.origin}', trusted_proxies: 1, drain_s: 3}
builds: {concurrency: 1, quick: 1}
`,
      );
      const node = await spawnListening(t, {
        cwd,
        args: ['api', '--role', role, '--port', '0'],
        ready: role === 'build' ? /(docbuild builds)\n/ : /docbuild serves (http:\S+)\n/,
        env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
      });
      if (role === 'web') balancer.add(node.origin);
      return node;
    };
    const webs = await Promise.all(Array.from({ length: WEBS }, (_, i) => start('web', `web-${i}`)));
    const builds = await Promise.all(Array.from({ length: BUILDS }, (_, i) => start('build', `build-${i}`)));
    await waitUntil(() => balancer.ready === WEBS);
    const project = await createMarkedProject(folder, { name: 'guide', isWhole: true });
    const operations = (await connectControl(socketPath(join(folder, 'web-0', '.docbuild'))))!;
    await operations.createProject({ name: 'guide', settings: { url: project.repository }, isPublic: true });
    const push = async (): Promise<number> =>
      (await fetch(`${balancer.origin}/docbuild/build/guide`, { method: 'POST' })).status;
    const isLive = async (): Promise<boolean> => {
      const html = await (await fetch(`${balancer.origin}/docs/guide/en/latest/`)).text();
      return findMarks(html)[0] === project.mark;
    };
    await push();
    await waitUntil(isLive);

    const answers = new Map<string, number>();
    let isOver = false;
    let longestMs = 0;
    const paths = [
      '/docs/guide/en/latest/',
      '/docs/guide/en/latest/one.html',
      '/docbuild/desc/guide',
      '/docbuild/badge/guide',
    ];
    const read = async (reader: number): Promise<void> => {
      for (let at = reader; !isOver; at++) {
        const startMs = performance.now();
        const outcome = await fetch(balancer.origin + paths[at % paths.length]!).then(
          async (answer) => {
            const text = await answer.text();
            return answer.status === 200 ? '200' : `${answer.status} ${text.slice(0, 100)}`;
          },
          (error: Error) => String(error.cause ?? error.message),
        );
        longestMs = Math.max(longestMs, performance.now() - startMs);
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      }
    };
    const reading = Array.from({ length: READERS }, (_, reader) => read(reader));
    const pushes: number[] = [];
    const pushing = (async () => {
      while (!isOver) {
        await project.push();
        pushes.push(await push());
        await waitUntil(isLive);
      }
    })();
    const startMs = performance.now();
    for (const [i, node] of webs.entries()) {
      t.is(await node.stop('SIGTERM'), 0, node.output().slice(-500));
      balancer.remove(node.origin);
      await start('web', `web-${i}`);
      await waitUntil(() => balancer.ready === WEBS);
    }
    for (const [i, node] of builds.entries()) {
      t.is(await node.stop('SIGTERM'), 0, node.output().slice(-500));
      await start('build', `build-${i}`);
    }
    const tookMs = performance.now() - startMs;
    isOver = true;
    await Promise.all([...reading, pushing]);
    t.deepEqual([...answers.keys()], ['200'], JSON.stringify([...answers]));
    t.true(pushes.length > 0);
    t.deepEqual([...new Set(pushes)], [201]);
    t.log(
      `${WEBS} web and ${BUILDS} build nodes within ${Math.round(tookMs)} ms: ${answers.get('200')} requests, ${pushes.length} pushes, the longest request ${Math.round(longestMs)} ms`,
    );
  },
);
