import type { Logger } from 'pino';
import { nameNode } from '../lib/node-name.ts';
import { hasColor } from './color.ts';

/** Format of log lines: for programs, or for people. */
export type LogFormat = 'json' | 'text';

/**
 * Creates the log of a server, on standard error: one JSON object per line, or on a terminal lines for people, unless `format` says
 * which. `level` is one of pino's. Lines for programs say which `node` has written them, host and process: several may write into one place.
 */
export async function createServerLog({
  format,
  level,
}: {
  readonly format: LogFormat | undefined;
  readonly level: string;
}): Promise<Logger> {
  const { default: pino } = await import('pino');
  const { isTTY = false } = process.stderr;
  const target = pino.destination(2);
  const isText = (format ?? (isTTY ? 'text' : 'json')) === 'text';
  if (!isText) return pino({ level, base: { node: nameNode() } }, target);
  const options = { hasColor: hasColor(process.stderr) };
  const write = (line: string): void => void target.write(formatLogLine(line, options));
  return pino({ level, base: null }, { write });
}

/** Names of pino's levels, of equal length, and their colours. */
const LEVELS: ReadonlyMap<unknown, readonly [name: string, color: number]> = new Map([
  [10, ['TRACE', 90]],
  [20, ['DEBUG', 90]],
  [30, ['INFO ', 32]],
  [40, ['WARN ', 33]],
  [50, ['ERROR', 31]],
  [60, ['FATAL', 31]],
]);

/** Advice about failures, by their codes. */
const ADVICE: ReadonlyMap<unknown, string> = new Map([
  ['internal', 'This is a fault of docbuild: please report it with these lines'],
  ['unwritable', 'Free space below base_dir and let the server write there, or look why the database refuses changes'],
  ['busy', 'If this lasts, check that the database and the storage of sites can be reached'],
  ['not-configured', 'Set it in the configuration; "docbuild cfg" shows the values in effect'],
  ['queue-full', 'Builds are requested faster than they end: see who requests them, or raise builds.concurrency'],
  ['overloaded', 'More is requested at once than the server does: see who calls'],
]);

/**
 * Formats a line of pino for people: local time, level, message, the other fields, and what to do about a failure. Whatever a
 * terminal would take for a command is escaped, since names and messages come from outside.
 */
export function formatLogLine(line: string, { hasColor }: { readonly hasColor: boolean }): string {
  const { level, time, msg = '', err, count, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const [name, color] = LEVELS.get(level) ?? ['     ', 0];
  const shown = hasColor && color > 0 ? `\x1b[${color}m${name}\x1b[0m` : name;
  const error = err as { readonly message?: string; readonly stack?: string } | undefined;
  const message = [msg, error?.message].filter(Boolean).join(': ');
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== '' && value !== undefined)
    .map(([key, value]) => `${key}=${formatValue(value)}`);
  const head = [formatTime(Number(time)), shown, [escapeControls(message), ...facts].join('  ')].join(' ');
  const stack = error?.stack?.split('\n').slice(1) ?? [];
  return [head, ...stack.map(escapeControls), ...advise(fields, error !== undefined)].join('\n').concat('\n');
}

function advise({ code, status, build }: Readonly<Record<string, unknown>>, isBug: boolean): readonly string[] {
  const advice = ADVICE.get(isBug ? 'internal' : code);
  if (advice !== undefined) return [`    ${advice}`];
  return status === 'failing' && build !== undefined
    ? [`    Its log says more: /docbuild/builds/${formatValue(build)}/log`]
    : [];
}

/** Quotes what would not be one word. */
function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeControls(typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(text) : text);
}

/** Escapes control characters, also those that change the direction of text: `\u001b`. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Returns a time in the time zone of the machine: `2026-11-22 12:00:01`. */
function formatTime(ms: number): string {
  const time = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
