import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gitEnvironment } from './run-git.ts';

/** The command as it is installed. */
export const docbuildPath = fileURLToPath(new URL('../../docbuild.js', import.meta.url));

export interface FinishedProcess {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process is run. */
export interface ProcessOptions {
  readonly cwd?: string;
  /** Its standard input; without it there is none. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether more is typed after `input`, until somebody ends the child's standard input. */
  readonly isInputOpen?: boolean;
  /** Called with the running process, e.g. to kill it. */
  readonly onStart?: (child: ChildProcess) => void;
  /** Program and arguments in front of node, e.g. `['setpriv', '--reuid=65534']`. */
  readonly through?: readonly string[];
}

/** Runs `docbuild` as a separate process and waits for its end. */
export function runDocbuild(args: readonly string[], options: ProcessOptions = {}): Promise<FinishedProcess> {
  return runProgram([...(options.through ?? []), process.execPath, docbuildPath, ...args], options);
}

/** Runs a program and waits for its end. */
export function runProgram(
  [program, ...args]: readonly string[],
  options: Omit<ProcessOptions, 'through'>,
): Promise<FinishedProcess> {
  const child = spawn(program!, args, {
    cwd: options.cwd,
    env: { ...gitEnvironment, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (options.isInputOpen) child.stdin?.write(options.input ?? '');
  else child.stdin?.end(options.input);
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  options.onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
