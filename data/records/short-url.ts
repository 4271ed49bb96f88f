import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** What stands after `/t/`: ASCII letters, digits, `_` and `-`. Two codes differ in more than case. */
  code: z.string().min(1),
  /** Where it leads: an absolute http or https URL, in printable ASCII. */
  longUrl: z.string().min(1),
  /** The user who made it. */
  uid: z.string().min(1),
  /** The user chose the code. */
  isCustom: z.boolean(),
  /** The operator has disabled it: it leads nowhere. */
  isDisabled: z.boolean(),
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: z.string(),
});

/** A short URL that leads to a long one. */
export interface ShortUrl extends RecordOf<typeof schema> {}

const keyOf = (code: string): string => code.toLowerCase();
const orderOf = ({ createdAt, code }: ShortUrl): string => `${createdAt} ${keyOf(code)}`;

export const shortUrls = defineCollection({
  name: 'short-urls',
  singular: 'short URL',
  schema,
  keyOf: ({ code }) => keyOf(code),
  indexes: {
    /** Oldest first, as the next one. */
    all: { groupOf: () => '', orderOf },
    byUser: { groupOf: ({ uid }) => uid, orderOf },
    /** Those with a generated code, one at most for each user and long URL. */
    byTarget: {
      groupOf: ({ uid, longUrl, isCustom }) => (isCustom ? undefined : joinKey(uid, longUrl)),
      orderOf,
    },
  },
});

export interface ShortUrlStore {
  /** The case of letters does not matter. */
  find(code: string): Promise<ShortUrl | undefined>;
  /** Returns the short URL with a generated code that a user has for a long URL. */
  findByTarget(uid: string, longUrl: string): Promise<ShortUrl | undefined>;
  /** Returns short URLs, newest first, those made before the one with the code `before`, of one user where one is given. */
  list(query: {
    readonly uid?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly ShortUrl[]>;
  /** Counts all short URLs, or those of one user. */
  count(uid?: string): Promise<number>;
  /**
   * Adds a short URL and returns it. Where the user has the same one already (the same chosen code, or any generated one,
   * for the same long URL) returns that one, and changes nothing. Returns undefined, and changes nothing, where the user
   * has made `limit.count` others since `limit.since` (ISO 8601, UTC). Throws `taken` for a code that another one has.
   */
  add(shortUrl: ShortUrl, limit?: { readonly since: string; readonly count: number }): Promise<ShortUrl | undefined>;
  /** Changes one short URL and returns it as it is now. Throws `not-found`, and `taken` where it would equal another one. */
  change(code: string, change: (shortUrl: ShortUrl) => ShortUrl): Promise<ShortUrl>;
}

/** Creates the short URLs' part of a store. */
export function createShortUrlStore(database: Database): ShortUrlStore {
  const { all, byUser } = shortUrls.indexes;
  return {
    find: (code) => database.read(tx.get(shortUrls, keyOf(code))),
    findByTarget: (uid, longUrl) => database.read(findByTarget(uid, longUrl)),
    list: ({ uid, before, limit }) => database.read(listNewest({ uid, before, limit })),
    count: (uid) => database.read(uid === undefined ? tx.count(all, '') : tx.count(byUser, uid)),
    async add(shortUrl, limit) {
      const record = shortUrls.parse(shortUrl);
      return await database.transact(function* () {
        const same = yield* findSame(record);
        if (same) return same;
        if (yield* tx.get(shortUrls, keyOf(record.code))) {
          throw new DataError('taken', phrase`Code "${record.code}" is taken`);
        }
        if (limit && (yield* isUsedUp(record.uid, limit))) return undefined;
        return yield* tx.put(shortUrls, record);
      });
    },
    change: (code, change) =>
      database.transact(() =>
        tx.change(shortUrls, {
          key: keyOf(code),
          change,
          missing: `Short URL "${code.slice(0, 100)}" does not exist`,
          *check(record) {
            const same = record.isCustom ? undefined : yield* findByTarget(record.uid, record.longUrl);
            if (same && keyOf(same.code) !== keyOf(code)) {
              throw new DataError('taken', phrase`The user has a code for this URL already`);
            }
          },
        }),
      ),
  };
}

function findByTarget(uid: string, longUrl: string): Step<ShortUrl | undefined> {
  return tx.first(shortUrls.indexes.byTarget, joinKey(uid, longUrl));
}

function* listNewest(query: {
  readonly uid: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}): Step<readonly ShortUrl[]> {
  const { uid, limit } = query;
  const last = query.before === undefined ? undefined : yield* tx.get(shortUrls, keyOf(query.before));
  if (query.before !== undefined && !last) return [];
  const range = { before: last && orderOf(last), limit, isDescending: true };
  const { all, byUser } = shortUrls.indexes;
  return yield* uid === undefined ? tx.list(all, '', range) : tx.list(byUser, uid, range);
}

function* findSame({ code, uid, longUrl, isCustom }: ShortUrl): Step<ShortUrl | undefined> {
  if (!isCustom) return yield* findByTarget(uid, longUrl);
  const known = yield* tx.get(shortUrls, keyOf(code));
  return known?.isCustom && known.uid === uid && known.longUrl === longUrl ? known : undefined;
}

/** Returns whether a user has made so many short URLs since. */
function* isUsedUp(uid: string, { since, count }: { readonly since: string; readonly count: number }): Step<boolean> {
  if (count <= 0) return true;
  const [earliest] = yield* tx.list(shortUrls.indexes.byUser, uid, { skip: count - 1, limit: 1, isDescending: true });
  return earliest !== undefined && earliest.createdAt >= since;
}
