import { createStageLines, describeProgress, type Progress, STAGE_LABELS, type Stage } from '../builder/index.ts';
import { canRedraw, columnsOf } from './color.ts';

/** Shows how far a build is. */
export interface ProgressReporter {
  readonly report: (progress: Progress) => void;
  readonly end: () => void;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 80;

/** Draws a bar on a terminal; elsewhere prints lines. Quiet ones show nothing. */
export function createProgressReporter(options: {
  readonly stream: NodeJS.WriteStream;
  readonly isQuiet: boolean;
  readonly now?: () => number;
}): ProgressReporter {
  const { stream, now = () => performance.now() } = options;
  if (options.isQuiet) return { report: () => {}, end: () => {} };
  if (canRedraw(stream)) return createBar(stream, now);
  return { report: createStageLines((line) => stream.write(`${line}\n`), now), end: () => {} };
}

function createBar(stream: NodeJS.WriteStream, now: () => number): ProgressReporter {
  let stage: Stage | undefined;
  let since = 0;
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    report(progress) {
      if (progress.stage !== stage) {
        stage = progress.stage;
        since = now();
        drawn = Number.NEGATIVE_INFINITY;
      }
      if (now() - drawn < REDRAW_MS) return;
      drawn = now();
      stream.write(`\r\x1b[K${formatBar(progress, now() - since, columnsOf(stream))}`);
    },
    end: () => stream.write('\r\x1b[K'),
  };
}

/** Returns one line: stage, bar, counts, and the time left once it can be told. */
export function formatBar(progress: Progress, elapsedMs: number, columns: number): string {
  const { stage, done, total } = progress;
  if (total === 0) return STAGE_LABELS[stage];
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const left = share > 0.05 && elapsedMs > 500 ? `, ${Math.ceil((elapsedMs * (1 - share)) / share / 1000)} s left` : '';
  return `${STAGE_LABELS[stage]} ${bar} ${describeProgress(progress)}${left}`.slice(0, columns - 1);
}

export interface Counter<What extends string> {
  report(progress: { readonly what: What; readonly done: number }): void;
  end(): void;
}

/** Counts on one line of a terminal; elsewhere prints a line for each kind. Quiet ones show nothing. */
export function createCounter<What extends string>(options: {
  readonly stream: NodeJS.WriteStream;
  readonly isQuiet: boolean;
  readonly labels: Readonly<Record<What, string>>;
  readonly now?: () => number;
}): Counter<What> {
  const { stream, isQuiet, labels, now = () => performance.now() } = options;
  if (isQuiet) return { report() {}, end() {} };
  let shown: What | undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    report({ what, done }) {
      if (!canRedraw(stream)) {
        if (what !== shown) stream.write(`${labels[what]}\n`);
        shown = what;
        return;
      }
      if (what === shown && now() - drawn < REDRAW_MS) return;
      shown = what;
      drawn = now();
      stream.write(`\r\x1b[K${labels[what]}: ${done}`);
    },
    end() {
      if (canRedraw(stream)) stream.write('\r\x1b[K');
    },
  };
}
