import { append } from '../../../lib/append.ts';
import type { IncludeReference } from './directive.ts';

/** A line that begins or ends a list of files, each on its own line. */
const BLOCK_MARK = /^-+8<-+$/;
const MAX_LINE = 1_000;

/** Returns whether a line (without indentation) begins or ends a list of snippets. */
export function isSnippetBlockMark(line: string): boolean {
  return line.length <= MAX_LINE && BLOCK_MARK.test(line.trim());
}

/** Reads a line between two such marks; undefined for what names no file: `; skipped.md`. */
export function parseSnippetBlockLine(line: string): IncludeReference | undefined {
  const path = line.trim();
  return path === '' || path.length > MAX_LINE ? undefined : parseSnippet(path);
}

/** Returns the files that the lists of snippets in a text may name. */
export function findSnippetBlocks(text: string): readonly IncludeReference[] {
  if (!/^[ \t>]*-+8<-+[ \t]*$/m.test(text)) return [];
  const found: IncludeReference[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const content = line.replace(/^[ \t>]+/, '');
    if (isSnippetBlockMark(content)) isOpen = !isOpen;
    else if (isOpen) append(found, [parseSnippetBlockLine(content) ?? []].flat());
  }
  return found;
}

/**
 * Parses what a snippet names: `file`, `file:region`, `file:3:10`, `file:3` (from a line on; for mdBook that line), `file::10`,
 * `file:1:3,5:-2`. Undefined for `; skipped.md`, and for URLs.
 */
export function parseSnippet(text: string): IncludeReference | undefined {
  if (text.startsWith(';') || /^[a-z]+:\/\//i.test(text)) return undefined;
  const [, path, numbers, region] =
    (text.length > MAX_LINE ? undefined : /^(.+?)(?:(:[-:,]*\d[-\d:,]*)|:([^:]+))?$/s.exec(text)) ?? [];
  if (path === undefined) return undefined;
  const ranges = numbers?.slice(1).split(',').map(toRange);
  return { kind: 'snippet', path, region, settings: ranges?.join(';'), title: undefined };
}

/** `3:10` → `3,10`; what lacks an end goes on to the end. */
function toRange(written: string): string {
  const [first = '', last = ''] = written.split(':');
  return `${first},${last}`;
}

/** A file that is inserted in the middle of a text: `{!file!}` of markdown-include and mdx_include. */
export interface Insertion {
  readonly start: number;
  readonly end: number;
  /** Undefined where a backslash before it makes it text. */
  readonly reference: IncludeReference | undefined;
}

/** Yields the insertions in a text, in their order. */
export function* listInsertions(text: string): Generator<Insertion> {
  for (let at = text.indexOf('{!'); at >= 0; at = text.indexOf('{!', at)) {
    const insertion = readInsertion(text, at);
    if (insertion) yield text[at - 1] === '\\' ? { ...insertion, start: at - 1, reference: undefined } : insertion;
    at = insertion?.end ?? at + 2;
  }
}

/**
 * Reads the insertion at a `{!`: `{!file!}`, `{! file [ln:2-4,8] | utf-8 !}`, `{!file!lines=2-4 8}`. Undefined for what names no
 * file.
 */
export function readInsertion(text: string, start: number): Insertion | undefined {
  const inside = text.slice(start + 2, start + MAX_LINE);
  const length = inside.search(/[{}\n]/);
  if (length < 0 || inside[length] !== '}') return undefined;
  const [body = '', listed, ...more] = inside.slice(0, length).split('!');
  if (listed === undefined || more.length > 0 || !/^(?:lines=[\d -]+)?$/.test(listed)) return undefined;
  const [file = ''] = body.replace(/^[+-]?>?/, '').split('|');
  const [, path = '', sliced] = /^([^[\]]*)(?:\[ln:([\d.,-]+)\])?$/.exec(file.trim()) ?? [];
  if (!/[./]/.test(path)) return undefined;
  const ranges = sliced?.split(',') ?? listed.slice('lines='.length).split(' ');
  const settings = ranges.filter((range) => range !== '').map(toLines);
  return {
    start,
    end: start + 2 + length + 1,
    reference: {
      kind: 'snippet',
      path: path.trim(),
      region: undefined,
      settings: settings.length === 0 ? undefined : settings.join(';'),
      title: undefined,
      isFromBase: true,
    },
  };
}

/** `2-4` → `2,4`, `8` → `8,8`; columns, `2.1-4.5`, do not count. */
function toLines(range: string): string {
  const [first = '', last = first] = range.replace(/\.\d*/g, '').split('-');
  return `${first},${last}`;
}

/** Stands for the lines that are left out between others. */
export const OMITTED_LINES = '…';

/**
 * Reads a line (without indentation) that inserts a file: `{!file!}`, or as a code block `{* file hl[4,5] ln[3:9,12] title["a"] *}`
 * of markdown-include-variants; the marked lines are those of the file. `ln[0]` shows it closed.
 */
export function parseInsertionLine(line: string): IncludeReference | undefined {
  if (line.startsWith('{!')) {
    const insertion = readInsertion(line, 0);
    return insertion?.end === line.length ? insertion.reference : undefined;
  }
  const [, path, rest = ''] = /^\{\*[ \t]*(\S+)[ \t](.*)\*\}$/.exec(line) ?? [];
  if (path === undefined || !/\.\w+$|\//.test(path)) return undefined;
  const options = new Map([...rest.matchAll(/\b(\w+)\[([^[\]]*)\]/g)].map(([, name, value]) => [name!, value!]));
  const shown = readRanges(options.get('ln'));
  const isClosed = shown.length === 1 && shown[0]![0] === 0;
  const parts = isClosed ? [] : shown;
  const marked = parts.length === 0 ? readRanges(options.get('hl')) : countFrom(parts, readRanges(options.get('hl')));
  return {
    kind: 'code',
    path,
    region: undefined,
    settings: marked.length === 0 ? undefined : marked.map((range) => range.join('-')).join(','),
    title: options.get('title')?.replace(/^"(.*)"$/, '$1'),
    isFromBase: true,
    ...(parts.length > 0 && { lines: parts.map((range) => range.join(',')).join(';') }),
    ...(isClosed && { isClosed }),
  };
}

type Range = readonly [first: number, last: number];

function readRanges(text = ''): readonly Range[] {
  const ranges = text.split(',').map((part) => /^\s*(\d{1,7})(?::(\d{1,7}))?\s*$/.exec(part));
  return ranges
    .filter((match) => match !== null)
    .map(([, first, last = first]): Range => [Number(first), Number(last)])
    .sort(([one], [other]) => one - other);
}

/** Returns the places of lines of a file in a text that shows only parts of it, with a line between two of them. */
function countFrom(parts: readonly Range[], lines: readonly Range[]): readonly Range[] {
  let before = 0;
  return parts.flatMap(([first, last]) => {
    const shift = before + 1 - first;
    before += last - first + 2;
    return lines
      .map(([from, to]): Range => [Math.max(from, first) + shift, Math.min(to, last) + shift])
      .filter(([from, to]) => from <= to);
  });
}

/** Returns the files that a text may insert. */
export function findInsertions(text: string): readonly IncludeReference[] {
  const found = [...listInsertions(text)].flatMap(({ reference }) => reference ?? []);
  if (!text.includes('{*')) return found;
  const lines = [...text.matchAll(/^[ \t>]*(\{\*.{1,990}\*\})[ \t]*$/gm)];
  return [...found, ...lines.flatMap(([, line]) => parseInsertionLine(line!) ?? [])];
}
