import { readdirSync, readFileSync } from 'node:fs';
import type { Context } from 'koa';
import Negotiator from 'negotiator';
import { memoize } from '../../lib/bounded-map.ts';
import { IssuePhrase } from '../../lib/issue-phrase.ts';
import { packageFile } from '../../lib/package-file.ts';
import { fillPhrase, Phrase } from '../../lib/phrase.ts';
import { cookieName, listCookies } from './cookies.ts';

/** The languages of pages and messages by their tags, each with its own name; the first is what the others are translated from. */
export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const;

/** The tag of a language. */
export type Language = keyof typeof LANGUAGES;

/** Checks whether a text is the tag of a language of pages and messages. */
export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(LANGUAGES, text);
}

const MAX_FIELD_LENGTH = 512;
const MAX_FIELDS = 1_000;

/**
 * Returns the language for whoever sends a request: the one they have chosen, otherwise the one they accept. Only failures and
 * pages ask for it; pages say so in `Vary`, see `readerOf`.
 */
export function languageOf(ctx: Context): Language {
  const [chosen] = listCookies(ctx, cookieName(ctx, 'language'));
  return isLanguage(chosen) ? chosen : negotiateLanguage(ctx.req.headers['accept-language']);
}

/** Returns the language that an `Accept-Language` field (RFC 9110) prefers: English without one, and where `*` is all that fits. */
export function negotiateLanguage(field: string | undefined): Language {
  return field === undefined || field.length > MAX_FIELD_LENGTH ? 'en' : negotiateKnown(field);
}

/** Browsers send a handful of different fields. */
const negotiateKnown = memoize((field): Language => {
  for (const tag of new Negotiator({ headers: { 'accept-language': field } }).languages()) {
    // Whoever asks for any Chinese reads this one more easily than English.
    if (/^zh\b/i.test(tag)) return 'zh-CN';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}, MAX_FIELDS);

/** Whom a page is for. */
export interface Reader {
  readonly language: Language;
  /** The IANA time zone in which times are shown. */
  readonly timeZone: string;
  /** Path of the page with its query, to which a change of the language returns; '' where it cannot be requested by GET. */
  readonly path: string;
}

/** Key of Koa's `app.context` for the time zone in which times are shown. */
export const TIME_ZONE = 'timeZone';

/** Returns whom a page is for, and says in `Vary` what that depends on. */
export function readerOf(ctx: Context): Reader {
  ctx.vary(['Accept-Language', 'Cookie']);
  const path = ctx.method === 'GET' || ctx.method === 'HEAD' ? ctx.url : '';
  return { language: languageOf(ctx), timeZone: String(ctx[TIME_ZONE] ?? 'UTC'), path };
}

/** Texts in another language by the English ones. */
export type Catalogue = ReadonlyMap<string, string>;

/** Returns the texts of a language: those of all files in `templates/console/<language>/`; none for English. */
export const getCatalogue = memoize((language): Catalogue => {
  const folder = packageFile(`templates/console/${language}/`);
  const files = language === 'en' ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = (name: string): object => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object;
  return new Map(files.flatMap((name) => Object.entries(read(name))));
}, Object.keys(LANGUAGES).length) as (language: Language) => Catalogue;

/** Returns the pattern of a phrase in a language. */
export function getWords(text: Phrase, language: Language): string {
  const known = getCatalogue(language).get(text.key);
  if (known !== undefined || language === 'en') return known ?? text.key;
  return (text instanceof IssuePhrase ? text.inChinese() : undefined) ?? text.key;
}

/** Returns a text in a language, as plain text; in English where the catalogue lacks it, and a string that is no phrase as it is. */
export function translate(text: string | Phrase, language: Language): string {
  if (language === 'en' || typeof text === 'string') return String(text);
  return fillPhrase(getWords(text, language), text.values, {
    words: (words) => words,
    value: (value) => (value instanceof Phrase ? translate(value, language) : String(value)),
  });
}
