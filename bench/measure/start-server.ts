import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A server in a separate process. */
export interface RunningServer {
  readonly pid: number;
  /** Without a final `/`. */
  readonly url: string;
  stop(): Promise<void>;
}

const START_MS = 10_000;

/** Starts `bench/scripts/serve-folder`. */
export function startSiteServer(...args: readonly string[]): Promise<RunningServer> {
  return startScript('serve-folder', ...args);
}

/** Starts a script of `bench/scripts/` that prints the port it serves on. */
export async function startScript(name: string, ...args: readonly string[]): Promise<RunningServer> {
  const script = fileURLToPath(new URL(`../scripts/${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code}`)));
  });
  return toServer(child, port);
}

/** Starts a program that serves on a given port, and waits until it does. */
export async function startProgram(command: string, args: readonly string[], port: number): Promise<RunningServer> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`"${command}" ended with code ${code}`)));
  });
  failed.catch(() => {});
  for (const end = performance.now() + START_MS; !(await Promise.race([isListening(port), failed])); ) {
    if (performance.now() > end) throw new Error(`"${command}" does not listen on port ${port}`);
    await sleep(20);
  }
  return toServer(child, port);
}

function toServer(child: ChildProcess, port: number): RunningServer {
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  return {
    pid: child.pid!,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      kill();
      await ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
