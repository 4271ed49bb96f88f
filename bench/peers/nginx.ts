import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type RunningServer, startProgram } from '../measure/start-server.ts';

/** Returns whether a program can be started. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts nginx with one worker and no access log on a folder; `state` is where it keeps what it needs. */
export function startNginx(root: string, state: string): Promise<RunningServer> {
  return runNginx(state, (port) => `server { listen 127.0.0.1:${port}; root ${root}; }`);
}

/** Starts nginx with one worker and no access log; `describe` returns what serves the port, for its section `http`. */
export async function runNginx(state: string, describe: (port: number) => string): Promise<RunningServer> {
  mkdirSync(state);
  const port = await findFreePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(state, name)};`)
    .join('\n');
  // Started by root, it would give the worker another user, who may not read the bench's folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  const configuration = `${user}worker_processes 1;
daemon off;
pid ${join(state, 'pid')};
error_log ${join(state, 'error.log')};
events { worker_connections 1024; }
http {
  types { text/html html; }
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  access_log off;
${temporary}
  ${describe(port)}
}
`;
  const file = join(state, 'nginx.conf');
  writeFileSync(file, configuration);
  return startProgram('nginx', ['-e', join(state, 'error.log'), '-c', file], port);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
