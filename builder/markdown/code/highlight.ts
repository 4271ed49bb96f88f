import { createCssVariablesTheme, normalizeTheme, type RegexEngine } from 'shiki/core';
import { bundledLanguages } from 'shiki/langs';
import { EncodedTokenMetadata, type IGrammar, INITIAL, Registry } from 'shiki/textmate';
import { escapeText } from '../../../lib/html-text.ts';
import { loadOniguruma } from '../../../lib/oniguruma.ts';
import type { Grammar } from '../../extension.ts';
import type { CodeBlock } from '../../model.ts';
import { findGrammar, findGrammarSet, isOverHighlightLimit } from './languages.ts';
import { sharePatterns } from './share-patterns.ts';

/** Highlights code; caches the grammars it has loaded. */
export interface Highlighter {
  /**
   * Returns a block's HTML: its lines, separated by "\n", each with whole spans of `tokenClasses`. Undefined for plain
   * text, unknown languages, and code over the limits. The same block always results in the same HTML.
   */
  highlight(block: CodeBlock): Promise<string | undefined>;
  /** Takes a language of an extension, which blocks name by its key: the last of these grammars. */
  define(key: string, grammars: readonly Grammar[]): void;
}

/**
 * Creates a highlighter. Grammars are loaded when first needed, a whole set at a time, see `findGrammarSet`.
 */
export async function createHighlighter(): Promise<Highlighter> {
  const engine = sharePatterns(await loadOniguruma());
  const sets = new Map<string, Promise<GrammarSet>>();
  const own = new Map<string, readonly RawGrammar[]>();
  return {
    define: (key, grammars) => void own.set(key, grammars as unknown as readonly RawGrammar[]),
    async highlight({ language, text, grammar: key }) {
      const grammars = own.get(key ?? '');
      const grammar = grammars?.at(-1)?.name ?? findGrammar(language);
      if (grammar === undefined || isOverHighlightLimit(text)) return undefined;
      const set = findGrammarSet(grammar);
      const name = key ?? set.name;
      if (!sets.has(name))
        sets.set(name, loadGrammarSet(engine, grammars ? listEmbedded(grammars) : set.grammars, grammars));
      const { getGrammar, classOfColor } = await sets.get(name)!;
      return tokenizeCode(getGrammar(grammar), text, classOfColor);
    },
  };
}

/** Returns the names of Shiki's grammars that others embed and do not bring with them. */
function listEmbedded(grammars: readonly RawGrammar[]): readonly string[] {
  const brought = new Set(grammars.map(({ name }) => name));
  const names = new Set(grammars.flatMap(({ embeddedLangs = [] }) => embeddedLangs));
  return [...names].filter((name) => !brought.has(name) && Object.hasOwn(bundledLanguages, name));
}

export interface GrammarSet {
  /** Returns one grammar by Shiki's name for it. */
  getGrammar(name: string): IGrammar;
  /** The class of each colour number in a token's metadata; '' = none. */
  readonly classOfColor: readonly string[];
}

type BundledLanguage = keyof typeof bundledLanguages;
type LanguageModule = Awaited<ReturnType<(typeof bundledLanguages)[BundledLanguage]>>;
type RawGrammar = LanguageModule['default'][number];

/**
 * Loads grammars, and all they embed, by Shiki's names, and then `own`. Each is prepared when first used: since all are registered
 * before, no references must be resolved, which takes most of the time in Shiki's own registry.
 */
async function loadGrammarSet(
  engine: RegexEngine,
  names: readonly string[],
  own: readonly RawGrammar[] = [],
): Promise<GrammarSet> {
  const modules = await Promise.all(names.map((name) => bundledLanguages[name as BundledLanguage]()));
  const grammars = new Set([...modules.flatMap((module) => module.default), ...own]);
  const theme = normalizeTheme(createCssVariablesTheme({ name: 'classes', variablePrefix: '', fontStyle: false }));
  const registry = new Registry({
    theme,
    onigLib: {
      createOnigScanner: (sources) => engine.createScanner(sources),
      createOnigString: (text) => engine.createString(text),
    },
    loadGrammar: () => undefined,
  });
  const scopes = new Map<string, string>();
  for (const grammar of grammars) {
    scopes.set(grammar.name, grammar.scopeName);
    registry._syncRegistry.addGrammar(grammar, listInjections(grammar.scopeName, grammars));
  }
  const replacements = (theme.colorReplacements ?? {}) as Readonly<Record<string, string>>;
  return {
    getGrammar: (name) =>
      registry._syncRegistry.grammarForScopeName(scopes.get(name)!, 1, null, null, null) as IGrammar,
    classOfColor: createColorClasses(registry.getColorMap(), replacements),
  };
}

