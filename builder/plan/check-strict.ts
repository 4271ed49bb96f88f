import { BuildError } from '../build-error.ts';
import type { SourceError, Warning, WarningCode } from '../model.ts';

/** Warnings about what readers run into: with `--strict` they fail the build, as errors do. */
const STRICT_CODES: ReadonlySet<WarningCode> = new Set([
  'dead-link',
  'dead-anchor',
  'missing-file',
  'missing-snippet',
  'lfs-pointer',
  'too-large',
  'duplicate-page',
]);
const MAX_LISTED = 20;

/** Throws `strict` with the first problems when there are any. */
export function checkStrict(found: {
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
}): void {
  const problems = [...found.errors, ...found.warnings.filter(({ code }) => STRICT_CODES.has(code))];
  if (problems.length === 0) return;
  const rows = problems.slice(0, MAX_LISTED).map(formatProblem);
  const more = problems.length > MAX_LISTED ? [`… and ${problems.length - MAX_LISTED} more`] : [];
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new BuildError('strict', [`${count} with --strict; nothing was published:`, ...rows, ...more].join('\n  '));
}

/** Returns an error or a warning as a line: `v1.2 docs/en/a.md:3: Link "b.md" leads to no page or file`. */
export function formatProblem({ ref, file, line, message }: Omit<SourceError | Warning, 'code'>): string {
  return `${[ref, file].filter(Boolean).join(' ')}${line > 0 ? `:${line}` : ''}: ${message}`;
}
