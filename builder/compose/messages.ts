import { readFileSync } from 'node:fs';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { packageFile } from '../../lib/package-file.ts';

/** The texts of pages besides the author's, in one language: `templates/messages/<tag>.json`. */
export interface Messages {
  readonly skip: string;
  readonly menu: string;
  readonly pages: string;
  /** The header's link from a landing page to the first page. */
  readonly documentation: string;
  readonly onThisPage: string;
  readonly breadcrumbs: string;
  readonly pageNavigation: string;
  readonly previous: string;
  readonly next: string;
  readonly edit: string;
  /** Followed by a date. */
  readonly updated: string;
  readonly theme: string;
  readonly light: string;
  readonly dark: string;
  readonly system: string;
  readonly copy: string;
  readonly copied: string;
  /** `{language}` stands for the language the page is shown in. */
  readonly fallback: string;
  /** Shown on a page whose source cannot be read, followed by the error in English. */
  readonly unreadable: string;
  readonly notFoundTitle: string;
  readonly notFoundText: string;
  /** Above the list of versions and languages that have the page. */
  readonly elsewhere: string;
  readonly home: string;
  readonly moved: string;
  readonly allPages: string;
  /** Said above pages that may be old, before and after it is known; `{version}` and `{newest}` are filled in. */
  readonly versionNotice: Readonly<Record<'reading' | 'old', string>>;
  /** What the switches of the header say, and the list of versions. */
  readonly switches: Readonly<
    Record<
      'version' | 'language' | 'versions' | 'languages' | 'branches' | 'tags' | 'missing' | 'filter' | 'failed',
      string
    >
  >;
  /** What the search dialog says; `client/search/open-index.ts` names the words. */
  readonly search: Readonly<Record<string, string>>;
  /** What is asked at the end of a page, if the project wants it. */
  readonly feedback: Readonly<Record<'question' | 'yes' | 'no' | 'thanks', string>>;
  /** Words inside the author's text: titles of callouts by kind, and names for screen readers. See the Markdown renderer. */
  readonly titles: Readonly<Record<string, string>>;
}

/** Languages that have messages; the first is what all others fall back to. */
export const MESSAGE_LANGUAGES = (
  'en zh-CN zh-TW ja ko es pt fr de ru it fa ar he tr pl nl uk vi id hi' as const
).split(' ') as readonly string[];

const folder = packageFile('templates/messages/');
const loaded = new Map<string, Messages>();

/** Returns the messages for a BCP 47 tag: of the very tag, else of its base language (and script), else English. */
export function findMessages(tag: string): Messages {
  const known = loaded.get(tag);
  if (known !== undefined) return known;
  const messages = JSON.parse(readFileSync(new URL(`${findMessageLanguage(tag)}.json`, folder), 'utf8')) as Messages;
  loaded.set(tag, messages);
  return messages;
}

function findMessageLanguage(tag: string): string {
  const exact = MESSAGE_LANGUAGES.find((language) => language.toLowerCase() === tag.toLowerCase());
  if (exact !== undefined) return exact;
  if (tag === 'zh') return 'zh-CN';
  const locale = parseLocale(tag);
  if (locale?.language === 'zh') return locale.script === 'Hant' ? 'zh-TW' : 'zh-CN';
  return MESSAGE_LANGUAGES.find((language) => language === locale?.language) ?? 'en';
}

function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}

/**
 * What languages call themselves, as `Intl.DisplayNames` says. The first of these that a process makes takes as long as planning a
 * version, and each page's list of languages needs only the names below.
 */
export const OWN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ en: 'English', zh: '中文', 'zh-CN': '中文（中国）', 'zh-TW': '中文（台灣）', ja: '日本語', ko: '한국어' },
    ...{ es: 'español', pt: 'português', 'pt-BR': 'português (Brasil)', fr: 'français', de: 'Deutsch', it: 'italiano' },
    ...{ nl: 'Nederlands', pl: 'polski', cs: 'čeština', ru: 'русский', uk: 'українська', tr: 'Türkçe', fa: 'فارسی' },
    ...{ ar: 'العربية', he: 'עברית', vi: 'Tiếng Việt', id: 'Indonesia', hi: 'हिन्दी' },
  }),
);

/** Returns the name of a language in the words of another: `languageName('de', 'fr')` is `allemand`. The tag where there is none. */
export function languageName(tag: string, inLanguage: string): string {
  const id = `${inLanguage} ${tag}`;
  const name =
    (tag === inLanguage ? OWN_NAMES.get(tag) : undefined) ?? languageNames.get(id) ?? findLanguageName(tag, inLanguage);
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

/** Days of languages with simple ones, as `Intl.DateTimeFormat` says, which is slow to start like `Intl.DisplayNames`. */
export const DAY_PATTERNS: ReadonlyMap<string, string> = new Map([
  ['en', 'name day, year'],
  ...['zh', 'zh-CN', 'zh-TW', 'ja'].map((tag) => [tag, 'year年month月day日'] as const),
  ['ko', 'year년 month월 day일'],
]);
const ENGLISH_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

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
