import { append } from '../../../lib/append.ts';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import type { LineOf } from '../../config/data-values.ts';
import { parseYaml } from '../../config/parse-yaml.ts';

/** The parts of a page's file: its front matter as plain values, and the rest. */
export interface SplitPage {
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file, from 1, at which `body` begins. */
  readonly firstLine: number;
  /** The errors in the front matter, by line; `data` then contains the readable part. Absent = none. */
  readonly problems?: readonly FrontMatterProblem[];
}

/** An error in front matter; `line` counts from 1 in the file. */
export interface FrontMatterProblem {
  readonly line: number;
  readonly message: string;
}

type Data = Readonly<Record<string, unknown>>;

/** A notation of front matter: its delimiters, and how it is read. */
interface Notation {
  readonly name: 'YAML' | 'TOML' | 'JSON';
  readonly open: RegExp;
  /** The first such line after the opening one ends it. */
  readonly close: RegExp;
  readonly closingLine: string;
  /** Matches the text after the opening line if the author means front matter, closed or not. */
  readonly meant: RegExp;
  /** Whether the fences belong to the data. */
  readonly isFenced: boolean;
  readonly parse: (text: string) => Promise<{ readonly data: unknown } | Problem>;
}

/** An error in a text; `line` counts from 1 in that text. */
interface Problem {
  readonly reason: string;
  readonly line: number;
  readonly cause?: unknown;
}

const NONE: Data = Object.freeze({});
/** Size limit of front matter, in characters. */
const MAX_LENGTH = 200_000;
/** Nesting limit of TOML, the same as for the brackets of YAML. */
const MAX_DEPTH = 100;

