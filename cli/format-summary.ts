import { type BuildSummary, describeSources, formatWarning, type Warning } from '../builder/index.ts';

/** How many warnings are printed; all of them are in `--json`. */
const MAX_WARNINGS = 20;

/** Gives what a finished build prints: warnings, then what was built. */
export function formatSummary(summary: BuildSummary, out: string): string {
  const groups = groupWarnings(summary.warnings);
  const rows = groups.slice(0, MAX_WARNINGS).map(({ warning, refs }) => {
    const more = refs > 1 ? ` (and ${count(refs - 1, 'other version')})` : '';
    return `Warning: ${formatWarning(warning)}${more}`;
  });
  if (groups.length > MAX_WARNINGS)
    rows.push(`… and ${count(groups.length - MAX_WARNINGS, 'more warning')}; --json lists them`);
  if (summary.sources.length > 0) rows.push(`Documentation: ${describeSources(summary.sources)}`);
  const deadLinks = summary.warnings.filter(({ code }) => code === 'dead-link' || code === 'dead-anchor').length;
  const fallbacks = summary.fallbacks > 0 ? ` (+ ${summary.fallbacks} not translated)` : '';
  rows.push(
    `${count(summary.versions, 'version')}, ${count(summary.languages, 'language')}, ${count(summary.pages, 'page')}${fallbacks}: ` +
      `${summary.rendered} rendered, ${summary.reused} reused; ${count(deadLinks, 'dead link')}; ` +
      `${formatBytes(summary.bytes)} in ${(summary.ms / 1000).toFixed(2)} s → ${out}`,
  );
  return `${rows.join('\n')}\n`;
}

/** Versions repeat each other's warnings: gives each once, with the number of versions that have it. */
function groupWarnings(warnings: readonly Warning[]): readonly { readonly warning: Warning; readonly refs: number }[] {
  const groups = new Map<string, { warning: Warning; refs: number }>();
  for (const warning of warnings) {
    const key = `${warning.file}\0${warning.code}\0${warning.message}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { warning, refs: 1 });
    else if (group.warning.ref !== warning.ref) group.refs++;
  }
  return [...groups.values()];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
