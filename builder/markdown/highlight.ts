import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import type { CodeBlock } from '../model.ts';
import { isOverHighlightLimit } from './code/highlight-limits.ts';
import { findGrammar } from './code/known-languages.ts';
import { findGrammarSet } from './code/language-groups.ts';
import { type GrammarSet, loadGrammarSet } from './code/load-grammar-set.ts';
import { sharePatterns } from './code/share-patterns.ts';
import { tokenizeCode } from './code/tokenize-code.ts';

/** The global, as far as it is used here; its types stand among those of browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: object } }>;
};

/** Highlights code; keeps the grammars it has loaded. */
export interface Highlighter {
  /**
   * Returns a block's HTML: its lines, separated by "\n", each with whole spans of `tokenClasses`. Undefined for plain text,
   * unknown languages, and what is over the limits. The same block always gives the same HTML, whatever came before.
   */
  highlight(block: CodeBlock): Promise<string | undefined>;
}

/**
 * Creates a highlighter. Grammars are loaded when first needed, a whole set at a time, see `findGrammarSet`.
 */
export async function createHighlighter(): Promise<Highlighter> {
  const wasm = readFile(fileURLToPath(import.meta.resolve('shiki/onig.wasm')));
  // Handed the bytes, the engine would ask whether they are a `Response`, for which Node loads its HTTP client.
  const instantiator = async (imports: object = {}) => WebAssembly.instantiate(await wasm, imports);
  const engine = sharePatterns(await createOnigurumaEngine({ instantiator }));
  const sets = new Map<string, Promise<GrammarSet>>();
  return {
    async highlight({ language, text }) {
      const grammar = findGrammar(language);
      if (grammar === undefined || isOverHighlightLimit(text)) return undefined;
      const { name, grammars } = findGrammarSet(grammar);
      if (!sets.has(name)) sets.set(name, loadGrammarSet(engine, grammars));
      const { getGrammar, classOfColor } = await sets.get(name)!;
      return tokenizeCode(getGrammar(grammar), text, classOfColor);
    },
  };
}
