import Negotiator from 'negotiator';
import { memoize } from '../../lib/bounded-map.ts';

/** The home of a language in the latest version. */
export interface SiteHome {
  /** From the site's root, without a slash in front: `en/latest/`. */
  readonly path: string;
  /** BCP 47 tag of the language. */
  readonly tag: string;
}

const MAX_FIELD_LENGTH = 512;
const MAX_CHOICES = 2_000;

/**
 * Chooses the home that an `Accept-Language` field (RFC 9110) prefers: the first, which is that of the default language, without a
 * field and where nothing fits. For each range, in the reader's order, a home fits by its tag, by language and script (`zh-CN` for
 * `zh`; where the range begins with a tag, such as `pt-PT` with `pt`, by that), or else by language: another script is read more
 * easily than another language.
 */
export function chooseHome(homes: readonly SiteHome[], field: string | undefined): SiteHome | undefined {
  if (field === undefined || field.length > MAX_FIELD_LENGTH || homes.length < 2) return homes[0];
  return homes[choices(JSON.stringify([field, homes.map(({ tag }) => tag)]))];
}

/** Browsers send a handful of different fields. */
const choices = memoize((key): number => {
  const [field, tags] = JSON.parse(key) as readonly [string, readonly string[]];
  for (const range of new Negotiator({ headers: { 'accept-language': field } }).languages()) {
    if (range === '*') return 0;
    const place = findTag(range, tags);
    if (place >= 0) return place;
  }
  return 0;
}, MAX_CHOICES);

/** Returns the place of the tag that fits a range best; -1 where none does. */
function findTag(range: string, tags: readonly string[]): number {
  const wanted = range.toLowerCase();
  const exact = tags.findIndex((tag) => tag.toLowerCase() === wanted);
  const own = expand(range);
  if (exact >= 0 || !own) return exact;
  const known = tags.map((tag, place) => ({ tag: tag.toLowerCase(), place, locale: expand(tag) }));
  const inLanguage = known.filter(({ locale }) => locale?.language === own.language);
  const inScript = inLanguage.filter(({ locale }) => locale?.script === own.script);
  const fitting = inScript.length > 0 ? inScript : inLanguage;
  return (fitting.find(({ tag }) => wanted.startsWith(`${tag}-`)) ?? fitting[0])?.place ?? -1;
}

/** Returns a tag with its likely script; undefined for one that is none. */
function expand(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}
