import { BuildError } from '../build-error.ts';
import { describeLimit } from '../build-limits.ts';
import type { FetchListener } from '../model.ts';
import { type Progress, STAGES, type Stage } from './build-options.ts';

/** Measures the stages of a build and tells how far they are. */
export interface StageClock {
  enter(stage: Stage, total?: number): void;
  advance(by?: number): void;
  progress(done: number, total: number): void;
  /** Counts refs that are here and bytes that came from a server. */
  readonly fetchListener: FetchListener;
  /** Time in each stage up to now, ms. */
  stages(): Readonly<Record<Stage, number>>;
  finish(): { readonly ms: number; readonly stages: Readonly<Record<Stage, number>> };
}

/**
 * Starts a clock; `now` gives milliseconds. Once the build has taken longer than `timeoutMs`, whoever tells the clock how
 * far it is gets a `BuildError`. While a repository is fetched, other limits hold.
 */
export function createStageClock(
  onProgress: ((progress: Progress) => void) | undefined,
  { timeoutMs, now = () => performance.now() }: { readonly timeoutMs: number; readonly now?: () => number },
): StageClock {
  const start = now();
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<Stage, number>;
  let current: Stage | undefined;
  let entered = start;
  let done = 0;
  let total = 0;
  let received = 0;
  const report = () => {
    if (!current) return;
    onProgress?.({ stage: current, done, total, ...(received > 0 && { bytes: received }) });
    if (current !== 'fetch' && now() - start > timeoutMs) throw createTimeError(timeoutMs);
  };
  const leave = () => {
    if (current) stages[current] += now() - entered;
  };
  return {
    enter(stage, size = 0) {
      leave();
      current = stage;
      entered = now();
      done = 0;
      total = size;
      received = 0;
      report();
    },
    advance(by = 1) {
      done += by;
      report();
    },
    progress(reached, of) {
      done = reached;
      total = of;
      report();
    },
    fetchListener: {
      onFetched() {
        done++;
        report();
      },
      onReceived(bytes) {
        received += bytes;
        report();
      },
    },
    stages: () => ({ ...stages }),
    finish() {
      leave();
      current = undefined;
      for (const stage of STAGES) stages[stage] = Math.round(stages[stage] * 10) / 10;
      return { ms: Math.round((now() - start) * 10) / 10, stages };
    },
  };
}

/** Returns the error of a build that took too long. */
export function createTimeError(timeoutMs: number): BuildError {
  const message = `The build took longer than ${describeLimit('timeoutMs', timeoutMs)}; pages rendered so far are cached for the next build`;
  return new BuildError('time-limit', message);
}
