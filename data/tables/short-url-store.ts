import { DataError } from '../data-error.ts';
import type { ShortUrl } from '../records/short-url.ts';
import type { ShortUrlStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the short URLs' part of a store. */
export function createShortUrlStore({ shortUrls }: Tables, commit: Commit, check: () => void): ShortUrlStore {
  const keyOf = (code: string): string => code.toLowerCase();
  const findByTarget = (uid: string, longUrl: string): ShortUrl | undefined =>
    shortUrls.byTarget.group(joinKey(uid, longUrl))[0];
  const findSame = ({ code, uid, longUrl, isCustom }: ShortUrl): ShortUrl | undefined => {
    if (!isCustom) return findByTarget(uid, longUrl);
    const known = shortUrls.get(keyOf(code));
    return known?.isCustom && known.uid === uid && known.longUrl === longUrl ? known : undefined;
  };
  return {
    async find(code) {
      check();
      return shortUrls.get(keyOf(code));
    },
    async findByTarget(uid, longUrl) {
      check();
      return findByTarget(uid, longUrl);
    },
    async list({ uid, before, limit }) {
      check();
      const last = before === undefined ? undefined : shortUrls.get(keyOf(before));
      if (before !== undefined && !last) return [];
      const order = last && shortUrls.orderOf(last);
      const count = toLimit(limit);
      return uid === undefined ? shortUrls.all.before('', order, count) : shortUrls.byUser.before(uid, order, count);
    },
    async count(uid) {
      check();
      return (uid === undefined ? shortUrls.all.group('') : shortUrls.byUser.group(uid)).length;
    },
    async add(shortUrl, limit) {
      const record = shortUrls.parse(shortUrl);
      return await commit((edits) => {
        const same = findSame(record);
        if (same) return same;
        const key = keyOf(record.code);
        if (shortUrls.get(key)) throw new DataError('taken', `Code "${record.code}" is taken`);
        if (limit) {
          const own = shortUrls.byUser.group(record.uid);
          const earliest = own[own.length - limit.count];
          if (limit.count <= 0 || (earliest && earliest.createdAt >= limit.since)) return undefined;
        }
        edits.set(shortUrls, key, record);
        return record;
      });
    },
    change: (code, change) =>
      commit((edits) => {
        const key = keyOf(code);
        const missing = `Short URL "${code.slice(0, 100)}" does not exist`;
        const checkTarget = ({ uid, longUrl, isCustom }: ShortUrl): void => {
          const same = isCustom ? undefined : findByTarget(uid, longUrl);
          if (same && keyOf(same.code) !== key)
            throw new DataError('taken', 'The user has a code for this URL already');
        };
        return changeRecord(edits, shortUrls, { key, change, missing, check: checkTarget });
      }),
  };
}
