import type { BuildSummary } from '../../builder/index.ts';
import { findSpread } from '../measure/statistics.ts';
import type { DocbuildRun } from '../run-docbuild.ts';

/** Returns the median time of each stage as text, such as `open 12, fetch 0, render 2900 ms`. */
export function stageNote(runs: readonly DocbuildRun[]): string {
  const names = Object.keys(runs[0]!.summary.stages) as (keyof BuildSummary['stages'])[];
  const parts = names.map((name) => {
    const { median } = findSpread(runs.map(({ summary }) => summary.stages[name]));
    return `${name} ${median < 10 ? median.toFixed(1) : median.toFixed(0)}`;
  });
  return `${parts.join(', ')} ms`;
}
