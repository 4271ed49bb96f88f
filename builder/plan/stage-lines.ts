import { type Progress, STAGE_LABELS, type Stage } from './build-options.ts';

/** A stage that takes long says after so many ms how far it is. */
const REPEAT_MS = 10_000;

/**
 * Returns a listener for progress that writes a line as each stage begins, now and then one that says how far it is, and
 * one that says what was fetched.
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
      write(`Fetched ${last.done} version${last.done === 1 ? '' : 's'}, ${formatBytes(last.bytes)}`);
    }
    last = progress;
    if (!seen.has(stage)) write(STAGE_LABELS[stage]);
    else if (now() - written < REPEAT_MS) return;
    else write(`${STAGE_LABELS[stage]} ${describeProgress(progress)}`);
    seen.add(stage);
    written = now();
  };
}

/** Returns how far a stage is: `3/12`, or while versions are fetched `3/12, 4.5 MB`. */
export function describeProgress({ done, total, bytes }: Progress): string {
  return `${done}/${total}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`;
}

/** Returns a number of bytes as people read it. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
