import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** A stream that text is written to. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/**
 * Returns whether text for a stream may be coloured: NO_COLOR (https://no-color.org) forbids it, FORCE_COLOR wants it wherever the text
 * goes (0 and false forbid it), else a terminal has colours that TERM says has them.
 */
export function hasColor(stream: Output): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '' } = process.env;
  if (NO_COLOR !== '' || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return FORCE_COLOR !== '' || (stream.isTTY === true && (stream.hasColors?.() ?? false));
}

/** Returns a function that colours text if the stream shows colours. */
export function createPaint(stream: Output): (format: Format, text: string) => string {
  const has = hasColor(stream);
  return (format, text) => (has ? paint(format, text) : text);
}

/** Colours text, whatever shows it. */
export function paint(format: Format, text: string): string {
  return styleText(format, text, { validateStream: false });
}

/** Columns where a terminal does not say how many it has: some say 0. */
const USUAL_COLUMNS = 80;

/** Returns how many columns a line of a stream has. */
export function columnsOf(stream: Output): number {
  return stream.isTTY && stream.columns ? stream.columns : USUAL_COLUMNS;
}

/** Returns whether a stream is a terminal that can write over a line: one that is dumb cannot. */
export function canRedraw(stream: Output): boolean {
  return stream.isTTY === true && process.env.TERM !== 'dumb';
}
