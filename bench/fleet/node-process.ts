import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Operations } from '../../platform/operations/operations.ts';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { docbuildPath } from '../../test/helpers/run-docbuild.ts';

/** A node as a process, which is started again when it ends by itself, as a supervisor does. */
export interface NodeProcess {
  readonly name: string;
  readonly role: 'web' | 'build';
  /** Folder of its configuration; what it writes is in `base` there. */
  readonly folder: string;
  readonly baseFolder: string;
  /** Where a web node listens. */
  readonly origin: string;
  /** The number of the process that runs. */
  readonly pid: number;
  /** How often it was started. */
  readonly starts: number;
  /** It is ready, and neither frozen nor being killed. */
  isUp(): boolean;
  /** How it ended by itself after it had been ready, with what it said last. */
  readonly ends: readonly string[];
  /** How starts failed, as they may while the database is away for long. */
  readonly failedStarts: readonly string[];
  start(): Promise<void>;
  /** Ends it by SIGTERM, and starts it as the release that this code is part of. */
  upgrade(): Promise<void>;
  /** Ends it by SIGKILL, and leaves it so until `start`. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Returns the operations of the running process. Throws where there is none. */
  operations(): Promise<Operations>;
}

const RESTART_MS = 500;

/** Describes a node whose configuration stands in its folder; it is killed with the test. */
export function createNodeProcess(
  t: ExecutionContext,
  options: Pick<NodeProcess, 'name' | 'role' | 'folder'> & {
    readonly port: number;
    readonly env: Readonly<Record<string, string>>;
    /** Path of the `docbuild.js` of the release that it begins with; default: this one. */
    readonly program?: string | undefined;
  },
): NodeProcess {
  const { name, role, folder, port, env } = options;
  let { program = docbuildPath } = options;
  const baseFolder = join(folder, 'base');
  const log = createWriteStream(join(folder, 'log'), { flags: 'a' });
  const ends: string[] = [];
  const failedStarts: string[] = [];
  let child: ChildProcess | undefined;
  let starts = 0;
  let isWanted = false;
  let isReady = false;
  let isFrozen = false;
  t.teardown(() => {
    isWanted = false;
    child?.kill('SIGKILL');
  });
  const run = (): void => {
    const args = [program, 'api', '--role', role, '--port', String(port)];
    const own = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = own;
    starts++;
    let last = '';
    for (const stream of [own.stdout, own.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log.write(text);
        last = (last + text).slice(-2_000);
        if (/^docbuild (?:serves|builds)/m.test(text) && child === own) isReady = true;
      });
    }
    own.once('exit', (code, signal) => {
      if (child !== own || !isWanted) return;
      const why = `ended with ${code ?? signal}: ${last.trim().split('\n').at(-1)}`;
      if (isReady) ends.push(`${name} ${why}`);
      else failedStarts.push(`${name} ${why}`);
      isReady = false;
      setTimeout(() => isWanted && run(), RESTART_MS);
    });
  };
  return {
    name,
    role,
    folder,
    baseFolder,
    ends,
    failedStarts,
    origin: `http://127.0.0.1:${port}`,
    get pid() {
      return child!.pid!;
    },
    get starts() {
      return starts;
    },
    isUp: () => isReady && !isFrozen,
    async start() {
      isWanted = true;
      run();
      while (!isReady) await sleep(20);
    },
    async upgrade() {
      isWanted = false;
      isReady = false;
      const own = child!;
      const ended = once(own, 'exit');
      own.kill('SIGTERM');
      const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
      if (code !== 0) ends.push(`${name} ended with ${code ?? signal} at SIGTERM`);
      program = docbuildPath;
      await this.start();
    },
    async kill() {
      isWanted = false;
      isReady = false;
      isFrozen = false;
      const own = child!;
      const ended = own.exitCode === null && own.signalCode === null ? once(own, 'exit') : undefined;
      own.kill('SIGKILL');
      await ended;
    },
    freeze() {
      isFrozen = true;
      child!.kill('SIGSTOP');
    },
    thaw() {
      child!.kill('SIGCONT');
      isFrozen = false;
    },
    async operations() {
      const operations = await connectControl(socketPath(baseFolder));
      if (!operations) throw new Error(`${name} has no control socket`);
      return operations;
    },
  };
}
