import { DataError } from '../../data/data-error.ts';
import type { ShortUrl, ShortUrlStore } from '../../data/records/short-url.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import { createCode, parseCode } from './short-code.ts';
import { isExpired } from './short-url-state.ts';

/** The result of shortening; `limited`: the user has made as many as allowed. */
export type ShortenOutcome =
  | { readonly kind: 'done'; readonly shortUrl: ShortUrl }
  | { readonly kind: 'limited'; readonly retryAfterS: number };

const DAY_MS = 86_400_000;
/** Random codes collide about once in a million times. */
const MAX_TRIES = 8;

/**
 * Returns a short URL of a user for a long one, a new one or the same as before; it is on disk. It may be one that is disabled.
 * With `code` (chosen, not checked yet) it has that code. The same one as before expires at `expiresAt` from now on; without
 * it, it is valid as long as before, and for ever if it has expired. Throws DataError `invalid`, `taken`, and what `checkChange`
 * throws.
 */
export async function shortenUrl(
  request: {
    readonly uid: string;
    readonly longUrl: string;
    readonly code?: string | undefined;
    /** ISO 8601, UTC. */
    readonly expiresAt?: string | undefined;
  },
  context: {
    readonly shortUrls: ShortUrlStore;
    /** Short URLs that a user may make within 24 hours. */
    readonly perDay: number;
    /** Returns whether a URL belongs to this service. */
    readonly isOwn: (url: URL) => Promise<boolean>;
    /** Counts a change of a known short URL, which the limit of a day does not. Throws where a user changes too many. */
    readonly checkChange: (uid: string) => void;
    readonly now: Date;
  },
): Promise<ShortenOutcome> {
  const { shortUrls, perDay, isOwn, now } = context;
  const { uid, expiresAt } = request;
  const longUrl = parseTarget(request.longUrl);
  const chosen = request.code === undefined ? undefined : parseCode(request.code);
  if (await isOwn(new URL(longUrl))) {
    throw new DataError('invalid', phrase`Field "long_url" must not point to this service itself`);
  }
  const limit = { since: new Date(now.getTime() - DAY_MS).toISOString(), count: perDay };
  const state = { isDisabled: false, isDisabledByOwner: undefined, expiresAt };
  const common = { longUrl, uid, createdAt: now.toISOString(), ...state };
  for (let tries = 1; ; tries++) {
    const code = chosen ?? createCode(await shortUrls.count());
    try {
      const shortUrl = await shortUrls.add({ ...common, code, isCustom: chosen !== undefined }, limit);
      if (shortUrl) return { kind: 'done', shortUrl: await renew(shortUrl, { ...context, expiresAt }) };
      return { kind: 'limited', retryAfterS: await findWait(shortUrls, { uid, perDay, now }) };
    } catch (error) {
      const isTaken = error instanceof DataError && error.code === 'taken';
      if (!isTaken || chosen !== undefined || tries === MAX_TRIES) throw error;
    }
  }
}

/** Lets a short URL that is wanted again expire when its owner says now. */
async function renew(
  shortUrl: ShortUrl,
  context: {
    readonly shortUrls: ShortUrlStore;
    readonly checkChange: (uid: string) => void;
    readonly expiresAt: string | undefined;
    readonly now: Date;
  },
): Promise<ShortUrl> {
  const { shortUrls, checkChange, expiresAt, now } = context;
  if (shortUrl.isDisabled || shortUrl.isDisabledByOwner || shortUrl.expiresAt === expiresAt) return shortUrl;
  if (expiresAt === undefined && !isExpired(shortUrl, () => now)) return shortUrl;
  checkChange(shortUrl.uid);
  return shortUrls.change(shortUrl.code, (one) => ({ ...one, expiresAt }));
}

/** Returns the seconds until the earliest of a user's last `perDay` short URLs is a day old. */
async function findWait(
  shortUrls: ShortUrlStore,
  { uid, perDay, now }: { readonly uid: string; readonly perDay: number; readonly now: Date },
): Promise<number> {
  const earliest = (await shortUrls.list({ uid, limit: perDay })).at(-1);
  const ms = earliest ? Date.parse(earliest.createdAt) + DAY_MS - now.getTime() : DAY_MS;
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), DAY_MS / 1000);
}

/** Longest URL that can be shortened, in characters, as given and as written in ASCII. */
export const MAX_TARGET_LENGTH = 2_048;

/**
 * Parses the URL that a short one is to lead to, and returns it as browsers write it: ASCII, host in lower case and
 * punycode, nothing in it that ends a header or an attribute. Throws DataError `invalid` for anything but http and https,
 * for URLs with credentials or control characters, and for long ones.
 */
export function parseTarget(text: string): string {
  const trimmed = trimCharacters(text, ' ', { both: true });
  if (trimmed === '') throw fail(phrase`is missing`);
  if (trimmed.length > MAX_TARGET_LENGTH) throw fail(phrase`must not have more than ${MAX_TARGET_LENGTH} characters`);
  // URL drops line ends and tabs silently: what was checked elsewhere may then be another address.
  if (/\p{Cc}/u.test(trimmed)) throw fail(phrase`must not have control characters`);
  // Decoding bytes of another encoding leaves these: the URL would not be the one that was meant.
  if (/[\p{Cs}\ufffd]/u.test(trimmed)) throw fail(phrase`has characters that are not UTF-8`);
  if (!isWebUrl(trimmed)) throw fail(phrase`must begin with http:// or https://`);
  if (!URL.canParse(trimmed)) throw fail(phrase`must be a URL such as https://example.org/page`);
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') throw fail(phrase`must not have a user name or password`);
  if (url.href.length > MAX_TARGET_LENGTH) {
    throw fail(phrase`must not have more than ${MAX_TARGET_LENGTH} characters once it is written in ASCII`);
  }
  if (!isTarget(url.href)) throw fail(phrase`has characters that cannot be written in ASCII`);
  return url.href;
}

/** Returns whether a URL can be sent in a header: http or https, printable ASCII. */
export function isTarget(url: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(url);
}

function fail(problem: Phrase): DataError {
  return new DataError('invalid', phrase`Field "long_url" ${problem}`);
}
