import type { CaseResult, Row, Target } from '../bench-case.ts';
import type { Spread } from '../measure/statistics.ts';

/** Returns the results of a case as Markdown: what was measured, then what has a target. */
export function formatResult(title: string, { rows, targets }: CaseResult): string {
  const measured = formatTable(['', 'time', 'peak memory', 'runs', 'others', 'notes'], rows.map(formatRow));
  const marks = formatTable(['target', 'seen', 'limit', ''], targets.map(formatTarget));
  return `### ${title}\n\n${measured}${targets.length > 0 ? `\n${marks}` : ''}`;
}

/** Returns a Markdown table whose columns line up. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |\n`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}

function formatRow({ name, ms, peakBytes, disturbance, note }: Row): readonly string[] {
  const others = disturbance === undefined ? '' : `≤ ${Math.ceil(disturbance * 100)} %`;
  const count = String(ms?.count ?? '');
  return [name, formatSpread(ms, formatMs), formatSpread(peakBytes, formatMb), count, others, note ?? ''];
}

function formatTarget({ name, value, limit, unit }: Target): readonly string[] {
  const figure = unit === '×' ? `${value.toFixed(3)} ×` : `${value.toFixed(0)} ${unit}`;
  return [name, figure, `≤ ${Number(limit.toFixed(3))} ${unit}`, value <= limit ? 'reached' : '**missed**'];
}

function formatSpread(spread: Spread | undefined, format: (value: number) => string): string {
  if (!spread) return '';
  const { median, min, max } = spread;
  return spread.count === 1 ? format(median) : `${format(median)} (${format(min)} – ${format(max)})`;
}

function formatMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function formatMb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