/** Of Jekyll and nearly all others; of Zola and Hugo; of Hugo. */
const NOTATIONS: readonly Notation[] = [
  {
    name: 'YAML',
    open: /^---[ \t]*\n/,
    close: /^(?:---|\.\.\.)[ \t]*$/m,
    closingLine: '---',
    meant: /^[\w-]+[ \t]*:/,
    isFenced: true,
    parse: (text) => parseYaml(text, MAX_LENGTH, { keepsWords: true }),
  },
  {
    name: 'TOML',
    open: /^\+\+\+[ \t]*\n/,
    close: /^\+\+\+[ \t]*$/m,
    closingLine: '+++',
    meant: /^[ \t]*(?:[\w.-]+[ \t]*=|\[)/,
    isFenced: true,
    parse: parseToml,
  },
  {
    name: 'JSON',
    open: /^\{[ \t]*\n(?=[ \t]*")/,
    close: /^\}[ \t]*$/m,
    closingLine: '}',
    meant: /^[ \t]*"[^"\n]*"[ \t]*:/,
    isFenced: false,
    // JSON is also YAML, and is read within the same limits.
    parse: (text) => parseYaml(text, MAX_LENGTH + 4),
  },
];

/**
 * Splits the front matter off the top of a page: YAML between two lines `---`, TOML between two lines `+++`, or a JSON
 * object whose braces are on their own lines. Never throws: errors are returned as `problems`. A page may also begin
 * with a thematic break: the text between two of them is front matter if it is a map or looks like one, and next to an
 * empty line only if it is one.
 */
export async function splitFrontMatter(text: string): Promise<SplitPage> {
  // Zola and Hugo skip empty lines.
  const empty = /^(?:[ \t]*\n)*/.exec(text)![0];
  if (empty === '') return splitAtTop(text);
  const split = await splitAtTop(text.slice(empty.length));
  const isMap = Object.keys(split.data).length > 0 && split.problems === undefined;
  if (!isMap) return { data: NONE, body: text, firstLine: 1 };
  return { ...split, firstLine: split.firstLine + countNewlines(empty) };
}

async function splitAtTop(text: string): Promise<SplitPage> {
  const whole: SplitPage = { data: NONE, body: text, firstLine: 1 };
  const notation = NOTATIONS.find(({ open }) => open.test(text));
  if (!notation) return splitUnopened(whole);
  const start = text.indexOf('\n') + 1;
  const rest = text.slice(start);
  const close = notation.close.exec(rest);
  if (!close) return notation.meant.test(rest) ? splitUnclosed(notation, whole, start) : whole;
  const inside = rest.slice(0, close.index);
  const bodyStart = Math.min(start + close.index + close[0].length + 1, text.length);
  const below = { body: text.slice(bodyStart), firstLine: 2 + countNewlines(inside) + 1 };
  const { data, problem } = await readMap(notation, inside);
  // To YAML, a heading is a comment: a text of nothing but comments is not front matter.
  const isMap = data !== undefined && (inside.trim() === '' || Object.keys(data).length > 0);
  if (!isMap && /^[ \t]*\n/.test(inside)) return whole;
  if (data) return { data: keepTitle(data, inside), ...below };
  const isMeant = inside.split('\n').some((line) => notation.meant.test(line));
  return problem && isMeant ? { ...(await salvage(notation, inside, problem)), ...below } : whole;
}

/**
 * Returns a function that finds the lines of keys in a page's front matter, in the file; of nested ones in TOML and in broken
 * front matter, that of the key at the top.
 */
export async function locateFrontMatter(text: string): Promise<LineOf> {
  const empty = /^(?:[ \t]*\n)*/.exec(text)![0];
  const top = text.slice(empty.length);
  const notation = NOTATIONS.find(({ open }) => open.test(top));
  if (!notation) return () => 1;
  const start = top.indexOf('\n') + 1;
  const inside = top.slice(start, start + (notation.close.exec(top.slice(start))?.index ?? MAX_LENGTH));
  const above = countNewlines(empty) + 1;
  if (notation.name !== 'TOML') {
    const parsed = await parseYaml(notation.isFenced ? inside : `{\n${inside}}`, MAX_LENGTH + 4);
    if ('lineOf' in parsed) return (path) => above - (notation.isFenced ? 0 : 1) + parsed.lineOf(path);
  }
  const lines = inside.split('\n');
  return ([key]) => {
    const at = lines.findIndex((line) => /^[ \t]*\[*["']?([\w-]+)["']?[ \t]*[\].:=]/.exec(line)?.[1] === key);
    return above + 1 + Math.max(0, at);
  };
}

/** More lines than front matter of Hexo has. */
const MAX_UNOPENED_LINES = 50;

/** In Hexo, front matter may lack the line above it: it begins with a title, and all lines down to `---` are those of a map. */
async function splitUnopened(whole: SplitPage): Promise<SplitPage> {
  const { body } = whole;
  if (!/^title[ \t]*:[ \t]/.test(body)) return whole;
  const line = /(?:[\w-]+:(?:[ \t].*)?|[ \t]+\S.*|-[ \t].*)\n/y;
  let end = 0;
  for (let count = 0; count < MAX_UNOPENED_LINES && line.test(body); count++) end = line.lastIndex;
  const close = /^---[ \t]*(?:\n|$)/.exec(body.slice(end, end + 100));
  if (!close) return whole;
  const { data } = await readMap(NOTATIONS[0]!, body.slice(0, end));
  if (!data) return whole;
  return { data, body: body.slice(end + close[0].length), firstLine: countNewlines(body.slice(0, end)) + 2 };
}

/** Without an end, front matter consists of the first lines that look like it. */
async function splitUnclosed(notation: Notation, { body }: SplitPage, start: number): Promise<SplitPage> {
  const line = /(?:[\w-]+[ \t]*[:=]|[ \t]+\S|[-[]).*\n/y;
  line.lastIndex = start;
  let end = start;
  while (end - start < MAX_LENGTH && line.test(body)) end = line.lastIndex;
  const top = body.slice(start, end);
  const { data = NONE } = await readMap(notation, top);
  const message = `Front matter is not closed by the line "${notation.closingLine}"`;
  return { data, body: body.slice(end), firstLine: 2 + countNewlines(top), problems: [{ line: 1, message }] };
}

/** Limit of keys of broken YAML that are read one by one. */
const MAX_SALVAGED = 200;

/** Returns the readable keys of broken YAML, and all its errors; a title that can only be a text is none. */
async function salvage(
  notation: Notation,
  text: string,
  found: FrontMatterProblem,
): Promise<Pick<SplitPage, 'data' | 'problems'>> {
  const written = text.split(/^(?=[\w-]+[ \t]*:)/m);
  if (notation.name !== 'YAML' || written.length > MAX_SALVAGED || text.length > MAX_LENGTH) {
    return { data: NONE, problems: [found] };
  }
  const parts = await Promise.all(written.map((part) => quote(notation, part)));
  const mended = parts.some((part, at) => part !== written[at]) ? await readMap(notation, parts.join('')) : {};
  if (mended.data) return { data: mended.data };
  const problem = mended.problem ?? found;
  const entries: (readonly [string, unknown])[] = [];
  const problems: FrontMatterProblem[] = [];
  let linesAbove = 0;
  for (const part of parts) {
    const read = await readMap(notation, part);
    if (read.data) append(entries, Object.entries(read.data));
    const texts = read.data ? [] : readWritten(part);
    append(entries, texts);
    if (read.problem) {
      const { line, message } = read.problem;
      const advice = texts.length > 0 && !message.endsWith('in quotes') ? '; put the text in quotes' : '';
      problems.push({ line: line + linesAbove, message: message + advice });
    }
    linesAbove += countNewlines(part);
  }
  if (problems.length === 0) problems.push(problem);
  return { data: Object.fromEntries(entries), problems: problems.sort((a, b) => a.line - b.line) };
}

/** Keys whose values are texts for readers. */
const TEXTS = new Set(['title', 'linkTitle', 'linktitle', 'sidebar_label', 'nav_title', 'description', 'summary']);
/** Texts that cannot be meant as anything else: a tag of a template, `{#if …}`, and a word with a colon that nothing follows, `bind:`. */
const PLAIN_TEXT = /^(?:\{[#@:/][^\n]*\}|[\p{L}\d][^:\n]*:)$/u;

/** Returns the line of a key for readers in quotes if YAML cannot read it, and it can only be a text. */
async function quote(notation: Notation, part: string): Promise<string> {
  const [[key, value = ''] = []] = readWritten(part);
  if (key === undefined || !TEXTS.has(key) || !PLAIN_TEXT.test(value) || (await readMap(notation, part)).data)
    return part;
  return `${key}: ${JSON.stringify(value)}\n`;
}

/** Reads a key with a text that YAML takes for something else, `title: {#if …}` or `title: @page: next`, as it was written. */
function readWritten(text: string): readonly (readonly [string, string])[] {
  const [, key, value = ''] = /^([\w-]+)[ \t]*:[ \t]+((?:\{[#@:/]|[@%`]|[\p{L}\d])[^\n]{0,300})\n?$/u.exec(text) ?? [];
  return key === undefined || key === '__proto__' ? [] : [[key, value.trim()]];
}

/** To YAML, `title: {let/const ...}` is a map with a key that has no value. */
function keepTitle(data: Data, text: string): Data {
  const { title } = data;
  if (typeof title !== 'object' || title === null || Object.values(title).some((value) => value !== null)) return data;
  const written = /^title[ \t]*:[ \t]+(\{.{1,300}\})[ \t]*$/m.exec(text)?.[1];
  return written === undefined ? data : { ...data, title: written };
}

/** Cached results: pages of a site often have the same few lines, and parsing YAML is slow. */
const known = createBoundedMap<string, Data>({ maxEntries: 1_000 });
const MAX_KNOWN_LENGTH = 1000;

/** The map in a text; neither field is set if it is something else, such as prose. */
interface ReadMap {
  readonly data?: Data;
  readonly problem?: FrontMatterProblem;
}

async function readMap(notation: Notation, text: string): Promise<ReadMap> {
  const key = `${notation.name} ${text}`;
  const before = known.get(key);
  if (before) return { data: before };
  const parsed = await parseMap(notation, text);
  if (!parsed.data || text.length > MAX_KNOWN_LENGTH) return parsed;
  known.set(key, parsed.data);
  return parsed;
}

async function parseMap({ name, isFenced, parse }: Notation, text: string): Promise<ReadMap> {
  if (text.trim() === '') return { data: NONE };
  const parsed =
    text.length > MAX_LENGTH
      ? { reason: `it has more than ${MAX_LENGTH} characters`, line: 1 }
      : await parse(isFenced ? text : `{\n${text}}`);
  if ('reason' in parsed) {
    const line = (isFenced ? 1 : 0) + parsed.line;
    return { problem: { line, message: `Front matter is not valid ${name}: ${parsed.reason}` } };
  }
  const { data = NONE } = parsed;
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? { data: data as Data } : {};
}

async function parseToml(text: string): Promise<{ readonly data: unknown } | Problem> {
  const toml = await import('smol-toml');
  try {
    return toPlain(toml.parse(text, { maxDepth: MAX_DEPTH }));
  } catch (cause) {
    if (!(cause instanceof toml.TomlError)) throw cause;
    const [reason] = cause.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { reason: reason!, line: cause.line, cause };
  }
}

/** Returns a value with its dates as text, unless it is nested too deeply. */
function toPlain(value: unknown): { readonly data: unknown } | Problem {
  let isTooDeep = false;
  const visit = (item: unknown, depth: number): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    if (item instanceof Date) return Number.isNaN(item.getTime()) ? undefined : item.toISOString();
    isTooDeep ||= depth > MAX_DEPTH;
    if (isTooDeep) return undefined;
    if (Array.isArray(item)) return item.map((entry) => visit(entry, depth + 1));
    // `Object.fromEntries` sets keys such as `__proto__` as plain data.
    return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, visit(entry, depth + 1)]));
  };
  const data = visit(value, 0);
  return isTooDeep ? { reason: 'it is nested too deeply', line: 1 } : { data };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
