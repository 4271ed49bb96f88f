import {
  type BuildSummary,
  describeSources,
  formatBytes,
  formatProblem,
  type SourceError,
  type Warning,
} from '../builder/index.ts';

/** How many errors and how many warnings are printed; all of them are in `--json`. */
const MAX_ROWS = 20;

/** Returns what a finished build prints: errors, warnings, then what was built. */
export function formatSummary(summary: BuildSummary, out: string): string {
  const deadLinks = summary.warnings.filter(({ code }) => code === 'dead-link' || code === 'dead-anchor').length;
  const fallbacks = summary.fallbacks > 0 ? ` (+ ${summary.fallbacks} not translated)` : '';
  const errors = summary.errors.length > 0 ? `${count(summary.errors.length, 'error')}; ` : '';
  const rows = [
    ...formatProblems('error', summary.errors),
    ...formatProblems('warning', summary.warnings),
    ...(summary.sources.length > 0 ? [`Documentation: ${describeSources(summary.sources)}`] : []),
    `${count(summary.versions, 'version')}, ${count(summary.languages, 'language')}, ${count(summary.pages, 'page')}${fallbacks}: ` +
      `${summary.rendered} rendered, ${summary.reused} reused; ${errors}${count(deadLinks, 'dead link')}; ` +
      `${formatBytes(summary.bytes)} in ${(summary.ms / 1000).toFixed(2)} s → ${out}`,
  ];
  return `${rows.join('\n')}\n`;
}

/** Returns the first problems, a line each, and how many more there are. */
function formatProblems(kind: 'error' | 'warning', problems: readonly (SourceError | Warning)[]): readonly string[] {
  const label = kind === 'error' ? 'Error' : 'Warning';
  const groups = groupProblems(problems);
  const rows = groups.slice(0, MAX_ROWS).map(({ problem, refs }) => {
    const more = refs > 1 ? ` (and ${count(refs - 1, 'other version')})` : '';
    return `${label}: ${formatProblem(problem)}${more}`;
  });
  const left = groups.length - rows.length;
  return left > 0 ? [...rows, `… and ${count(left, `more ${kind}`)}; --json lists them`] : rows;
}

/** Returns each problem once, with the number of versions that have it, since versions share most of them. */
function groupProblems(
  problems: readonly (SourceError | Warning)[],
): readonly { readonly problem: SourceError | Warning; readonly refs: number }[] {
  const groups = new Map<string, { problem: SourceError | Warning; refs: number; lastRef: string }>();
  for (const problem of problems) {
    const key = `${problem.file}\0${problem.code}\0${problem.message}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { problem, refs: 1, lastRef: problem.ref });
    else if (group.lastRef !== problem.ref) {
      group.refs++;
      group.lastRef = problem.ref;
    }
  }
  return [...groups.values()];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
