import { BuildError } from '../build-error.ts';
import { parseYaml } from './parse-yaml.ts';

/** A page's file taken apart: its front matter as plain values, and the rest. */
export interface SplitPage {
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file, from 1, at which `body` begins. */
  readonly firstLine: number;
}

type Data = Readonly<Record<string, unknown>>;

/** A notation of front matter: the lines it stands between, and how it is read. */
interface Notation {
  readonly name: 'YAML' | 'TOML' | 'JSON';
  readonly open: RegExp;
  /** The first such line behind the opening one ends it. */
  readonly close: RegExp;
  readonly closingLine: string;
  /** What follows the opening line where the author means front matter, closed or not. */
  readonly meant: RegExp;
  /** Whether the fences belong to the data. */
  readonly isFenced: boolean;
  readonly parse: (text: string) => Promise<{ readonly data: unknown } | Problem>;
}

/** Why a text cannot be read; `line` counts from 1 in that text. */
interface Problem {
  readonly reason: string;
  readonly line: number;
  readonly cause?: unknown;
}

const NONE: Data = Object.freeze({});
/** Longest front matter in characters. */
const MAX_LENGTH = 200_000;
/** Deepest nesting of TOML, as for the brackets of YAML. */
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
    parse: (text) => parseYaml(text, MAX_LENGTH),
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
    // JSON is YAML, too, and is then read within the same limits.
    parse: (text) => parseYaml(text, MAX_LENGTH + 4),
  },
];

/**
 * Takes the front matter off the top of a page: YAML between two lines `---`, TOML between two lines `+++`, or a JSON object
 * whose braces stand on lines of their own. A page that begins with a thematic break has none: what follows an empty
 * line must be a map to be front matter.
 * Throws `front-matter` with the line of the file when it is not closed, not readable or not a map.
 */
export async function splitFrontMatter(text: string): Promise<SplitPage> {
  const notation = NOTATIONS.find(({ open }) => open.test(text));
  if (!notation) return { data: NONE, body: text, firstLine: 1 };
  const start = text.indexOf('\n') + 1;
  const rest = text.slice(start);
  const close = notation.close.exec(rest);
  if (!close) {
    if (!notation.meant.test(rest)) return { data: NONE, body: text, firstLine: 1 };
    throw new BuildError('front-matter', `Front matter is not closed by a line "${notation.closingLine}"`, {
      location: { line: 1 },
    });
  }
  const inside = rest.slice(0, close.index);
  const bodyStart = Math.min(start + close.index + close[0].length + 1, text.length);
  const parsed = await readMap(notation, inside);
  // To YAML, a heading is a comment: what holds nothing else is text, too.
  const isMap = !(parsed instanceof BuildError) && (inside.trim() === '' || Object.keys(parsed).length > 0);
  if (!isMap && /^[ \t]*\n/.test(inside)) return { data: NONE, body: text, firstLine: 1 };
  if (parsed instanceof BuildError) throw parsed;
  return { data: parsed, body: text.slice(bodyStart), firstLine: 2 + countNewlines(inside) + 1 };
}

/** What the same text gave before: pages of a site often have the same few lines, and reading YAML takes long. */
const known = new Map<string, Data>();
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 1000;

async function readMap(notation: Notation, text: string): Promise<Data | BuildError> {
  const key = `${notation.name} ${text}`;
  const before = known.get(key);
  if (before) return before;
  const parsed = await parseMap(notation, text);
  if (parsed instanceof BuildError || text.length > MAX_KNOWN_LENGTH) return parsed;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, parsed);
  return parsed;
}

async function parseMap({ name, isFenced, parse }: Notation, text: string): Promise<Data | BuildError> {
  if (text.trim() === '') return NONE;
  const parsed =
    text.length > MAX_LENGTH
      ? { reason: `it has more than ${MAX_LENGTH} characters`, line: 1 }
      : await parse(isFenced ? text : `{\n${text}}`);
  const linesBefore = isFenced ? 1 : 0;
  if ('reason' in parsed) {
    return new BuildError('front-matter', `Front matter is not valid ${name}: ${parsed.reason}`, {
      cause: parsed.cause,
      location: { line: linesBefore + parsed.line },
    });
  }
  const { data } = parsed;
  if (data === undefined) return NONE;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return new BuildError('front-matter', 'Front matter must be a map of names to values, such as "title: Guide"', {
      location: { line: linesBefore + 1 },
    });
  }
  return data as Data;
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

/** Gives a value with its dates as text, unless it is nested too deeply. */
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
