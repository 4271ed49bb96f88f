import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { createPasswords } from '../../platform/accounts/passwords.ts';
import { readConfig } from '../../platform/config/read-config.ts';
import { type RunningServer, startServer } from '../../service/server.ts';
import { CHEAP } from './create-accounts.ts';
import { createFolder } from './create-repository.ts';

/** A server on a free port, with everything it keeps in a temporary folder. */
export interface TestServer extends RunningServer {
  readonly folder: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
  /** Returns the lines it has logged. */
  logged(): readonly string[];
}

/** Starts a server whose passwords cost little; `yaml` is added to its configuration. It is closed with the test. */
export async function createServer(
  t: ExecutionContext,
  yaml = '',
  folder = createFolder(t),
  now?: () => Date,
): Promise<TestServer> {
  const file = join(folder, 'docbuild.yml');
  writeFileSync(file, `base_dir: ./base\n${yaml.includes('api:') ? '' : 'api: {port: 0}\n'}${yaml}`);
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) });
  const passwords = createPasswords({ parameters: CHEAP });
  const server = await startServer(readConfig(file, folder), log, { passwords, ...(now && { now }) });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await server.close();
  };
  t.teardown(close);
  const send = (path: string, { headers, ...options }: RequestInit & { headers: Record<string, string> }) =>
    fetch(server.origin + path, { redirect: 'manual', ...options, headers });
  return {
    ...server,
    folder,
    close,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body = '', headers = {}) => send(path, { method: 'POST', body, headers }),
    logged: () => lines,
  };
}
