import type { LanguageLayout } from './find-languages.ts';
import { languageDirection, languageKey, parseLanguageTag } from './language-tag.ts';

/** A language of the site: how it is spelled in addresses, and how HTML names it. */
export interface Language {
  readonly key: string;
  /** As the author spells it, e.g. `zh_CN`; the first part of addresses. */
  readonly code: string;
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
}

/** What is taken for the language of pages that do not say theirs. */
const FALLBACK_CODE = 'en';

/**
 * Returns the languages of a site, the default one first. Declared languages keep their order, each once. Otherwise the default is
 * the one that the first layout's generator names; else English where it has a folder or where pages stand outside language
 * folders; else the first in the alphabet. The spelling is that of the first layout that has the language, so the latest
 * version's should come first.
 */
export function chooseLanguages(
  layouts: readonly LanguageLayout[],
  declared: readonly string[] | undefined,
): readonly Language[] {
  if (declared && declared.length > 0) {
    const unique = new Map<string, string>();
    for (const code of declared) if (!unique.has(languageKey(code))) unique.set(languageKey(code), code);
    return [...unique.values()].map(createLanguage);
  }
  const spellings = new Map<string, string>();
  for (const layout of layouts) {
    for (const [key, code] of [...layout.folders, ...layout.suffixes]) {
      if (!spellings.has(key)) spellings.set(key, code);
    }
  }
  const named = layouts[0]?.defaultCode;
  const defaultKey = named === undefined ? undefined : findKey(spellings, named, layouts[0]!.hasRootPages);
  if (defaultKey !== undefined) {
    if (!spellings.has(defaultKey)) spellings.set(defaultKey, named!);
    const others = [...spellings.keys()].filter((key) => key !== defaultKey).sort();
    return [defaultKey, ...others].map((key) => createLanguage(spellings.get(key)!));
  }
  const rootPages = layouts.some((layout) => layout.hasRootPages);
  if (rootPages || spellings.size === 0) {
    const english = [...spellings.keys()].find((key) => key === FALLBACK_CODE || key.startsWith(`${FALLBACK_CODE}-`));
    if (english === undefined) spellings.set(FALLBACK_CODE, FALLBACK_CODE);
  }
  const keys = [...spellings.keys()].sort();
  const first = keys.find((key) => key === FALLBACK_CODE || key.startsWith(`${FALLBACK_CODE}-`)) ?? keys[0]!;
  return [first, ...keys.filter((key) => key !== first)].map((key) => createLanguage(spellings.get(key)!));
}

/** Returns the key of a default language as folders spell it; undefined where it has neither a folder nor pages. */
function findKey(spellings: ReadonlyMap<string, string>, code: string, hasRootPages: boolean): string | undefined {
  const key = languageKey(code);
  const keys = [...spellings.keys()];
  const found = keys.find((other) => other === key) ?? keys.find((other) => other.split('-')[0] === key.split('-')[0]);
  return hasRootPages ? key : found;
}

function createLanguage(code: string): Language {
  const tag = parseLanguageTag(code) ?? code;
  return { key: languageKey(code), code, tag, dir: languageDirection(tag) };
}