/** Returns the scopes of grammars that inject rules into that of `scopeName`, or into all whose scope begins with it. */
function listInjections(scopeName: string, grammars: ReadonlySet<RawGrammar>): string[] {
  const parts = scopeName.split('.');
  const targets = parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  const injecting = targets.flatMap((target) => [...grammars].filter(({ injectTo }) => injectTo?.includes(target)));
  return injecting.map((grammar) => grammar.scopeName);
}

/** CPU time of the process within a block after which a line, or the block, is given up. Only pathological text takes so long. */
const LINE_BUSY_MS = 4_000;
const BLOCK_BUSY_MS = 10_000;

/**
 * Returns code as HTML with a span for each run of one class; spaces join their neighbours. Undefined if it takes too
 * long.
 */
function tokenizeCode(grammar: IGrammar, text: string, classOfColor: readonly string[]): string | undefined {
  const startMs = performance.now();
  const startUsage = process.cpuUsage();
  let stack = INITIAL;
  let html = '';
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.replace(/\r$/, '');
    if (i > 0) html += '\n';
    if (line === '') continue;
    let result = grammar.tokenizeLine2(line, stack, LINE_BUSY_MS);
    // It goes by the clock, and most of that time may have been others'.
    while (result.stoppedEarly && busyMs(startUsage) < LINE_BUSY_MS)
      result = grammar.tokenizeLine2(line, stack, LINE_BUSY_MS);
    if (result.stoppedEarly) return undefined;
    if (performance.now() - startMs > BLOCK_BUSY_MS && busyMs(startUsage) > BLOCK_BUSY_MS) return undefined;
    stack = result.ruleStack;
    html += renderLine(line, result.tokens, classOfColor);
  }
  return html;
}

function busyMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** `tokens` alternates between where a token starts and its metadata. */
function renderLine(line: string, tokens: Uint32Array, classOfColor: readonly string[]): string {
  let html = '';
  let start = 0;
  let name = '';
  for (let i = 0; i < tokens.length; i += 2) {
    const next = classOfColor[EncodedTokenMetadata.getForeground(tokens[i + 1]!)] ?? '';
    if (next === name) continue;
    const from = tokens[i]!;
    const end = i + 2 < tokens.length ? tokens[i + 2]! : line.length;
    if (isBlank(line, from, end)) continue;
    if (from > start) html += renderRun(line.slice(start, from), name);
    start = from;
    name = next;
  }
  return html + renderRun(line.slice(start), name);
}

function renderRun(text: string, name: string): string {
  const escaped = escapeText(text);
  return name === '' || text.trim() === '' ? escaped : `<span class="${name}">${escaped}</span>`;
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) !== 32 && text.charCodeAt(i) !== 9) return false;
  return true;
}

/**
 * Classes of the spans in highlighted code, and their meanings; text without a span has the code's default colour. The
 * theme's CSS sets their colours, for light and dark.
 */
export const TOKEN_CLASSES = {
  /** `const`, `if`, JSON keys, YAML keys */
  keyword: 'tk',
  /** Strings of Markdown and the like, with their delimiters */
  string: 'ts',
  /** Quoted strings, templates, regular expressions, names of HTML tags */
  stringExpression: 'tx',
  /** Numbers, `true`, `this`, built-ins, CSS properties */
  constant: 'tc',
  /** Names of functions, types, HTML attributes */
  function: 'tf',
  /** Names of parameters */
  parameter: 'tp',
  comment: 'tm',
  /** Separators and brackets of calls */
  punctuation: 'tu',
  link: 'tl',
  /** A line added in a diff */
  inserted: 'ti',
  /** A line removed in a diff */
  deleted: 'td',
} as const;

/** Class of a token by the variable that Shiki's CSS-variables theme uses for its colour; others have no span. */
const CLASS_OF_VARIABLE = new Map<string, string>([
  ['token-keyword', TOKEN_CLASSES.keyword],
  ['token-string', TOKEN_CLASSES.string],
  ['token-string-expression', TOKEN_CLASSES.stringExpression],
  ['token-constant', TOKEN_CLASSES.constant],
  ['token-function', TOKEN_CLASSES.function],
  ['token-parameter', TOKEN_CLASSES.parameter],
  ['token-comment', TOKEN_CLASSES.comment],
  ['token-punctuation', TOKEN_CLASSES.punctuation],
  ['token-link', TOKEN_CLASSES.link],
  ['token-inserted', TOKEN_CLASSES.inserted],
  ['token-deleted', TOKEN_CLASSES.deleted],
]);

/** Returns the class of each colour number that a grammar may return, '' for the colour of plain code. */
function createColorClasses(
  colorMap: readonly (string | undefined)[],
  replacements: Readonly<Record<string, string>>,
): readonly string[] {
  return Array.from(colorMap, (color) => {
    const variable = /^var\((.+)\)$/.exec(replacements[color?.toLowerCase() ?? ''] ?? '')?.[1];
    return CLASS_OF_VARIABLE.get(variable ?? '') ?? '';
  });
}
