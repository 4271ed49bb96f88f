import { countsAsStrict, type SourceError, type Warning } from '../builder/index.ts';

/** CI systems that show problems beside the lines that they are in. */
export const ANNOTATION_KINDS = ['github'] as const;

/** GitHub shows ten of a kind, and keeps no more than some thousands of lines of a log. */
const MAX_ANNOTATIONS = 1_000;

/**
 * Returns problems as commands of a workflow on GitHub, each problem of a line once, whatever versions have it:
 * `::error file=docs/a.md,line=3,title=docbuild::Link "b.md" leads to no page or file`. With `strict`, warnings that fail the build are
 * errors. https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function formatAnnotations(
  found: { readonly errors: readonly SourceError[]; readonly warnings: readonly Warning[] },
  strict: boolean,
): readonly string[] {
  const errors = found.errors.map((problem) => ({ problem, level: 'error' }));
  const warnings = found.warnings.map((problem) => ({
    problem,
    level: strict && countsAsStrict(problem) ? 'error' : 'warning',
  }));
  const lines = [...errors, ...warnings]
    .sort((a, b) => a.level.localeCompare(b.level))
    .map(({ problem: { ref, file, line, message }, level }) => {
      const place = [
        ...(file === '' ? [] : [`file=${escapeProperty(file)}`]),
        ...(file !== '' && line > 0 ? [`line=${line}`] : []),
        'title=docbuild',
      ];
      return `::${level} ${place.join(',')}::${escapeText(file === '' ? `${ref}: ${message}` : message)}`;
    });
  return [...new Set(lines)].slice(0, MAX_ANNOTATIONS);
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
