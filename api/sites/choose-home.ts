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
 * field and where nothing fits. For each range, in the reader's order, a home fits by its tag, by the beginning of the range
 * (`pt` for `pt-PT`), by language and script (`zh-CN` for `zh`), or else by language: another script is read more easily than
 * another language.
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

function findTag(range: string, tags: readonly string[]): number {
  const wanted = range.toLowerCase();
  const lower = tags.map((tag) => tag.toLowerCase());
  for (let end = wanted.length; end > 0; end = wanted.lastIndexOf('-', end - 1)) {
    const place = lower.indexOf(wanted.slice(0, end));
    if (place >= 0) return place;
  }
  const own = expand(range);
  const known = tags.map(expand);
  const byScript = known.findIndex((one) => own && one?.language === own.language && one.script === own.script);
  return byScript >= 0 ? byScript : known.findIndex((one) => own && one?.language === own.language);
}

/** Returns a tag with its likely script; undefined for one that is none. */
function expand(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}
