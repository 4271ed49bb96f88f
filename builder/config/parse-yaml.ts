import type { Document, LineCounter, Node, Pair, YAMLMap } from 'yaml';
import { runWithin, TookTooLong } from '../../lib/run-within.ts';
import { findDeepToken, linkAliases, measureYaml, TOO_DEEP, type YamlProblem } from './yaml-limits.ts';

export interface YamlDocument {
  /** Plain values; undefined for an empty document. */
  readonly data: unknown;
  /** Returns the line, from 1, of the key or item at a path, or of the nearest one above it that exists. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
  /** Keys that a later one of the same map replaces, where that is allowed. */
  readonly repeated: readonly (YamlKey & { readonly lastLine: number })[];
  /** Keys whose values depend on the environment, as far as Python's tags are read: `!ENV [NAME, default]`. */
  readonly environment: readonly YamlKey[];
}

/** A key of a map; the line counts from 1. */
export interface YamlKey {
  readonly key: string;
  readonly line: number;
}

/** The longest time of a document, and the length in characters below which none takes long. */
const MAX_MS = 10_000;
const SHORT = 3_000;

/**
 * Parses one untrusted YAML document, with limits on size (characters), nesting and repetition by aliases. Returns the
 * first problem with its line instead of throwing. Numbers that JavaScript writes otherwise are texts: `1.10`, `21E08`, `017`; and
 * with `keepsWords` so are `True` and `FALSE`, which may be titles. `isLenient` reads what Python and Ruby accept in configurations:
 * repeated keys, `<<`, and the default in `!ENV`.
 */
export async function parseYaml(
  text: string,
  maxLength: number,
  { keepsWords = false, isLenient = false }: { readonly keepsWords?: boolean; readonly isLenient?: boolean } = {},
): Promise<YamlDocument | YamlProblem> {
  if (text.length > maxLength) return { reason: `it has more than ${maxLength} characters`, line: 1 };
  const flat = parseFlat(text);
  if (flat) return flat;
  const refused = measureYaml(text);
  if (refused) return refused;
  const yaml = await import('yaml');
  if (text.length < SHORT) return parseWith(yaml, text, { keepsWords, isLenient });
  try {
    return runWithin(MAX_MS, () => parseWith(yaml, text, { keepsWords, isLenient }));
  } catch (cause) {
    if (cause instanceof TookTooLong) return { reason: 'it takes too long to read', line: 1, cause };
    // The parser passes all signs of a part as arguments of one call, and calls itself for what is nested.
    if (!(cause instanceof RangeError)) throw cause;
    return { reason: 'a part of it is too long or nested too deeply', line: 1, cause };
  }
}

function parseWith(
  yaml: typeof import('yaml'),
  text: string,
  { keepsWords, isLenient }: { readonly keepsWords: boolean; readonly isLenient: boolean },
): YamlDocument | YamlProblem {
  const lines = new yaml.LineCounter();
  // The parser compares each key with all before it, so equal ones are looked for below.
  const options = { lineCounter: lines, prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)];
  const deep = findDeepToken(tokens);
  if (deep !== undefined) return { reason: TOO_DEEP, line: lines.linePos(deep).line };
  const composer = new yaml.Composer(isLenient ? { ...options, merge: true } : options);
  const [document, other] = withoutStacks(() => {
    // There is one at least, which may be empty; others are read no further than to know of them.
    const documents = composer.compose(tokens, true, text.length);
    return [documents.next().value as Document.Parsed, documents.next().value] as const;
  });
  const [error] = document.errors;
  if (error) {
    // Something missing at the end is reported where the text ends, not on the empty line below.
    const at = Math.min(error.pos[0], Math.max(0, text.trimEnd().length - 1));
    const { line } = lines.linePos(at);
    return { reason: wordReason(error.message.split('\n')[0]!, text.split('\n', line)[line - 1]!), line, cause: error };
  }
  if (other) return { reason: 'it has more than one document', line: lines.linePos(other.range[0]).line };
  const problem = (isLenient ? undefined : findRepeated(yaml, document, lines)) ?? linkAliases(yaml, document, lines);
  if (problem) return problem;
  keepSpelling(yaml, document, keepsWords);
  const repeated = isLenient ? dropRepeated(yaml, document, lines) : [];
  const environment = isLenient ? takeDefaults(yaml, document, lines) : [];
  let data: unknown;
  try {
    data = document.toJS();
  } catch (cause) {
    // Such as `<<` with something else than a map.
    return { reason: cause instanceof Error ? cause.message : String(cause), line: 1, cause };
  }
  const indexes: KeyIndexes = new WeakMap();
  return {
    data: data ?? undefined,
    lineOf: (path) => lineOf(yaml, { document, lines, indexes }, path),
    repeated,
    environment,
  };
}

