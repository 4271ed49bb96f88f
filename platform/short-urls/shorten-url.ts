import { DataError } from '../../data/data-error.ts';
import type { ShortUrl, ShortUrlStore } from '../../data/records/short-url.ts';
import { createCode } from './create-code.ts';
import { parseCode } from './parse-code.ts';
import { parseTarget } from './parse-target.ts';

/** What came of shortening; `limited`: the user has made as many as one may. */
export type ShortenOutcome =
  | { readonly kind: 'done'; readonly shortUrl: ShortUrl }
  | { readonly kind: 'limited'; readonly retryAfterS: number };

const DAY_MS = 86_400_000;
/** Random codes meet about once in a million times. */
const MAX_TRIES = 8;

/**
 * Gives a short URL of a user for a long one, a new one or the same as before; it is on disk. It may be one that the
 * operator has disabled. With `code` (chosen, not checked yet) it has that one. Throws DataError: `invalid`, `taken`.
 */
export async function shortenUrl(
  request: { readonly uid: string; readonly longUrl: string; readonly code?: string | undefined },
  context: {
    readonly shortUrls: ShortUrlStore;
    /** Short URLs that a user may make within 24 hours. */
    readonly perDay: number;
    /** Tells whether an address is one of this service. */
    readonly isOwn: (url: URL) => Promise<boolean>;
    readonly now: Date;
  },
): Promise<ShortenOutcome> {
  const { shortUrls, perDay, isOwn, now } = context;
  const { uid } = request;
  const longUrl = parseTarget(request.longUrl);
  const chosen = request.code === undefined ? undefined : parseCode(request.code);
  if (await isOwn(new URL(longUrl))) {
    throw new DataError('invalid', 'Field "long_url" must not lead to this service itself');
  }
  const limit = { since: new Date(now.getTime() - DAY_MS).toISOString(), count: perDay };
  const common = { longUrl, uid, isDisabled: false, createdAt: now.toISOString() };
  for (let tries = 1; ; tries++) {
    const code = chosen ?? createCode(await shortUrls.count());
    try {
      const shortUrl = await shortUrls.add({ ...common, code, isCustom: chosen !== undefined }, limit);
      if (shortUrl) return { kind: 'done', shortUrl };
      return { kind: 'limited', retryAfterS: await findWait(shortUrls, { uid, perDay, now }) };
    } catch (error) {
      const isTaken = error instanceof DataError && error.code === 'taken';
      if (!isTaken || chosen !== undefined || tries === MAX_TRIES) throw error;
    }
  }
}

/** Gives the seconds until the earliest of a user's last `perDay` short URLs is a day old. */
async function findWait(
  shortUrls: ShortUrlStore,
  { uid, perDay, now }: { readonly uid: string; readonly perDay: number; readonly now: Date },
): Promise<number> {
  const earliest = (await shortUrls.list({ uid, limit: perDay })).at(-1);
  const ms = earliest ? Date.parse(earliest.createdAt) + DAY_MS - now.getTime() : DAY_MS;
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), DAY_MS / 1000);
}
