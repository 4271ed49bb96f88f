import { findGrammar } from './known-languages.ts';

/**
 * Grammars that are loaded together and apart from all others, by the name of their set. A set is always loaded whole:
 * what a grammar does depends on which others are there (Markdown colours the code blocks of languages it finds, Vue's
 * grammar changes HTML's), and must not depend on which block comes first.
 */
const grammarSets = new Map<string, readonly string[]>([
  [
    'web',
    ['javascript', 'typescript', 'jsx', 'tsx', 'html', 'css', 'scss', 'less', 'json', 'jsonc', 'vue', 'vue-html'],
  ],
  ['markdown', ['markdown', 'javascript', 'typescript', 'html', 'css', 'json', 'vue', 'yaml', 'shellscript', 'diff']],
]);

const setOfGrammar = new Map([
  ...grammarSets.get('web')!.map((grammar) => [grammar, 'web'] as const),
  ['markdown', 'markdown'] as const,
]);

const groupOfGrammar = new Map([
  ...['javascript', 'typescript', 'jsx', 'tsx', 'json', 'jsonc'].map((grammar) => [grammar, 'script'] as const),
  ...['html', 'css', 'scss', 'less', 'vue', 'vue-html', 'markdown'].map((grammar) => [grammar, 'markup'] as const),
]);

/**
 * Returns the group of a fence's language, for dealing blocks out to workers: languages of one group share compiled
 * patterns, so one worker should do all of them. `script` and `markup` cost about the same where both are used; any other
 * language is a group of its own, under its grammar's name. '' = plain text, which costs nothing.
 */
export function languageGroup(language: string): string {
  const grammar = findGrammar(language);
  return grammar === undefined ? '' : (groupOfGrammar.get(grammar) ?? grammar);
}

/** Returns the set of grammars that one grammar is loaded in: its name, and all names in it. */
export function findGrammarSet(grammar: string): { readonly name: string; readonly grammars: readonly string[] } {
  const name = setOfGrammar.get(grammar) ?? grammar;
  return { name, grammars: grammarSets.get(name) ?? [grammar] };
}
