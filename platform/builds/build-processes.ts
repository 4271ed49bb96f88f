import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, BuildSummary, Ref } from '../../builder/index.ts';
import { packageFile } from '../../lib/package-file.ts';

/** What a build process is told. */
export interface BuildOrder {
  readonly options: Omit<BuildOptions, 'onProgress' | 'onPublished'>;
}

/** What a build process tells: how far it is, and once how it ended. */
export type BuildReport =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'done'; readonly summary: BuildSummary; readonly refs: readonly Ref[] }
  | { readonly kind: 'failed'; readonly message: string };

/** How a build process ended its order, or why it did not. */
export type ProcessOutcome =
  | Extract<BuildReport, { kind: 'done' | 'failed' }>
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout' };

/** Runs builds in processes of their own, so that no build delays an answer, takes the server's memory or outlives it. */
export interface BuildProcesses {
  run(
    order: BuildOrder,
    context: {
      readonly signal: AbortSignal;
      readonly timeoutMs: number;
      readonly onProgress: (line: string) => void;
    },
  ): Promise<ProcessOutcome>;
  close(): Promise<void>;
}

/** A process that has nothing to do is kept warm this long. */
const IDLE_MS = 10 * 60_000;
/** Memory of the main thread's heap; a build that needs more fails instead of the machine. */
const HEAP_MB = 2_048;

/** Creates the processes, each when first needed; as many as builds run at once. */
export function createBuildProcesses(): BuildProcesses {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();

  return {
    async run(order, { signal, timeoutMs, onProgress }) {
      const child = takeProcess();
      const outcome = await new Promise<ProcessOutcome>((resolve) => {
        const timer = setTimeout(() => resolve({ kind: 'timeout' }), timeoutMs);
        const cancel = (): void => resolve({ kind: 'cancelled' });
        signal.addEventListener('abort', cancel, { once: true });
        if (signal.aborted) cancel();
        child.on('message', (report: BuildReport) => {
          if (report.kind === 'progress') onProgress(report.line);
          else resolve(report);
        });
        const fail = (why: string): void => resolve({ kind: 'failed', message: `The build process ended: ${why}` });
        child.once('error', (error) => fail(error.message));
        child.once('exit', (code, killedBy) => fail(killedBy ?? `code ${code}`));
        child.send(order, (error) => error && fail(error.message));
        child.once('settled', () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', cancel);
        });
      });
      child.emit('settled');
      child.removeAllListeners();
      if (outcome.kind === 'cancelled' || outcome.kind === 'timeout') await endProcess(child);
      else putBack(child);
      return outcome;
    },
    async close() {
      await Promise.all([...all].map(endProcess));
    },
  };

  function takeProcess(): ChildProcess {
    for (let child = idle.pop(); child; child = idle.pop()) if (child.connected) return child;
    const child = fork(fileURLToPath(packageFile('dist/build-process.js')), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      // Hooks and credentials of the server are none of a build's business.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    all.add(child);
    child.once('exit', () => all.delete(child));
    return child;
  }

  function putBack(child: ChildProcess): void {
    child.once('exit', () => all.delete(child));
    if (!child.connected) return;
    idle.push(child);
    setTimeout(() => {
      const at = idle.indexOf(child);
      if (at < 0) return;
      idle.splice(at, 1);
      void endProcess(child);
    }, IDLE_MS).unref();
  }

  /** Ends a process at once: the engine's publishing survives that, and nothing else is worth waiting for. */
  async function endProcess(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) {
      all.delete(child);
      return;
    }
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
    all.delete(child);
  }
}
