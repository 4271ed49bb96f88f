import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('publish-child.js', import.meta.url));

/** A publishing process: see `publish-child.ts`. */
export interface RunningChild {
  readonly process: ChildProcess;
  /** Resolves when the process has begun. */
  readonly started: Promise<void>;
  /** Its last output, and the signal that ended it. */
  readonly ended: Promise<{
    readonly answer: Record<string, unknown> | undefined;
    readonly signal: NodeJS.Signals | null;
  }>;
}

/** Starts a process that publishes; `uid` needs root. */
export function runChild(task: object, options: { readonly uid?: number } = {}): RunningChild {
  const running = spawn(process.execPath, [child, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  let output = '';
  const started = new Promise<void>((resolve) => {
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve();
    });
    running.on('close', () => resolve());
  });
  const ended = once(running, 'close').then(([, signal]: unknown[]) => {
    const last = output.slice(output.indexOf('\n') + 1);
    return {
      answer: last === '' ? undefined : (JSON.parse(last) as Record<string, unknown>),
      signal: signal as NodeJS.Signals | null,
    };
  });
  return { process: running, started, ended };
}
