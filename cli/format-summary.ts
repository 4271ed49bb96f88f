import {
  type BuildSummary,
  countNoun,
  describeSources,
  formatBytes,
  formatProblems,
  type SourceError,
  type Warning,
} from '../builder/index.ts';

/** How many errors and how many warnings are printed; all of them are in `--json`. */
const MAX_ROWS = 20;

/** Returns what a finished build prints: errors, warnings, then what was built. */
export function formatSummary(summary: BuildSummary, out: string): string {
  const deadLinks = summary.warnings.filter(({ code }) => code === 'dead-link' || code === 'dead-anchor').length;
  const fallbacks = summary.fallbacks > 0 ? ` (+ ${summary.fallbacks} not translated)` : '';
  const errors = summary.errors.length > 0 ? `${countNoun(summary.errors.length, 'error')}; ` : '';
  const rows = [
    ...listProblems('error', summary.errors),
    ...listProblems('warning', summary.warnings),
    ...(summary.sources.length > 0 ? [`Documentation: ${describeSources(summary.sources)}`] : []),
    `${countNoun(summary.versions, 'version')}, ${countNoun(summary.languages, 'language')}, ${countNoun(summary.pages, 'page')}${fallbacks}: ` +
      `${summary.rendered} rendered, ${summary.reused} reused; ${errors}${countNoun(deadLinks, 'dead link')}; ` +
      `${formatBytes(summary.bytes)} in ${(summary.ms / 1000).toFixed(2)} s → ${out}`,
  ];
  return `${rows.join('\n')}\n`;
}

/** Returns the first problems, a line each, and how many more there are. */
function listProblems(kind: 'error' | 'warning', problems: readonly (SourceError | Warning)[]): readonly string[] {
  const label = kind === 'error' ? 'Error' : 'Warning';
  const { rows, left } = formatProblems(problems, MAX_ROWS);
  const more = left > 0 ? [`… and ${countNoun(left, `more ${kind}`)}; --json lists them`] : [];
  return [...rows.map((row) => `${label}: ${row}`), ...more];
}
