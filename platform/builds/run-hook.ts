import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Build } from '../../data/records/build.ts';
import { CANCELLED, commandFailed, commandTimedOut } from './build-reasons.ts';
import { BUILD_VARIABLE, type HookRecords } from './hook-records.ts';
import { codeOf, endFor, type FailedBuild } from './whose-fault.ts';

/**
 * Runs the command that is its first argument, once a line comes: the process is on record by then. Without one, its server is
 * gone. A second line says that all is over; if the end of input comes instead, the server has been killed, and the shell that
 * waits for either ends the process group, itself included. Both come on a pipe of their own, since Node.js closes standard input
 * when the command ends, and what that leaves running is to stay.
 */
const LAUNCHER = `read -r line <&3 || exit
{ read -r line <&3 || kill -s KILL 0; } >/dev/null 2>&1 &
exec sh -c "$0" 3<&-`;
/** A longer line is split. */
const MAX_LINE = 10_000;

/**
 * Runs a command of the operator with `sh -c` in the project's folder; its output goes to the build's log. Returns how
 * its build ends if it failed; nobody can be sure whose fault that is, unless the machine could not run it. The command receives
 * `DOCBUILD_PROJECT`, `DOCBUILD_REF` and `DOCBUILD_BUILD`.
 */
export function runHook(options: {
  readonly command: string;
  readonly name: 'before' | 'after';
  readonly folder: string;
  readonly build: Build;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly records: HookRecords;
  readonly log: (line: string) => void;
}): Promise<FailedBuild | undefined> {
  const { command, name, folder, build, signal, timeoutMs, records, log } = options;
  const cancelled = { status: 'cancelled', reason: String(CANCELLED) } as const;
  if (signal.aborted) return Promise.resolve(cancelled);
  mkdirSync(folder, { recursive: true });
  log(`Running the command "${name}"`);
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', LAUNCHER, command], {
      cwd: folder,
      // Its own process group, so that its child processes end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DOCBUILD_PROJECT: build.project,
        DOCBUILD_REF: build.ref,
        [BUILD_VARIABLE]: build.id,
      },
    });
    let isLate = false;
    const kill = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, timeoutMs);
    signal.addEventListener('abort', kill);
    const finish = (failed?: FailedBuild): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      records.remove(build.id);
      resolve(failed);
    };
    const fail = (error: Error): void =>
      finish(endFor(codeOf(error), `The command "${name}" could not be run: ${error.message}`));
    child.once('error', fail);
    // Where no more files can be opened there are no pipes.
    const lifeline = child.stdio?.[3] as Socket | undefined;
    // It may have been killed before it read.
    lifeline?.on('error', () => {});
    try {
      if (child.pid !== undefined) records.add(build.id, child.pid);
    } catch (error) {
      kill();
      fail(error as Error);
    }
    lifeline?.write('\n');
    const outputs = [child.stdout, child.stderr].filter((stream) => stream);
    let open = outputs.length;
    for (const stream of outputs as Readable[]) {
      passLines(stream.setEncoding('utf8'), log);
      stream.once('close', () => {
        // Node.js waits for the end of this pipe, too.
        if (--open === 0) lifeline?.end('\n', () => lifeline.destroy());
      });
    }
    child.once('close', (code, killedBy) => {
      if (signal.aborted) finish(cancelled);
      else if (isLate) finish(endFor(undefined, String(commandTimedOut(name, timeoutMs / 1000))));
      else if (code === 0) finish();
      else finish(endFor(undefined, String(commandFailed(name, killedBy ?? `exit code ${code}`))));
    });
  });
}

/** Emits whole lines, however the text is chunked, and the rest at the end. */
function passLines(stream: Readable, log: (line: string) => void): void {
  let rest = '';
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) log(line);
    if (rest.length <= MAX_LINE) return;
    log(rest);
    rest = '';
  });
  stream.on('end', () => {
    if (rest !== '') log(rest);
  });
}
