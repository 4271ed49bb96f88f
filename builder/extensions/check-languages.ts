import type { Extension, Grammar } from '../extension.ts';

/** Languages of an extension. */
const MAX_LANGUAGES = 50;
/** Characters of a language as JSON, with what it embeds. */
const MAX_LENGTH = 10_000_000;
/** Of a name that a fence can have, as `parseFenceInfo` reads it. */
const NAME = /^[^\s{}[\]:="'`,]{1,50}$/;

/** Returns what is wrong with the languages of an extension, except for their regular expressions. */
export function checkLanguages(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of grammars';
  if (value.length > MAX_LANGUAGES) return `has ${value.length} languages; ${MAX_LANGUAGES} are possible`;
  for (const [at, language] of value.entries()) {
    const grammars: readonly unknown[] = [language].flat();
    if (grammars.length === 0) return `has an empty list at place ${at + 1}`;
    for (const grammar of grammars) {
      const problem = checkGrammar(grammar);
      if (problem !== undefined) return `${labelOf(grammar, at)}: ${problem}`;
    }
    const { length } = JSON.stringify(language);
    if (length > MAX_LENGTH)
      return `${labelOf(grammars.at(-1), at)} has ${length} characters; ${MAX_LENGTH} are possible`;
  }
  return undefined;
}

function labelOf(grammar: unknown, at: number): string {
  const { name } = Object(grammar) as Partial<Grammar>;
  return typeof name === 'string' ? `language "${name.slice(0, 50)}"` : `language ${at + 1}`;
}

function checkGrammar(grammar: unknown): string | undefined {
  if (!isMap(grammar)) return 'must be a grammar of TextMate, an object';
  const { name, aliases = [], scopeName, patterns } = grammar;
  const says = '1 to 50 characters, no blanks, quotes, brackets, or signs of ":=,"';
  if (typeof name !== 'string' || !NAME.test(name)) return `"name" must be ${says}`;
  if (!Array.isArray(aliases) || aliases.some((one) => typeof one !== 'string' || !NAME.test(one)))
    return `"aliases" must be a list of names of ${says}`;
  if (typeof scopeName !== 'string' || scopeName === '') return '"scopeName" must be a text, such as "source.toy"';
  if (!Array.isArray(patterns)) return '"patterns" must be a list';
  try {
    JSON.stringify(grammar);
  } catch (error) {
    return `it must be data: ${(error as Error).message.split('\n', 1)[0]}`;
  }
  return findBadRule(grammar);
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const TEXTS = ['match', 'begin', 'end', 'while', 'include'];
const MAPS = ['repository', 'injections'];
const CAPTURES = ['captures', 'beginCaptures', 'endCaptures', 'whileCaptures'];

/** Returns what is wrong in a rule, or in one of those inside it. */
function findBadRule(grammar: Record<string, unknown>): string | undefined {
  for (const { rule, path } of listRules(grammar)) {
    const place = path === '' ? '' : `${path}.`;
    if (!isMap(rule)) return `"${path}" must be a rule, an object`;
    for (const key of TEXTS)
      if (rule[key] !== undefined && typeof rule[key] !== 'string') return `"${place}${key}" must be a text`;
    for (const key of MAPS)
      if (rule[key] !== undefined && !isMap(rule[key])) return `"${place}${key}" must be an object`;
    if (rule.patterns !== undefined && !Array.isArray(rule.patterns)) return `"${place}patterns" must be a list`;
  }
  return undefined;
}

interface PlacedRule {
  readonly rule: unknown;
  /** From the grammar, such as `repository.string.patterns.0`. */
  readonly path: string;
}

/** Lists the rules of a grammar, outer ones before those inside them. */
function* listRules(grammar: unknown): Generator<PlacedRule> {
  const open: PlacedRule[] = [{ rule: grammar, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const { rule, path } = next;
    if (!isMap(rule)) continue;
    for (const key of ['patterns', ...MAPS, ...CAPTURES]) {
      for (const [name, inner] of Object.entries(Object(rule[key]))) {
        // In real grammars, all sorts of things stand for a capture without a meaning.
        if (CAPTURES.includes(key) && !isMap(inner)) continue;
        open.push({ rule: inner, path: `${path === '' ? '' : `${path}.`}${key}.${name}` });
      }
    }
  }
}

/** Returns the first regular expression of the languages of an extension that is none, and where it is. */
export async function findBadPattern({ languages = [] }: Extension): Promise<string | undefined> {
  const { loadOniguruma } = await import('../../lib/oniguruma.ts');
  const engine = await loadOniguruma();
  const seen = new Set<string>();
  for (const grammar of languages.flat()) {
    for (const { rule, path } of listRules(grammar)) {
      for (const key of ['match', 'begin', 'end', 'while']) {
        const given = (rule as Record<string, string | undefined>)[key];
        if (given === undefined) continue;
        // There, numbers stand for what was found at the beginning.
        const pattern = key === 'end' || key === 'while' ? given.replace(/\\\d+/g, 'x') : given;
        if (seen.has(pattern)) continue;
        seen.add(pattern);
        // The engine takes what it cannot compile for a pattern that matches everywhere; this one matches nowhere.
        const scanner = engine.createScanner([`(?:${pattern}\n)(?!)`]);
        const isBad = scanner.findNextMatchSync('a', 0, 0) !== null;
        scanner.dispose?.();
        if (!isBad) continue;
        const shown = given.length > 100 ? `${given.slice(0, 100)}…` : given;
        return `language "${grammar.name}": "${path === '' ? '' : `${path}.`}${key}" is no regular expression: ${shown}`;
      }
    }
  }
  return undefined;
}
