import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse } from 'yaml';
import { createFolder } from '../helpers/create-repository.ts';
import { testIf } from '../helpers/test-if.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A bound on the files of the image, in bytes. Node.js 22, which it has, is 25 MB larger than 20. */
const MAX_BYTES = 200_000_000;

/** Returns the JSON of an instruction of the Dockerfile. */
function findInstruction(name: string): readonly string[] {
  const [, list] = new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(read('deploy/Dockerfile')) ?? [];
  return JSON.parse(list!) as readonly string[];
}

const COMMAND = [...findInstruction('ENTRYPOINT'), ...findInstruction('CMD')];
const [, healthCheck] = /HEALTHCHECK .*\n\s+CMD (\[.*\])/.exec(read('deploy/Dockerfile'))!;
const HEALTH_CHECK = JSON.parse(healthCheck!) as readonly string[];

test('image: one service with one volume needs no configuration, and its health check asks where it listens', (t) => {
  const { services, volumes } = parse(read('deploy/compose.single.yml')) as {
    readonly services: Readonly<Record<string, Record<string, unknown>>>;
    readonly volumes: object;
  };
  t.deepEqual([Object.keys(services), Object.keys(volumes)], [['docbuild'], ['docbuild']]);
  const { docbuild } = services;
  t.deepEqual(docbuild!['volumes'], ['docbuild:/var/lib/docbuild']);
  t.is(docbuild!['environment'], undefined);
  t.is(docbuild!['command'], undefined);
  t.deepEqual(docbuild!['ports'], [`127.0.0.1:${'$'}{HTTP_PORT:-5000}:5000`]);
  t.true(
    existsSync(join(root, 'deploy', String((docbuild!['build'] as { context: string }).context), 'deploy/Dockerfile')),
  );
  t.deepEqual(COMMAND.slice(-5), ['api', '--host', '0.0.0.0', '--port', '5000']);
  t.is(HEALTH_CHECK.at(-1), 'http://127.0.0.1:5000/readyz');
  const text = read('deploy/Dockerfile');
  t.regex(text, /^USER 1000:1000$/m);
  t.regex(text, /^FROM scratch\nCOPY --from=build \/image \/$/m);
  t.regex(text, /^RUN npm ci && deploy\/image-root \/image$/m);
  t.regex(text, /^VOLUME \/var\/lib\/docbuild$/m);
});

/** Whether an empty root can be entered here. */
function canEnter(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('sh', ['-c', 'command -v busybox && unshare --mount --pid --fork true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

testIf(canEnter(), 'needs root, busybox and namespaces')(
  'image: in a root that has nothing else it starts as nobody, is healthy, and publishes',
  async (t) => {
    t.timeout(300_000);
    const image = createFolder(t);
    execFileSync(join(root, 'deploy/image-root'), [image], { stdio: ['ignore', 'ignore', 'inherit'] });
    const files = readdirSync(image, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    t.log(`${bytes} bytes`);
    t.true(bytes < MAX_BYTES, `${bytes}`);
    for (const name of ['proc', 'dev']) mkdirSync(join(image, name));
    mkdirSync(join(image, 'var/lib/docbuild/guide/docs'), { recursive: true });
    writeFileSync(
      join(image, 'var/lib/docbuild/guide/docs/index.md'),
      '# Guide\n\n$x^2$\n\n```ts\nconst a = 1;\n```\n',
    );

    // Another port: this machine's may be taken.
    const port = 20_000 + (process.pid % 20_000);
    const enter =
      'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot --userspec=1000:1000 "$0" /bin/env -i HOME=/var/lib/docbuild PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production /bin/sh -c \'cd /var/lib/docbuild && exec "$@"\' sh "$@"';
    const inside = (args: readonly string[]) => [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      enter,
      image,
      ...args,
    ];
    const run = (...args: readonly string[]): string => execFileSync('unshare', inside(args), { encoding: 'utf8' });
    const server = spawn('unshare', inside(COMMAND.map((arg) => (arg === '5000' ? String(port) : arg))), {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const ended = once(server, 'exit');
    t.teardown(async () => {
      // The whole group: another user's process does not notice that its parent is gone.
      process.kill(-server.pid!, 'SIGKILL');
      await ended;
    });
    const lines: string[] = [];
    for await (const line of createInterface(server.stdout)) {
      lines.push(line);
      if (line.startsWith('Console') || line.startsWith('The first build')) break;
    }
    t.true(
      lines.some((line) => line.startsWith('Site ')),
      lines.join('\n'),
    );
    run(...HEALTH_CHECK.map((arg) => arg.replace('5000', String(port))));
    t.throws(() => run('/bin/wget', '-q', '-O', '/dev/null', `http://127.0.0.1:${port}/nothing`));
    t.is(run('/bin/id', '-u'), '1000\n');
    t.is(run('docbuild', '--version').trim(), (JSON.parse(read('package.json')) as { version: string }).version);
    // The server's control socket, koffi's exchange, time zones.
    run('docbuild', 'project', 'create', '-u', '/var/lib/docbuild/guide', 'guide');
    t.regex(run('docbuild', 'build', 'guide'), /passing/);
    const page = await (await fetch(`http://127.0.0.1:${port}/docs/guide/`)).text();
    t.regex(page, /<math/);
    t.regex(page, /<span class="[^"]+">const\b/);
    t.is(
      run('node', '-p', "require('/opt/docbuild/node_modules/koffi').load(null).func('int getpid()')() > 0"),
      'true\n',
    );
    t.is(run('node', '-p', "new Date(0).toLocaleString('sv', { timeZone: 'Asia/Shanghai' })"), '1970-01-01 08:00:00\n');
    t.throws(() => run('/bin/sh', '-c', 'echo x > /opt/docbuild/package.json 2>/dev/null'));
  },
);
