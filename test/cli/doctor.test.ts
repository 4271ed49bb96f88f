import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Finding } from '../../platform/diagnosis/finding.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { diskTest, mountDisk } from '../helpers/mount-disk.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { createShiftedClock } from '../helpers/shift-clock.ts';
import { spawnListening, spawnServer } from '../helpers/spawn-server.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const cluster = shareCluster();

/** Runs the command in a folder; checks that its exit code fits what it found. */
async function examine(t: ExecutionContext, cwd: string) {
  const { code, stdout } = await runDocbuild(['doctor', '--json'], { cwd, env: { HOME: cwd } });
  const { errors, warnings, findings } = JSON.parse(stdout) as {
    readonly errors: number;
    readonly warnings: number;
    readonly findings: readonly Finding[];
  };
  const count = (status: string) => findings.filter((one) => one.status === status).length;
  t.deepEqual([count('error'), count('warning'), errors > 0 ? 1 : 0], [errors, warnings, code]);
  return {
    code,
    findings,
    of: (check: Finding['check']) => findings.filter((one) => one.check === check),
  };
}

/** Returns a port that nothing listens on. */
async function findPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Serves a proxy in front of an origin until the test ends. */
async function serveProxy(t: ExecutionContext, origin: () => string, changes: { readonly host?: string } = {}) {
  const server = createServer(({ method, headers, url, socket }, answer) => {
    const before = headers['x-forwarded-for'];
    const forwarded = [...(before === undefined ? [] : [String(before)]), socket.remoteAddress].join(', ');
    const passed = { ...headers, ...changes, 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'http' };
    request(`${origin()}${url}`, { method: method!, headers: passed }, (got) => {
      answer.writeHead(got.statusCode!, got.headers);
      got.pipe(answer);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.serial('docbuild doctor looks before the first start, and leaves nothing behind', async (t) => {
  const cwd = createFolder(t);
  const port = await findPort();
  writeFileSync(join(cwd, 'docbuild.yml'), `api: {port: ${port}}\n`);
  const { code, of } = await examine(t, cwd);
  t.is(code, 0);
  t.deepEqual(of('configuration'), [{ check: 'configuration', status: 'ok', message: join(cwd, 'docbuild.yml') }]);
  t.is(of('ports')[0]!.message, `api: port ${port} of 127.0.0.1 is free`);
  t.regex(of('storage')[0]!.message, /does not exist yet; the first start makes it/);
  t.regex(of('disk')[0]!.message, / free$/);
  t.false(existsSync(join(cwd, '.docbuild')));
  const text = await runDocbuild(['doctor'], { cwd });
  t.regex(text.stdout, /^ok {7}configuration {2}\S+docbuild\.yml\n/);
  t.regex(text.stdout, /\n0 errors, \d warnings?\n$/);
});

test.serial('docbuild doctor says what is wrong with the configuration, and looks no further', async (t) => {
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), 'api:\n  prot: 80\n');
  const { code, findings } = await examine(t, cwd);
  t.is(code, 1);
  t.is(findings.length, 1);
  t.regex(findings[0]!.message, /docbuild\.yml", line 2: unknown key "api\.prot"/);
});

test.serial(
  'docbuild doctor finds ports in use, addresses that are none of this machine, and a store of another kind',
  async (t) => {
    const cwd = createFolder(t);
    const other = createTcpServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.teardown(() => other.close());
    const { port } = other.address() as AddressInfo;
    writeFileSync(join(cwd, 'docbuild.yml'), `api: {port: ${port}}\nmetrics: {host: 192.0.2.7, port: 9464}\n`);
    const { code, of } = await examine(t, cwd);
    t.is(code, 1);
    const [api, metrics] = of('ports');
    t.regex(api!.message, new RegExp(`^api: cannot listen on port ${port} of 127.0.0.1: address already in use`));
    t.is(api!.advice, `end the program that uses it ("ss -ltnp sport = :${port}" shows it), or set "api.port"`);
    t.regex(metrics!.message, /^metrics: cannot listen on port 9464 of 192\.0\.2\.7: /);
    t.is(metrics!.advice, 'set "metrics.host" to an address of this machine');

    writeFileSync(join(cwd, 'docbuild.yml'), `base_dir: ./file\napi: {port: 0}\n`);
    writeFileSync(join(cwd, 'file'), '');
    const blocked = await examine(t, cwd);
    t.is(blocked.of('storage')[0]!.status, 'error');
  },
);

test.serial('docbuild doctor asks the server that runs, and the repository of each project', async (t) => {
  const cwd = createFolder(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const dead = await findPort();
  writeFileSync(join(cwd, 'docbuild.yml'), 'builds: {poll_minutes: 0}\n');
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand(args, { cwd });
    t.is(code, 0, stderr);
  };
  const server = await spawnServer(t, cwd);
  await run('project', 'create', '-u', repository.folder, 'good');
  await run('project', 'create', '-u', createRepository(t).folder, 'empty');
  await run('project', 'create', '--public', '-u', `http://me:hunter2@127.0.0.1:${dead}/x.git`, 'dead');
  const found = await examine(t, cwd);
  t.is(found.code, 1);
  t.false(JSON.stringify(found.findings).includes('hunter2'));
  t.regex(found.of('server')[1]!.message, /^A server runs on /);
  t.deepEqual(
    found
      .of('repositories')
      .map(({ status, message }) => [status, message.split(':')[0]])
      .sort(),
    [
      ['error', 'dead'],
      ['error', 'empty'],
      ['ok', 'good'],
    ],
  );
  t.deepEqual(found.of('storage'), [
    { check: 'storage', status: 'ok', message: 'Records, sites and logs can be written' },
  ]);
  // It was started with another port than that of its configuration.
  t.is(found.of('ports')[0]!.status, 'warning');
  await server.stop('SIGTERM');
  const alone = await examine(t, cwd);
  t.regex(alone.of('server')[1]!.message, /^No server runs on /);
  t.is(alone.of('repositories').length, 3);
  t.deepEqual(alone.of('proxies'), []);
});

test.serial('docbuild doctor tells a wrong number of proxies, a host that is changed, and other servers', async (t) => {
  const cwd = createFolder(t);
  let origin = '';
  const first = await serveProxy(t, () => origin);
  const second = await serveProxy(t, () => first);
  const changing = await serveProxy(t, () => origin, { host: 'backend' });
  const other = createServer((_, answer) => answer.end('other')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const foreign = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const start = async (trusted: number, urls: Record<string, string>) => {
    const keys = Object.entries(urls).map(([key, url]) => `${key}: ${url}`);
    writeFileSync(join(cwd, 'docbuild.yml'), `api: {trusted_proxies: ${trusted}, ${keys.join(', ')}}\n`);
    const server = await spawnServer(t, cwd, { HOME: cwd });
    origin = server.origin;
    return server;
  };
  const wrong = await start(1, { docs_api_url: first, base_url: second, hub_url: changing, auth_url: foreign });
  const proxies = (await examine(t, cwd)).of('proxies');
  const about = (url: string) => proxies.find(({ message }) => message.startsWith(`${url} `))!;
  t.deepEqual([about(first).status, about(first).message], ['ok', `${first} leads here through one proxy`]);
  t.is(about(second).status, 'error');
  t.regex(about(second).message, /through 2 proxies .* "api\.trusted_proxies" is 1: all callers count as one/);
  t.is(about(second).advice, 'set "api.trusted_proxies" to 2');
  t.regex(about(changing).message, /a proxy asks for the host "backend" in place of "127\.0\.0\.1:\d+"$/);
  t.is(about(foreign).message, `${foreign} answers with 200, but not by this server`);
  await wrong.stop('SIGTERM');

  const fewer = await start(2, { docs_api_url: first });
  for (let i = 0; i < 3; i++) await fetch(`${first}/livez`);
  const found = (await examine(t, cwd)).of('proxies');
  t.regex(found[0]!.message, /through one proxy that add.*is 2: callers can invent their address$/);
  t.regex(found[1]!.message, /^3 of the last \d+ requests came through fewer proxies/);
  await fewer.stop('SIGTERM');

  await start(0, {});
  await fetch(`${first}/livez`);
  const [passive] = (await examine(t, cwd)).of('proxies');
  t.regex(passive!.message, /^1 of the last \d+ requests? came through a proxy .* "api\.trusted_proxies" is 0/);
});

test.serial('docbuild doctor asks the services that the configuration names', async (t) => {
  const cwd = createFolder(t);
  const dead = await findPort();
  const broken = createServer((_, answer) => answer.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(broken, 'listening');
  t.teardown(() => broken.close());
  const { port } = broken.address() as AddressInfo;
  writeFileSync(
    join(cwd, 'docbuild.yml'),
    `utility: {alpha: {base_url: 'http://127.0.0.1:${dead}'}, image: {base_url: 'http://127.0.0.1:${port}'}}\ngithub_app: {enabled: true}\n` +
      `events: {url: 'http://127.0.0.1:${port}/hook?key=hidden', secret: 'whsec_${Buffer.alloc(32, 1).toString('base64')}', allowed: [127.0.0.1]}\n`,
  );
  await spawnServer(t, cwd, { HOME: cwd });
  const found = (await examine(t, cwd)).of('upstreams');
  const rows = found.map(({ status, message }) => `${status} ${message}`);
  t.true(
    rows.some((row) => row.startsWith('error The GitHub App is not used: "github_app.app_id"')),
    rows.join('\n'),
  );
  t.true(rows.some((row) => row.startsWith('error utility.alpha.base_url: ')));
  t.true(rows.some((row) => row.startsWith('warning utility.image.base_url: ') && row.endsWith('with 503')));
  t.true(rows.includes(`warning events.url: http://127.0.0.1:${port}/ answers with 503`), rows.join('\n'));
});

diskTest('docbuild doctor tells that a disk is nearly full', async (t) => {
  const cwd = createFolder(t);
  const disk = mountDisk(t, 'size=20m');
  writeFileSync(join(cwd, 'docbuild.yml'), `base_dir: ${disk}\napi: {port: 0}\n`);
  const { code, of } = await examine(t, cwd);
  t.is(code, 1);
  t.regex(of('disk')[0]!.message, /: [\d.]+ MB of [\d.]+ MB free; builds may fail$/);
});

postgresTest('docbuild doctor compares the clock with that of the database', async (t) => {
  const own = await cluster();
  const database = await own.createDatabase();
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), `store: ${own.url(database)}\n`);
  const clock = createShiftedClock(createFolder(t));
  clock.shift(90_000);
  const server = await spawnListening(t, {
    cwd,
    env: { ...clock.env, HOME: cwd },
    args: ['api', '--port', '0'],
    ready: /docbuild serves (http:\S+)\n/,
  });
  const [wrong] = (await examine(t, cwd)).of('clock');
  t.is(wrong!.status, 'error');
  t.regex(wrong!.message, /^The clock is (?:89|90|91) s ahead of that of the database$/);
  await server.stop('SIGTERM');
  const [right] = (await examine(t, cwd)).of('clock');
  t.is(right!.message, 'The clock is right within seconds (that of the database)');

  writeFileSync(join(cwd, 'docbuild.yml'), `store: ${own.url(`${database}none`)}\n`);
  const [lost] = (await examine(t, cwd)).of('storage');
  t.is(lost!.status, 'error');
  t.regex(lost!.advice!, /^check "store"/);
});
