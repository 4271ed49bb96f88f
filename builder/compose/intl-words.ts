import { createBoundedMap } from '../../lib/bounded-map.ts';

/**
 * Names of languages in themselves, those of `Intl.DisplayNames`. The first one that a process creates takes some 10 ms, and lists of
 * languages rarely need other names than these.
 */
export const OWN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: 'English',
    zh: '中文',
    'zh-CN': '中文（中国）',
    'zh-TW': '中文（台灣）',
    ja: '日本語',
    ko: '한국어',
    es: 'español',
    pt: 'português',
    'pt-BR': 'português (Brasil)',
    fr: 'français',
    de: 'Deutsch',
    it: 'italiano',
    nl: 'Nederlands',
    pl: 'polski',
    cs: 'čeština',
    ru: 'русский',
    uk: 'українська',
    tr: 'Türkçe',
    fa: 'فارسی',
    ar: 'العربية',
    he: 'עברית',
    vi: 'Tiếng Việt',
    id: 'Indonesia',
    hi: 'हिन्दी',
  }),
);

/** Returns the name of a language in the words of another: `languageName('de', 'fr')` is `allemand`. The tag where there is none. */
export function languageName(tag: string, inLanguage: string): string {
  const ownName = tag === inLanguage ? OWN_NAMES.get(tag) : undefined;
  if (ownName !== undefined) return ownName;
  const id = `${inLanguage} ${tag}`;
  const name = languageNames.get(id) ?? findLanguageName(tag, inLanguage);
  languageNames.set(id, name);
  return name;
}

/** Looking a name up takes a tenth of a millisecond, and builds of a server ask for the same ones. */
const languageNames = createBoundedMap<string, string>({ maxEntries: 2_000 });

function findLanguageName(tag: string, inLanguage: string): string {
  try {
    return new Intl.DisplayNames([inLanguage, 'en'], { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Returns a day in the words of a language: `4. Mai 2019`; in English where the tag is none. */
export function formatDay(date: Date, tag: string): string {
  const pattern = DAY_PATTERNS.get(tag);
  const year = date.getUTCFullYear();
  if (pattern !== undefined && year >= 1600 && year <= 9999) {
    const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
    const parts = { year, month: month + 1, name: ENGLISH_MONTHS[month]!, day };
    return pattern.replace(/\w+/g, (part) => String(parts[part as keyof typeof parts]));
  }
  const format = dayFormats.get(tag) ?? createDayFormat(tag);
  dayFormats.set(tag, format);
  return format.format(date);
}

/** How languages without inflected months write a day, as `Intl.DateTimeFormat` says, the first of which is as slow to create; `name` is that of the month. */
export const DAY_PATTERNS: ReadonlyMap<string, string> = new Map([
  ['en', 'name day, year'],
  ...['zh', 'zh-CN', 'zh-TW', 'ja'].map((tag) => [tag, 'year年month月day日'] as const),
  ['ko', 'year년 month월 day일'],
]);
const ENGLISH_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Returns a share from 0 to 1 in the words of a language: `83 %`; as in English where the tag is none. */
export function formatPercent(share: number, tag: string): string {
  let format = percentFormats.get(tag);
  if (!format) {
    format = createPercentFormat(tag);
    percentFormats.set(tag, format);
  }
  return format.format(share);
}

const percentFormats = createBoundedMap<string, Intl.NumberFormat>({ maxEntries: 200 });

function createPercentFormat(tag: string): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat([tag, 'en'], { style: 'percent' });
  } catch {
    return new Intl.NumberFormat('en', { style: 'percent' });
  }
}

/** Making one takes a fifth of a millisecond, and each page has a date. */
const dayFormats = createBoundedMap<string, Intl.DateTimeFormat>({ maxEntries: 200 });

function createDayFormat(tag: string): Intl.DateTimeFormat {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  try {
    return new Intl.DateTimeFormat([tag, 'en'], options);
  } catch {
    return new Intl.DateTimeFormat('en', options);
  }
}

/** Returns a language as Open Graph names it, with the region where most people speak it: `en` → `en_US`; undefined for none that is known. */
export function findLocale(tag: string): string | undefined {
  const locale = locales.get(tag) ?? guessLocale(tag);
  locales.set(tag, locale);
  return locale === '' ? undefined : locale;
}

/** '' = none. */
const locales = createBoundedMap<string, string>({ maxEntries: 200 });

function guessLocale(tag: string): string {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    return region === undefined ? '' : `${language}_${region}`;
  } catch {
    return '';
  }
}
