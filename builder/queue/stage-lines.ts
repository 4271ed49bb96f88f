import { type Progress, STAGE_LABELS, type Stage } from '../pipeline/build-options.ts';

/** Gives a listener for progress that writes one line as each stage begins. */
export function createStageLines(write: (line: string) => void): (progress: Progress) => void {
  const seen = new Set<Stage>();
  return ({ stage }) => {
    if (seen.has(stage)) return;
    seen.add(stage);
    write(STAGE_LABELS[stage]);
  };
}
