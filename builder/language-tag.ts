/** Scripts written from right to left, by ISO 15924 code. */
const RIGHT_TO_LEFT = new Set('Arab Aran Hebr Thaa Syrc Nkoo Adlm Rohg Samr Mand Mend Yezi'.split(' '));

/** Languages that documentation is often translated to and whose codes have hardly any other meaning in software. */
const COMMON = new Set(
  'en zh ja ko fr de es pt ru it nl pl tr uk fa he hi th sv fi da no nb nn el hu ro bg sk sl hr sr et lv lt ka hy kk uz bn ta te mr ur sq eu gl'.split(
    ' ',
  ),
);
const COMMON_RIGHT_TO_LEFT = new Set(['fa', 'he', 'ur']);
/** Language codes with another meaning in repositories: TypeScript, shell, Angular, a preposition. */
const OTHER_MEANING = new Set('ts io os as to so sc tk ie in sh ng co rn pi ee ss st'.split(' '));

/** Country codes that authors use for languages, if no language has that code. */
const LANGUAGE_OF_COUNTRY = new Map([
  ['cn', 'zh-CN'],
  ['tw', 'zh-TW'],
  ['jp', 'ja'],
  ['kr', 'ko'],
  ['cz', 'cs'],
]);

/** Returns the BCP 47 tag of a language code in any spelling (`zh_CN` → `zh-CN`), or undefined if it is not one. */
export function parseLanguageTag(code: string): string | undefined {
  const known = LANGUAGE_OF_COUNTRY.get(code.toLowerCase());
  if (known !== undefined) return known;
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(code)) return undefined;
  try {
    return new Intl.Locale(code.replaceAll('_', '-')).toString();
  } catch {
    return undefined;
  }
}

/** How likely a name means a language: not at all, with strong evidence, with some evidence, certainly. */
export type LanguageLikelihood = 'no' | 'possible' | 'likely' | 'sure';

/**
 * Rates the name of a folder or suffix that was not declared a language: ISO 639-1 codes that have a name count, alone
 * or with a script or region that exists. Three-letter codes (`api`, `cli`, `faq` are some) need `lang`.
 */
export function rateLanguageCode(code: string): LanguageLikelihood {
  if (LANGUAGE_OF_COUNTRY.has(code.toLowerCase())) return 'possible';
  const match = /^([a-z]{2})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|[0-9]{3}))?$/i.exec(code);
  if (!match || parseLanguageTag(code) === undefined) return 'no';
  const [language, script, region] = [match[1]!.toLowerCase(), match[2], match[3]];
  if (OTHER_MEANING.has(language) || !hasName('language', language)) return 'no';
  if (script !== undefined && !hasName('script', script.charAt(0).toUpperCase() + script.slice(1).toLowerCase())) {
    return 'no';
  }
  if (region !== undefined && !hasName('region', region.toUpperCase())) return 'no';
  if (script !== undefined || region !== undefined) return 'sure';
  return COMMON.has(language) ? 'likely' : 'possible';
}

/** Returns whether a folder or suffix of this name may mean a language without being declared. */
export function looksLikeLanguage(code: string): boolean {
  return rateLanguageCode(code) !== 'no';
}

/** Returns the key of a language with the region in which most of its speakers live: `ja` → `ja-jp`. */
export function addLikelyRegion(language: string): string {
  const { region } = new Intl.Locale(language).maximize();
  return languageKey(`${language}-${region}`);
}

export function languageDirection(tag: string): 'ltr' | 'rtl' {
  // The first script that is looked up takes longer than rendering a short page.
  if (COMMON.has(tag)) return COMMON_RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
  const script = new Intl.Locale(tag).maximize().script;
  return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
}

/** Returns a key that is equal for all spellings of a language. */
export function languageKey(code: string): string {
  const known = LANGUAGE_OF_COUNTRY.get(code.toLowerCase());
  return (known ?? code).replaceAll('_', '-').toLowerCase();
}

const names = new Map<string, Intl.DisplayNames>();
/** Codes that need no lookup of names, the first of which costs as much as planning a small site. */
const KNOWN = { language: COMMON, script: new Set(['Hans', 'Hant']), region: new Set('CN TW HK BR PT'.split(' ')) };

function hasName(type: 'language' | 'script' | 'region', code: string): boolean {
  if (KNOWN[type].has(code)) return true;
  let known = names.get(type);
  if (!known) {
    known = new Intl.DisplayNames(['en'], { type, fallback: 'none' });
    names.set(type, known);
  }
  return known.of(code) !== undefined;
}

/** Returns whether a code may stand in `lang`; used by the schema and by the command line. */
export function isLanguageCode(code: string): boolean {
  return parseLanguageTag(code) !== undefined;
}

/** A text, or texts by language code, the first of which is for all other languages. */
export type LocalText = string | Readonly<Record<string, string>>;

/** Returns the text for the language with a key, else for that language in another region, else the first. */
export function chooseText(text: LocalText, key: string): string;
export function chooseText(text: LocalText | undefined, key: string): string | undefined;
export function chooseText(text: LocalText | undefined, key: string): string | undefined {
  if (typeof text !== 'object') return text;
  const texts = Object.entries(text).map(([code, words]) => ({ key: languageKey(code), words }));
  const base = (other: string): string => other.split('-')[0]!;
  const found = texts.find((own) => own.key === key) ?? texts.find((own) => base(own.key) === base(key));
  return (found ?? texts[0])?.words;
}
