import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createFolder } from './create-repository.ts';
import { testIf } from './test-if.ts';
import { waitUntil } from './wait-until.ts';

const PROGRAM = '/usr/sbin/nginx';

export const hasNginx = existsSync(PROGRAM);
/** Declares tests that need nginx. */
export const nginxTest = testIf(hasNginx, 'needs nginx', { isRequiredInCi: true });

/** Writes a main configuration around one for the context `http`; returns its folder. */
function writeConfig(t: ExecutionContext, config: string): string {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'temp'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, 'temp', name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
${process.getuid!() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${join(folder, 'pid')};
error_log stderr notice;
events {}
http {
access_log off;
${temp.join('\n')}
${config}
}
`,
  );
  return folder;
}

/** Returns what nginx says about a configuration for the context `http`. */
export function checkNginx(t: ExecutionContext, config: string): string {
  const folder = writeConfig(t, config);
  execFileSync('sh', ['-c', `exec ${PROGRAM} -t -p "$0" -c "$0/nginx.conf" 2>"$0/said"`, folder]);
  return execFileSync('cat', [join(folder, 'said')], { encoding: 'utf8' });
}

/** Starts nginx with a configuration for the context `http`, which may use `port`; it ends with the test. */
export async function startNginx(
  t: ExecutionContext,
  configure: (port: number) => string,
): Promise<{ readonly origin: string }> {
  const port = await findFreePort();
  const folder = writeConfig(t, configure(port));
  const nginx: ChildProcess = spawn(PROGRAM, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  nginx.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  t.teardown(async () => {
    if (nginx.exitCode !== null) return;
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
  });
  await waitUntil(() => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended:\n${said}`);
    return /start worker process \d+/.test(said);
  });
  return { origin: `http://127.0.0.1:${port}` };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
