import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  BuildOptions,
  BuildSummary,
  InspectionOptions,
  OptionWords,
  Ref,
  RepositoryReport,
} from '../../builder/index.ts';
import { PROXY_VARIABLES } from '../../lib/http-stream.ts';
import { packageFile } from '../../lib/package-file.ts';
import { closeWorkNote, openWorkNote, readWorkNote } from '../../lib/work-note.ts';
import { describeProcessEnd, isOutOfHeap, UNANSWERED } from './process-end.ts';

/** A message to a build process. */
export interface BuildOrder {
  readonly options: Omit<BuildOptions, 'onProgress' | 'beforePublish' | 'onPublished'>;
  /** It asks before it publishes. */
  readonly isAsking: boolean;
  readonly words: OptionWords;
}

/** A message to a build process: look at a repository. */
export interface InspectionOrder {
  readonly inspection: InspectionOptions;
}

/** A message from a build process: its progress, and finally its result. */
export type BuildReport =
  | { readonly kind: 'inspected'; readonly report: RepositoryReport }
  | { readonly kind: 'progress'; readonly line: string }
  /** Asks whether it may publish; answered by `PublishAnswer`, or by being killed. */
  | { readonly kind: 'publish' }
  | { readonly kind: 'done'; readonly summary: BuildSummary; readonly refs: readonly Ref[] }
  | ({ readonly kind: 'failed' } & Failure);

interface Failure {
  readonly message: string;
  /** See `endFor`. */
  readonly code?: string | undefined;
  /** The process was killed or crashed; whether by what it built, nobody knows. */
  readonly isCrash?: boolean;
}

/** The answer to a build process that asks whether it may publish: it may. */
export interface PublishAnswer {
  readonly mayPublish: true;
}

/** How the work of a build process ended. */
type Outcome =
  | Exclude<BuildReport, { kind: 'progress' | 'publish' }>
  /** The process ended while it rendered a page. */
  | ({ readonly kind: 'fatal-page'; readonly page: string } & Failure)
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout' };

/** The outcome of a build process. */
export type ProcessOutcome = Exclude<Outcome, { kind: 'inspected' }>;

/** The outcome of looking at a repository. */
export type InspectionOutcome = Exclude<Outcome, { kind: 'done' | 'cancelled' | 'fatal-page' }>;

/** Runs builds in processes of their own, so that no build delays an answer, takes the server's memory or outlives it. */
export interface BuildProcesses {
  run(
    order: BuildOrder,
    context: {
      readonly signal: AbortSignal;
      readonly timeoutMs: number;
      readonly onProgress: (line: string) => void;
      /** Returns whether a build that asks may publish; otherwise it is cancelled. */
      readonly mayPublish?: (() => Promise<boolean>) | undefined;
    },
  ): Promise<ProcessOutcome>;
  /** Looks at a repository, in a process like those of builds. */
  inspect(order: InspectionOrder, context: { readonly timeoutMs: number }): Promise<InspectionOutcome>;
  close(): Promise<void>;
}

/** Its time was up while it waited for the answer, or it ended itself since it got none. */
const NO_ANSWER: Outcome = {
  kind: 'failed',
  message: 'The database did not say in time whether this build may be published',
  code: 'unwritable',
};

/** How long an idle process is kept. */
const IDLE_MS = 10 * 60_000;
/** Heap limit of the main thread; exceeding it fails the build and not the machine. */
const HEAP_MB = 2_048;

/** How long a process that is to end may take; it keeps its compiled code for the next one. */
const END_MS = 5_000;

