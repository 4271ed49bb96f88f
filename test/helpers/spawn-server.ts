import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

/** A server in a separate process. */
export interface SpawnedServer {
  readonly origin: string;
  readonly child: ChildProcess;
  /** Returns its output so far. */
  output(): string;
  /** Waits until it has printed this; fails with what it printed instead after `limitMs`, a little less than a test may take. */
  waitFor(text: RegExp, limitMs?: number): Promise<void>;
  /** Ends it and returns its exit code; null where the signal ended it. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

const command = fileURLToPath(new URL('../../docbuild.js', import.meta.url));

/** Starts `docbuild api` in a folder on a free port; it is killed with the test. */
export function spawnServer(
  t: ExecutionContext,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<SpawnedServer> {
  return spawnListening(t, { cwd, env, args: ['api', '--port', '0'], ready: /docbuild serves (http:\S+)\n/ });
}

/**
 * Starts a command that listens, and waits until it prints its origin, the group of `ready`. It is killed with the test, which
 * waits until neither it nor its builds write files any longer.
 */
export async function spawnListening(
  t: ExecutionContext,
  options: {
    readonly cwd: string;
    readonly args: readonly string[];
    readonly ready: RegExp;
    /** Variables besides those that it needs. */
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<SpawnedServer> {
  const { cwd, args, ready, env } = options;
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: join(cwd, 'home'),
      TMPDIR: process.env['TMPDIR'],
      // Compiled code is kept for all servers.
      XDG_CACHE_HOME: join(tmpdir(), 'docbuild-test-cache'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('output');
    });
  }
  // Both streams have been read to their ends: processes that build, which share one, have ended, too.
  let isClosed = false;
  const closed = once(child, 'close').then(() => {
    isClosed = true;
    child.emit('output');
  });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const waitFor = async (text: RegExp, limitMs = 230_000): Promise<void> => {
    const deadline = AbortSignal.timeout(limitMs);
    while (!text.test(output)) {
      if (isClosed) throw new Error(`The server ended with ${child.exitCode}:\n${output}`);
      await once(child, 'output', { signal: deadline }).catch((error: unknown) => {
        if (!deadline.aborted) throw error;
        throw new Error(`The server did not print ${text}:\n${output}`);
      });
    }
  };
  await waitFor(ready);
  return {
    origin: ready.exec(output)![1]!,
    child,
    output: () => output,
    waitFor,
    async stop(signal) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}
