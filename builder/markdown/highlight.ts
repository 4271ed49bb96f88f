import { createCssVariablesTheme, createShikiPrimitive, type Grammar } from 'shiki/core';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import { bundledLanguages } from 'shiki/langs';
import type { CodeBlock } from '../model.ts';
import { createColorClasses } from './code/color-classes.ts';
import { isOverHighlightLimit } from './code/highlight-limits.ts';
import { findGrammar } from './code/known-languages.ts';
import { findGrammarSet } from './code/language-groups.ts';
import { shareScanners } from './code/share-scanners.ts';
import { tokenizeCode } from './code/tokenize-code.ts';

/** Highlights code; keeps the grammars it has loaded. */
export interface Highlighter {
  /**
   * Gives a block's HTML: its lines, separated by "\n", each with whole spans of `tokenClasses`. Undefined for plain text,
   * unknown languages, and what is over the limits. The same block always gives the same HTML, whatever came before.
   */
  highlight(block: CodeBlock): Promise<string | undefined>;
}

/** The grammars of one set, ready for use. */
interface GrammarSet {
  getLanguage(name: string): Grammar;
  readonly classOfColor: readonly string[];
}

/**
 * Creates a highlighter. Grammars are loaded when first needed, a whole set at a time, see `findGrammarSet`.
 */
export async function createHighlighter(): Promise<Highlighter> {
  const engine = shareScanners(await createOnigurumaEngine(import('shiki/wasm')));
  const sets = new Map<string, Promise<GrammarSet>>();
  const load = async (names: readonly string[]): Promise<GrammarSet> => {
    const theme = createCssVariablesTheme({ name: 'classes', variablePrefix: '', fontStyle: false });
    const grammars = names.map((id) => bundledLanguages[id as keyof typeof bundledLanguages]);
    const modules = await Promise.all(grammars.map((grammar) => grammar()));
    const langs = modules.flatMap((module) => module.default);
    const { getLanguage, setTheme } = createShikiPrimitive({ engine, themes: [theme], langs, warnings: false });
    const { colorMap, theme: normalized } = setTheme('classes');
    const replacements = normalized.colorReplacements ?? {};
    return { getLanguage, classOfColor: createColorClasses(colorMap, replacements as Record<string, string>) };
  };
  return {
    async highlight({ language, text }) {
      const grammar = findGrammar(language);
      if (grammar === undefined || isOverHighlightLimit(text)) return undefined;
      const { name, grammars } = findGrammarSet(grammar);
      if (!sets.has(name)) sets.set(name, load(grammars));
      const { getLanguage, classOfColor } = await sets.get(name)!;
      return tokenizeCode(getLanguage(grammar), text, classOfColor);
    },
  };
}
