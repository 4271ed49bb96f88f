import { countNoun } from '../../lib/count-noun.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { noteStep } from '../../lib/work-note.ts';
import { BuildError } from '../build-error.ts';
import type { FetchListener } from '../model.ts';
import { describeLimit, markOptions } from '../option-marks.ts';

export const STAGES = ['open', 'fetch', 'read', 'render', 'compose', 'publish'] as const;
export type Stage = (typeof STAGES)[number];
/** The names of the stages for people. */
export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  open: 'Opening the repository',
  fetch: 'Fetching versions',
  read: 'Reading versions',
  render: 'Rendering pages',
  compose: 'Composing versions',
  publish: 'Publishing',
};

/** The progress of a stage; `total` may grow while it runs. */
export interface Progress {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
  /** Bytes received since the stage began; absent if there were none. */
  readonly bytes?: number;
}

/** Measures the stages of a build and reports their progress. */
export interface StageClock {
  enter(stage: Stage, total?: number): void;
  advance(by?: number): void;
  progress(done: number, total: number): void;
  /** Counts fetched refs and received bytes. */
  readonly fetchListener: Required<FetchListener>;
  /** Time in each stage up to now, ms. */
  stages(): Readonly<Record<Stage, number>>;
  finish(): { readonly ms: number; readonly stages: Readonly<Record<Stage, number>> };
}

/**
 * Starts a clock; `now` gives milliseconds. Once the build has taken longer than `timeoutMs`, reporting progress throws
 * a `BuildError`, and so it does once `signal` has fired. While a repository is fetched, other limits apply.
 */
export function createStageClock(
  onProgress: ((progress: Progress) => void) | undefined,
  {
    timeoutMs,
    signal,
    now = () => performance.now(),
  }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined; readonly now?: () => number },
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
    noteStep(STAGE_LABELS[current]);
    onProgress?.({ stage: current, done, total, ...(received > 0 && { bytes: received }) });
    if (signal?.aborted) throw createInterruption();
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
      noteStep('');
      for (const stage of STAGES) stages[stage] = Math.round(stages[stage] * 10) / 10;
      return { ms: Math.round((now() - start) * 10) / 10, stages };
    },
  };
}

export function createTimeError(timeoutMs: number): BuildError {
  const message = `The build took longer than ${describeLimit('timeoutMs', timeoutMs)}, or choose versions with ${markOptions('refs', 'exclude')}; pages rendered so far are cached for the next build`;
  return new BuildError('time-limit', message);
}

export function createInterruption(): BuildError {
  return new BuildError('interrupted', 'The build was interrupted');
}

/** Interval in ms at which a long stage reports its progress. */
const REPEAT_MS = 10_000;

/**
 * Returns a listener for progress that writes a line when a stage begins, at intervals one with its progress, and one
 * with what was fetched.
 */
export function createStageLines(
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  const seen = new Set<Stage>();
  let last: Progress | undefined;
  let written = 0;
  return (progress) => {
    const { stage } = progress;
    if (last?.stage === 'fetch' && last.bytes !== undefined && stage !== 'fetch') {
      write(`Fetched ${countNoun(last.done, 'version')}, ${formatBytes(last.bytes)}`);
    }
    last = progress;
    if (!seen.has(stage)) write(STAGE_LABELS[stage]);
    else if (now() - written < REPEAT_MS) return;
    else write(`${STAGE_LABELS[stage]} ${describeProgress(progress)}`);
    seen.add(stage);
    written = now();
  };
}

/** Returns the progress of a stage: `3/12`, or while versions are fetched `3/12, 4.5 MB`. */
export function describeProgress({ done, total, bytes }: Progress): string {
  return `${done}/${total}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`;
}
