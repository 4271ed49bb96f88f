import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, BuildSummary, OptionWords, Ref } from '../../builder/index.ts';
import { packageFile } from '../../lib/package-file.ts';

/** A message to a build process. */
export interface BuildOrder {
  readonly options: Omit<BuildOptions, 'onProgress' | 'onPublished'>;
  readonly words: OptionWords;
}

/** A message from a build process: its progress, and finally its result. */
export type BuildReport =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'done'; readonly summary: BuildSummary; readonly refs: readonly Ref[] }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome of a build process. */
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

/** How long an idle process is kept. */
const IDLE_MS = 10 * 60_000;
/** Heap limit of the main thread; exceeding it fails the build and not the machine. */
const HEAP_MB = 2_048;

/** Creates the pool; each process is started when first needed, one per concurrent build. */
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
      // A build must not see the server's hooks and credentials.
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

  /** Kills a process at once: publishing survives that, and nothing else needs a clean end. */
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