/** Creates the pool; each process is started when first needed, one per concurrent build. */
export function createBuildProcesses({ idleMs = IDLE_MS, heapMb = HEAP_MB } = {}): BuildProcesses {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  /** The number of the build that each process works on. */
  const notes = new WeakMap<ChildProcess, number>();

  return {
    run: (order, context) => execute(order, context) as Promise<ProcessOutcome>,
    inspect: (order, { timeoutMs }) => execute(order, { timeoutMs }) as Promise<InspectionOutcome>,
    async close() {
      await Promise.all([...all].map(endProcess));
    },
  };

  /** Sends an order to a process and returns what came of it; the answer fits the order. */
  async function execute(
    order: BuildOrder | InspectionOrder,
    context: {
      readonly signal?: AbortSignal;
      readonly timeoutMs: number;
      readonly onProgress?: (line: string) => void;
      readonly mayPublish?: (() => Promise<boolean>) | undefined;
    },
  ): Promise<Outcome> {
    const { signal, timeoutMs, onProgress, mayPublish = async () => true } = context;
    const child = takeProcess();
    const outcome = await new Promise<Outcome>((resolve) => {
      let isAsking = false;
      const timer = setTimeout(() => resolve(isAsking ? NO_ANSWER : { kind: 'timeout' }), timeoutMs);
      const cancel = (): void => resolve({ kind: 'cancelled' });
      const allow = (): void => {
        isAsking = false;
        child.send({ mayPublish: true } satisfies PublishAnswer, () => {});
      };
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted) cancel();
      child.on('message', (report: BuildReport) => {
        if (report.kind === 'progress') onProgress?.(report.line);
        else if (report.kind === 'publish') {
          isAsking = true;
          mayPublish().then((may) => (may ? allow() : cancel()), cancel);
        } else resolve(report);
      });
      // There was no memory for it, or no place for another process.
      const fail = ({ message }: Error): void =>
        resolve({ kind: 'failed', message: `The build process ended: ${message}`, code: 'unwritable' });
      child.once('error', fail);
      child.once('exit', (code, signal) => {
        if (code === UNANSWERED) return resolve(NO_ANSWER);
        const note = notes.get(child);
        const at = note === undefined ? { name: undefined, step: undefined } : readWorkNote(note);
        const message = describeProcessEnd({ code, signal }, heapMb, at);
        const page = at.name;
        const why = isOutOfHeap({ code, signal }) ? { message, code: 'out-of-memory' } : { message, isCrash: true };
        resolve(page === undefined ? { kind: 'failed', ...why } : { kind: 'fatal-page', page, ...why });
      });
      // Where no more files can be opened there is no channel.
      child.send?.(order, (error) => error && fail(error));
      child.once('settled', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      });
    });
    child.emit('settled');
    child.removeAllListeners();
    if (outcome.kind === 'cancelled' || outcome.kind === 'timeout' || outcome === NO_ANSWER) await endProcess(child);
    else putBack(child);
    return outcome;
  }

  function takeProcess(): ChildProcess {
    for (let child = idle.pop(); child; child = idle.pop()) if (child.connected) return child;
    const note = openWorkNote();
    try {
      const child = fork(fileURLToPath(packageFile('dist/build-process.js')), {
        execArgv: [`--max-old-space-size=${heapMb}`],
        // A build must not see the server's hooks and credentials; proxies it needs.
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
          LANG: process.env.LANG,
          ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, process.env[name]])),
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc', note],
      });
      notes.set(child, note);
      all.add(child);
      watchEnd(child);
      return child;
    } catch (error) {
      closeWorkNote(note);
      throw error;
    }
  }

  /** Forgets a process when it has ended; what listens is removed after each order. */
  function watchEnd(child: ChildProcess): void {
    // Those who wait for its end read its note first.
    child.once('exit', () => setImmediate(() => forget(child)));
  }

  function forget(child: ChildProcess): void {
    all.delete(child);
    const note = notes.get(child);
    if (note !== undefined) closeWorkNote(note);
    notes.delete(child);
  }

  function putBack(child: ChildProcess): void {
    if (child.exitCode !== null || child.signalCode !== null) {
      forget(child);
      return;
    }
    watchEnd(child);
    if (!child.connected) return;
    idle.push(child);
    setTimeout(() => {
      const at = idle.indexOf(child);
      if (at < 0) return;
      idle.splice(at, 1);
      if (child.connected) child.disconnect();
      setTimeout(() => void endProcess(child), END_MS).unref();
    }, idleMs).unref();
  }

  /** Kills a process at once: publishing survives that, and nothing else needs a clean end. */
  async function endProcess(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return forget(child);
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
    forget(child);
  }
}
