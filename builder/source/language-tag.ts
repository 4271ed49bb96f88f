/** Scripts written from right to left, by ISO 15924 code. */
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Samr', 'Mand']);

/** Gives the BCP 47 tag of a language code in any spelling (`zh_CN` → `zh-CN`), or undefined when it is none. */
export function parseLanguageTag(code: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(code)) return undefined;
  try {
    return new Intl.Locale(code.replaceAll('_', '-')).toString();
  } catch {
    return undefined;
  }
}

/**
 * Tells whether a folder or suffix of this name may be meant as a language without anybody saying so: an ISO 639-1
 * code that has a name, alone or with script or region. Three-letter codes (`api`, `cli`, `faq` are some) need `lang`.
 */
export function looksLikeLanguage(code: string): boolean {
  if (!/^[a-z]{2}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|[0-9]{3}))?$/i.test(code)) return false;
  const tag = parseLanguageTag(code);
  if (tag === undefined) return false;
  const base = tag.slice(0, 2);
  return (languageNames().of(base) ?? base) !== base;
}

/** Gives the direction of the language's script. */
export function languageDirection(tag: string): 'ltr' | 'rtl' {
  const script = new Intl.Locale(tag).maximize().script;
  return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
}

/** Gives the key under which spellings of one language meet. */
export function languageKey(code: string): string {
  return code.replaceAll('_', '-').toLowerCase();
}

let names: Intl.DisplayNames | undefined;

function languageNames(): Intl.DisplayNames {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
  return names;
}
