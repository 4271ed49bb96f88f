import { BuildError } from '../build-error.ts';
import type { Warning, WarningCode } from '../model.ts';

/** Problems that readers run into: with `--strict` they fail the build. */
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
export function checkStrict(warnings: readonly Warning[]): void {
  const problems = warnings.filter(({ code }) => STRICT_CODES.has(code));
  if (problems.length === 0) return;
  const rows = problems.slice(0, MAX_LISTED).map(formatWarning);
  const more = problems.length > MAX_LISTED ? [`… and ${problems.length - MAX_LISTED} more`] : [];
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new BuildError('strict', [`${count} with --strict; nothing was published:`, ...rows, ...more].join('\n  '));
}

/** Gives a warning as a line: `v1.2 docs/en/a.md:3: Link "b.md" leads to no page or file`. */
export function formatWarning({ ref, file, line, message }: Warning): string {
  return `${ref} ${file}${line > 0 ? `:${line}` : ''}: ${message}`;
}
