import { createCssVariablesTheme, normalizeTheme, type RegexEngine } from 'shiki/core';
import { bundledLanguages } from 'shiki/langs';
import { type IGrammar, Registry } from 'shiki/textmate';
import { createColorClasses } from './color-classes.ts';

/** Grammars that know each other. */
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
 * Loads grammars, and all they embed, by Shiki's names. Each is made ready when first asked for: with all of them
 * registered before, there is nothing to look for that it refers to, which is what Shiki's own registry spends most on.
 */
export async function loadGrammarSet(engine: RegexEngine, names: readonly string[]): Promise<GrammarSet> {
  const modules = await Promise.all(names.map((name) => bundledLanguages[name as BundledLanguage]()));
  const grammars = new Set(modules.flatMap((module) => module.default));
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

/** Returns the scopes of grammars that add rules to the one of `scopeName`, or to all whose scope begins like it. */
function listInjections(scopeName: string, grammars: ReadonlySet<RawGrammar>): string[] {
  const parts = scopeName.split('.');
  const targets = parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  const injecting = targets.flatMap((target) => [...grammars].filter(({ injectTo }) => injectTo?.includes(target)));
  return injecting.map((grammar) => grammar.scopeName);
}