/** Longest part of a text that a reason repeats. */
const MAX_SHOWN = 60;

/** Returns the parser's reason in words for an author, who wrote `line`. */
function wordReason(reason: string, line: string): string {
  const [, value] = /^[^\s:#][^:#]*:[ \t]+(\S.*)/.exec(line.trim()) ?? [];
  const shown = shorten(value ?? line.trim());
  if (reason.startsWith('Nested mappings are not allowed')) {
    return value?.includes(': ') === true
      ? `"${shown}" has a colon before a blank, and must be in quotes`
      : `the line below "${shown}" is indented deeper, as if that were a list or map`;
  }
  if (/^Missing closing ["']quote/.test(reason))
    return 'a text in quotes is not closed, or goes on in a line that is not indented';
  const [, sign] = /^Plain value cannot start with .*?(\S)$/.exec(reason) ?? [];
  if (sign !== undefined) return `"${shown}" begins with "${sign}", and must be in quotes`;
  if (reason.startsWith('Unexpected scalar at node end')) return `something follows the end of ${shown}`;
  if (/^Implicit (?:keys|map keys) need/.test(reason)) {
    const written = shorten(line.trim());
    return written.startsWith('-')
      ? `"${written}" is not indented like the items of a list around it`
      : `"${written}" lacks a colon and a blank after its key`;
  }
  const [, kind] = /^Flow (sequence|map) in block collection must be sufficiently indented/.exec(reason) ?? [];
  if (kind !== undefined) return `a ${kind === 'map' ? 'map is not closed by "}"' : 'list is not closed by "]"'}`;
  return reason;
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Runs a function whose errors need not know where they come from: the parser makes one for each sign that it does not expect. */
function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Matches a line with a key and a text, in signs that no rule of YAML reads as anything else: `title: Getting started`. */
const FLAT_LINE = /^([A-Za-z][\w-]{0,99}): ([A-Za-z](?:[\w ,./()'!-]*[\w.)!])?)$/;
/** Words that YAML may read as something else than a text. */
const NO_TEXT = /^(?:null|true|false)$/i;

/**
 * Returns what a document of such lines says; undefined for any other. Most front matter is like this, and loading the parser for one
 * changed page takes longer than rendering most pages.
 */
function parseFlat(text: string): YamlDocument | undefined {
  const rows = text.replace(/\n$/, '').split('\n');
  const values = new Map<string, unknown>();
  for (const row of rows) {
    const [, key, value] = FLAT_LINE.exec(row) ?? [];
    if (key === undefined || value === undefined || NO_TEXT.test(key) || values.has(key)) return undefined;
    const isTruth = value === 'true' || value === 'false';
    if (!isTruth && NO_TEXT.test(value)) return undefined;
    values.set(key, isTruth ? value === 'true' : value);
  }
  const keys = [...values.keys()];
  const lineOf: YamlDocument['lineOf'] = ([key]) => Math.max(0, keys.indexOf(String(key))) + 1;
  return { data: Object.fromEntries(values), lineOf, repeated: [], environment: [] };
}

/** Returns the first key that an earlier one of its map equals. */
function findRepeated(yaml: typeof import('yaml'), document: Document, lines: LineCounter): YamlProblem | undefined {
  let problem: YamlProblem | undefined;
  yaml.visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue;
        if (known.has(key.value)) {
          const reason = `the key "${shorten(String(key.value))}" is there twice`;
          problem = { reason, line: lineOfKey(yaml, key, lines) };
          return yaml.visit.BREAK;
        }
        known.add(key.value);
      }
      return undefined;
    },
  });
  return problem;
}

/** Titles and versions are written without quotes, and are not meant as numbers. */
function keepSpelling(yaml: typeof import('yaml'), document: Document, keepsWords: boolean): void {
  yaml.visit(document, {
    Scalar(_, node) {
      const { value, source } = node;
      const isKept = typeof value === 'number' || (keepsWords && typeof value === 'boolean');
      if (isKept && source !== undefined && String(value) !== source) node.value = source;
    },
  });
}

/** Removes the keys that a later one of the same map replaces. */
function dropRepeated(yaml: typeof import('yaml'), document: Document, lines: LineCounter): YamlDocument['repeated'] {
  const repeated: (YamlKey & { readonly lastLine: number })[] = [];
  yaml.visit(document, {
    Map(_, node) {
      const last = new Map<string, (typeof node.items)[number]>();
      for (const item of node.items) last.set(nameOf(yaml, item.key), item);
      if (last.size === node.items.length) return;
      node.items = node.items.filter((item) => {
        const key = nameOf(yaml, item.key);
        const counts = last.get(key)!;
        if (counts === item || key === '<<') return true;
        const lastLine = lineOfKey(yaml, counts.key, lines);
        repeated.push({ key, line: lineOfKey(yaml, item.key, lines), lastLine });
        return false;
      });
    },
  });
  return repeated;
}

/** Replaces values that come from the environment by their defaults: the last of `!ENV [NAME, default]`, else none. */
function takeDefaults(yaml: typeof import('yaml'), document: Document, lines: LineCounter): readonly YamlKey[] {
  const found: YamlKey[] = [];
  yaml.visit(document, {
    Node(_, node, path) {
      if (node.tag !== '!ENV') return undefined;
      const pair = path.findLast((above) => yaml.isPair(above));
      if (yaml.isPair(pair)) found.push({ key: nameOf(yaml, pair.key), line: lineOfKey(yaml, pair.key, lines) });
      const fallback = yaml.isSeq(node) && node.items.length > 1 ? node.items.at(-1) : undefined;
      return yaml.isNode(fallback) ? fallback : document.createNode(null);
    },
  });
  return found;
}

function nameOf(yaml: typeof import('yaml'), key: unknown): string {
  return String(yaml.isScalar(key) ? key.value : key);
}

function lineOfKey(yaml: typeof import('yaml'), key: unknown, lines: LineCounter): number {
  return yaml.isNode(key) && key.range ? lines.linePos(key.range[0]).line : 1;
}

/** The items of maps by the names of their keys: the line of every redirect is asked for. */
type KeyIndexes = WeakMap<YAMLMap, ReadonlyMap<string, Pair>>;

function lineOf(
  yaml: typeof import('yaml'),
  {
    document,
    lines,
    indexes,
  }: { readonly document: Document; readonly lines: LineCounter; readonly indexes: KeyIndexes },
  path: readonly PropertyKey[],
): number {
  let node: unknown = document.contents;
  let found: Node | undefined;
  for (const key of path) {
    if (yaml.isMap(node)) {
      let index = indexes.get(node);
      if (index === undefined) {
        // Of equal names the first one counts.
        index = new Map(node.items.toReversed().map((item) => [nameOf(yaml, item.key), item]));
        indexes.set(node, index);
      }
      const pair = index.get(String(key));
      if (!pair) break;
      if (yaml.isNode(pair.key)) found = pair.key;
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(key)];
      if (yaml.isNode(node)) found = node;
    } else {
      break;
    }
  }
  return found?.range ? lines.linePos(found.range[0]).line : 1;
}
