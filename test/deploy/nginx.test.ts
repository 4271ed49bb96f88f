import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { hasNginx, nginxTest, startNginx } from '../helpers/start-nginx.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const CONFIG = readFileSync(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8');
const MEGABYTE = 1_000_000;

const cluster = shareCluster();

/** Two web nodes behind nginx, with the configuration that is delivered, and one that builds project `guide`. */
async function createPlace(t: ExecutionContext) {
  const own = await cluster();
  const cwd = createFolder(t);
  const repository = createRepository(t);
  repository.write('docs/README.md', '# First\n');
  repository.commit('First');
  writeFileSync(
    join(cwd, 'docbuild.yml'),
    `store: ${own.url(await own.createDatabase())}\napi: {trusted_proxies: 1}\nbuilds: {concurrency: 1, quick: 0}\n`,
  );
  const before = `echo Begun; until [ -e '${cwd}/go' ]; do sleep 0.05; done`;
  const created = await runCommand(['project', 'create', 'guide', '-u', repository.folder, '--before', before], {
    cwd,
  });
  t.is(created.code, 0, created.stderr);
  const start = (role: 'web' | 'build'): Promise<SpawnedServer> =>
    spawnListening(t, {
      cwd,
      args: ['api', '--role', role, '--port', '0'],
      ready: role === 'web' ? /docbuild serves (http:\S+)\n/ : /(docbuild builds)\n/,
    });
  const [one, other] = await Promise.all([start('web'), start('web'), start('build')]);
  const webs = [one!, other!];
  const { origin } = await startBefore(
    t,
    webs.map((web) => web.origin),
  );
  return { origin, webs, letGo: () => writeFileSync(join(cwd, 'go'), '') };
}

/** Starts nginx in front of two web nodes, with the configuration that is delivered. */
function startBefore(t: ExecutionContext, origins: readonly string[]): ReturnType<typeof startNginx> {
  return startNginx(t, (port) =>
    CONFIG.replace(/^ *listen \[::\].*$/m, '')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace(/web-(\d):5000/g, (_, number) => new URL(origins[number - 1]!).host),
  );
}

const declare = hasNginx ? postgresTest : nginxTest;

declare(
  'nginx: in front of two web nodes it passes on pages, live logs, large webhooks and callers, and does without one',
  async (t) => {
    const { origin, webs, letGo } = await createPlace(t);
    const ask = (path: string, options?: RequestInit): Promise<Response> => fetch(origin + path, options);

    const requested = await ask('/docbuild/build/guide', { method: 'POST' });
    t.is(requested.status, 201);
    const { build } = (await requested.json()) as { build: { id: string } };
    const log = await ask(`/docbuild/builds/${build.id}/log`, { headers: { Accept: 'text/event-stream' } });
    const reader = log.body!.pipeThrough(new TextDecoderStream()).getReader();
    let read = '';
    while (!read.includes('data: Begun\n')) {
      const { done, value } = await reader.read();
      if (done) return t.fail(`The log ended before the build did: ${read}`);
      read += value;
    }
    // The build goes on only now, so that what was read came while it ran.
    letGo();
    for (;;) {
      const { done, value = '' } = await reader.read();
      if (done) break;
      read += value;
    }
    t.regex(read, /data: Passing\n/);
    // Bodies are compressed when the site is live already.
    await waitUntil(async () => {
      const page = await ask('/docs/guide/en/latest/', { headers: { 'Accept-Encoding': 'br' } });
      return /First/.test(await page.text()) && page.headers.get('content-encoding') === 'br';
    });

    // Forms are sent by the service's own pages, also where its port is in the URL.
    const login = await ask('/control/login', {
      method: 'POST',
      headers: { Origin: origin },
      body: new URLSearchParams(),
    });
    t.false((await login.text()).includes('Pages of other sites may not send this request'));
    t.not(login.status, 404);

    // Callers cannot say who they are.
    const caller = await ask('/openservice/ip/myip', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    t.deepEqual(((await caller.json()) as { data: unknown }).data, { ip: '127.0.0.1' });

    const push = (bytes: number): Promise<Response> =>
      ask('/docbuild/webhook/guide', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-GitHub-Event': 'ping', 'X-GitHub-Delivery': 'one' },
        body: JSON.stringify({ zen: 'x'.repeat(bytes) }),
      });
    const large = await push(24 * MEGABYTE);
    t.is(large.status, 200, await large.text());
    t.is((await push(28 * MEGABYTE)).status, 413);

    await webs[0]!.stop('SIGKILL');
    for (let i = 0; i < 20; i++) t.is((await ask('/docs/guide/en/latest/')).status, 200);
    t.is((await ask('/docbuild/build/guide', { method: 'POST' })).status, 201);
    await webs[1]!.stop('SIGTERM');
    await waitUntil(async () => (await ask('/docs/guide/en/latest/')).status === 502);
  },
);

nginxTest(
  'nginx: what a node that dies has counted is not counted by the other one, too; pages are asked for again',
  async (t) => {
    const asked: string[] = [];
    const dying = async (): Promise<string> => {
      const server = createServer(({ url, socket }) => {
        asked.push(url!);
        socket.destroy();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.teardown(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    for (const [path, times] of [
      ['/api/BetaIncludedQuery?url=https://page.example/', 1],
      ['/docs/guide/', 2],
    ] as const) {
      // What has failed is left out for some time, so each has an nginx of its own.
      const { origin } = await startBefore(t, [await dying(), await dying()]);
      asked.length = 0;
      t.is((await fetch(origin + path)).status, 502);
      t.deepEqual(
        asked,
        Array.from({ length: times }, () => path),
      );
    }
  },
);
