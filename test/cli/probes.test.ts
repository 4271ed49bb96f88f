import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { type PostgresProxy, servePostgresProxy } from '../helpers/serve-postgres-proxy.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

/** A folder with the configuration of nodes that reach their database through a proxy. */
async function createPlace(t: ExecutionContext, yaml = '') {
  const own = await cluster();
  const proxy = await servePostgresProxy(t, own);
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), `store: ${proxy.url(await own.createMigrated())}\n${yaml}`);
  return { cluster: own, proxy, cwd };
}

/** Starts a node; returns it with the address of its probes. */
async function start(t: ExecutionContext, cwd: string, role: 'web' | 'build' | 'all') {
  const args = ['api', '--role', role, '--port', '0', '--probes-port', '0'];
  const ready = role === 'build' ? /(docbuild builds)\n/ : /docbuild serves (http:\S+)\n/;
  const node = await spawnListening(t, { cwd, args, ready });
  return { node, probes: /"origin":"(http:[^"]+)","msg":"probes"/.exec(node.output())![1]! };
}

interface Answer {
  readonly status: number;
  readonly success: boolean;
  readonly message: string;
}

/** Asks as a supervisor does, on a connection of its own, and waits no longer than the second that it waits. */
async function ask(origin: string, path: string): Promise<Answer> {
  const agent = new Agent();
  const [answer] = (await once(get(`${origin}${path}`, { agent }), 'response')) as [IncomingMessage];
  const body = (await json(answer)) as Pick<Answer, 'success' | 'message'>;
  agent.destroy();
  return { status: answer.statusCode!, ...body };
}

/** Cuts a node off from its database, and looks what it says of itself before, meanwhile and afterwards. */
async function checkOutage(t: ExecutionContext, origin: string, proxy: PostgresProxy): Promise<void> {
  const fine = { status: 200, success: true, message: '' };
  await waitUntil(async () => (await ask(origin, '/readyz')).status === 200);
  t.deepEqual(await ask(origin, '/livez'), fine);
  proxy.swallow();
  const startMs = performance.now();
  await waitUntil(async () => (await ask(origin, '/readyz')).status === 503);
  const tookMs = performance.now() - startMs;
  t.true(tookMs > 5_000, `a database that is slow for a moment is no lost one: ${tookMs}`);
  t.log(`not ready ${Math.round(tookMs)} ms after its database began to hang`);
  const obstacle = await ask(origin, '/readyz');
  t.false(obstacle.success);
  t.regex(obstacle.message, /does not answer|cannot be reached/);
  t.deepEqual(await ask(origin, '/livez'), fine);
  proxy.restore();
  await waitUntil(async () => (await ask(origin, '/readyz')).status === 200);
}

async function isListening(origin: string): Promise<boolean> {
  return await fetch(`${origin}/livez`).then(
    () => true,
    () => false,
  );
}

postgresTest('probes: a node of any role that has lost its database is alive, and not ready', async (t) => {
  for (const role of ['build', 'web'] as const) {
    const { cluster, proxy, cwd } = await createPlace(t);
    const { node, probes } = await start(t, cwd, role);
    t.regex(probes, /^http:\/\/127\.0\.0\.1:\d+$/);
    await checkOutage(t, probes, proxy);
    await cluster.stop();
    const startMs = performance.now();
    await waitUntil(async () => (await ask(probes, '/readyz')).status === 503);
    t.log(`not ready ${Math.round(performance.now() - startMs)} ms after its database had gone`);
    t.regex((await ask(probes, '/readyz')).message, /cannot be reached|does not answer/);
    await cluster.start();
    await waitUntil(async () => (await ask(probes, '/readyz')).status === 200);
    if (role === 'web') await checkOutage(t, node.origin, proxy);
    t.is((await fetch(`${probes}/healthz`)).status, 404, 'there is nothing else');
    t.is((await fetch(`${probes}/readyz`, { method: 'POST' })).status, 404);
    t.is(await node.stop('SIGTERM'), 0);
    t.false(await isListening(probes));
  }
});

postgresTest('probes: a node that waits for its database as it starts is alive, and not ready', async (t) => {
  const { proxy, cwd } = await createPlace(t);
  proxy.swallow();
  const starting = spawnListening(t, {
    cwd,
    args: ['api', '--role', 'build', '--probes-port', '0'],
    ready: /"origin":"(http:[^"]+)","msg":"probes"/,
  });
  const node = await starting;
  t.like(await ask(node.origin, '/readyz'), { status: 503, message: 'This server is starting' });
  t.like(await ask(node.origin, '/livez'), { status: 200 });
  proxy.restore();
  await node.waitFor(/docbuild builds/);
  await waitUntil(async () => (await ask(node.origin, '/readyz')).status === 200);
});

postgresTest(
  'probes: a node that stops is alive and not ready, serves for its drain time, and ends in its limit',
  async (t) => {
    const drainMs = 4_000;
    const { cwd } = await createPlace(t, `api: {drain_s: ${drainMs / 1_000}}\n`);
    const { node, probes } = await start(t, cwd, 'web');
    const startMs = performance.now();
    const ended = node.stop('SIGTERM');
    await waitUntil(async () => (await ask(probes, '/readyz')).status === 503);
    t.like(await ask(probes, '/readyz'), { message: 'This server is stopping' });
    let served = 0;
    let lastServedMs = 0;
    // It goes on to answer until it listens no more.
    while (await isListening(node.origin)) {
      const answer = await fetch(`${node.origin}/openapi.json`).catch(() => undefined);
      if (!answer) break;
      t.is(answer.status, 200);
      t.is(answer.headers.get('connection'), 'close');
      served++;
      lastServedMs = performance.now() - startMs;
    }
    t.true(served > 3, String(served));
    t.true(lastServedMs > drainMs - 1_000, String(lastServedMs));
    t.is(await ended, 0);
    const tookMs = performance.now() - startMs;
    t.true(tookMs >= drainMs && tookMs < drainMs + 10_000, String(tookMs));
  },
);

postgresTest('probes: a node whose database hangs ends in its limit all the same', async (t) => {
  const { proxy, cwd } = await createPlace(t);
  const nodes: SpawnedServer[] = [];
  for (const role of ['web', 'build'] as const) nodes.push((await start(t, cwd, role)).node);
  // A balancer has connections that it keeps, and a reader waits for an answer.
  proxy.freeze();
  proxy.swallow();
  const waiting = fetch(`${nodes[0]!.origin}/docbuild/desc/none`).catch(() => undefined);
  const startMs = performance.now();
  await Promise.all(nodes.map((node) => node.stop('SIGTERM')));
  const tookMs = performance.now() - startMs;
  // 10 s, and what a busy machine adds.
  t.true(tookMs < 12_500, String(tookMs));
  t.log(`${nodes.length} nodes ended after ${Math.round(tookMs)} ms`);
  await waiting;
});
