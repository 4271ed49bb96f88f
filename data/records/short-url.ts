import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, type Index, joinKey, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import { type User, users } from './user.ts';

const schema = z.object({
  /** The end of the path, after `/t/`: ASCII letters, digits, `_` and `-`. Two codes differ in more than case. */
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
  /** Its owner has disabled it, whatever the operator says. */
  isDisabledByOwner: z.boolean().optional(),
  /** From then on it leads nowhere; ISO 8601, UTC. Undefined: never. */
  expiresAt: z.string().optional(),
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
    /** Those to one host. */
    byHost: { groupOf: ({ longUrl }) => findHost(longUrl), orderOf },
  },
});

/** Returns the host of a long URL as `hostOf` does; undefined for what somebody has written by hand. */
function findHost(longUrl: string): string | undefined {
  // Long URLs are stored as browsers write them, and parsing 100,000 of them would delay the start.
  const [, ip, name] = /^https?:\/\/(?:\[([^\]/]*)\]|([^:/?#]*[^:/?#.]))\.*(?=[:/?#]|$)/.exec(longUrl) ?? [];
  return ip ?? name;
}

/** Selects short URLs: of one user, to one host and those below it, or all. */
export interface ShortUrlSelection {
  readonly uid?: string | undefined;
  /** As `hostOf` returns it. Takes precedence over `uid`. */
  readonly host?: string | undefined;
}

/** A short URL with the user who made it. */
export interface OwnedShortUrl {
  readonly shortUrl: ShortUrl;
  /** Undefined only where somebody has edited the files by hand. */
  readonly owner: User | undefined;
}

/** Short URLs that one step of `changeAll` changes. */
const CHANGED_AT_ONCE = 1_000;

/** Creates the short URLs' part of a store. */
export function createShortUrlStore(database: Database) {
  return {
    /** The case of letters does not matter. */
    find: (code: string) => database.read(tx.get(shortUrls, keyOf(code))),
    /** Returns the short URL with a generated code that a user has for a long URL. */
    findByTarget: (uid: string, longUrl: string) => database.read(findByTarget(uid, longUrl)),
    /** The same, with its owner as of the same moment. */
    findOwned: (code: string) => database.read(findOwned(code)),
    /** Returns short URLs, newest first, those made before the one with the code `before`. */
    list: (query: ShortUrlSelection & { readonly before?: string; readonly limit: number }) =>
      database.read(listNewest(query)),
    /** The same, with their owners. */
    listOwned: (query: ShortUrlSelection & { readonly before?: string | undefined; readonly limit: number }) =>
      database.read(listOwned(query)),
    count: (selection: ShortUrlSelection = {}) => database.read(count(selection)),
    /** Counts the short URLs of each of these users, in their order. */
    countOfUsers: (uids: readonly string[]) => database.read(countOfUsers(uids)),
    /**
     * Adds a short URL and returns it. Where the user has the same one already (the same chosen code, or any generated one,
     * for the same long URL) returns that one, and changes nothing. Returns undefined, and changes nothing, where the user
     * has made `limit.count` others since `limit.since` (ISO 8601, UTC). Throws `taken` for a code that another one has.
     */
    async add(shortUrl: ShortUrl, limit?: { readonly since: string; readonly count: number }) {
      const record = shortUrls.parse(shortUrl);
      return await database.transact(function* () {
        const same = yield* findSame(record);
        if (same) return same;
        if (yield* tx.get(shortUrls, keyOf(record.code))) {
          throw new DataError('taken', phrase`Code "${record.code}" is taken`);
        }
        if (limit && (yield* isUsedUp(record, limit))) return undefined;
        return yield* tx.put(shortUrls, record);
      });
    },
    /** Changes one short URL and returns it as it is now. Throws `not-found`, and `taken` where it would equal another one. */
    change: (code: string, change: (shortUrl: ShortUrl) => ShortUrl) =>
      database.transact(() =>
        tx.change(shortUrls, {
          key: keyOf(code),
          change,
          missing: phrase`Short URL "${code.slice(0, 100)}" does not exist`,
          *check(record) {
            const same = record.isCustom ? undefined : yield* findByTarget(record.uid, record.longUrl);
            if (same && keyOf(same.code) !== keyOf(code)) {
              throw new DataError('taken', phrase`The user has a code for this URL already`);
            }
          },
        }),
      ),
    /**
     * Changes the short URLs of a selection, but not what they are found by; returns how many are different now. Each thousand
     * is a step: of more, a crash may leave some as they were.
     */
    async changeAll(selection: ShortUrlSelection, change: (shortUrl: ShortUrl) => ShortUrl) {
      const found = await database.read(listNewest(selection));
      let changed = 0;
      for (let i = 0; i < found.length; i += CHANGED_AT_ONCE) {
        const some = found.slice(i, i + CHANGED_AT_ONCE);
        changed += await database.transact(() => changeSome(some, change));
      }
      return changed;
    },
  };
}

export type ShortUrlStore = ReturnType<typeof createShortUrlStore>;

function findByTarget(uid: string, longUrl: string): Step<ShortUrl | undefined> {
  return tx.first(shortUrls.indexes.byTarget, joinKey(uid, longUrl));
}

function* findOwned(code: string): Step<OwnedShortUrl | undefined> {
  const shortUrl = yield* tx.get(shortUrls, keyOf(code));
  return shortUrl && { shortUrl, owner: yield* tx.get(users, shortUrl.uid) };
}

/** Orders as `orderOf` does, the newest first, without building its texts. */
function compareNewest(a: ShortUrl, b: ShortUrl): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return keyOf(a.code) < keyOf(b.code) ? 1 : -1;
}

type Page = ShortUrlSelection & { readonly before?: string | undefined; readonly limit?: number };

function* listNewest({ before, limit, ...selection }: Page): Step<readonly ShortUrl[]> {
  const last = before === undefined ? undefined : yield* tx.get(shortUrls, keyOf(before));
  if (before !== undefined && !last) return [];
  const range = { before: last && orderOf(last), ...(limit !== undefined && { limit }), isDescending: true };
  const lists: (readonly ShortUrl[])[] = [];
  for (const { index, group } of yield* findGroups(selection)) lists.push(yield* tx.list(index, group, range));
  if (lists.length < 2) return lists[0] ?? [];
  return lists.flat().sort(compareNewest).slice(0, limit);
}

function* listOwned(page: Page): Step<readonly OwnedShortUrl[]> {
  const found = yield* listNewest(page);
  const uids = [...new Set(found.map(({ uid }) => uid))];
  const known = yield* tx.getAll(users, uids);
  const owners = new Map(uids.map((uid, i) => [uid, known[i]]));
  return found.map((shortUrl) => ({ shortUrl, owner: owners.get(shortUrl.uid) }));
}

function* countOfUsers(uids: readonly string[]): Step<readonly number[]> {
  const counts: number[] = [];
  for (const uid of uids) counts.push(yield* tx.count(shortUrls.indexes.byUser, uid));
  return counts;
}

function* count(selection: ShortUrlSelection): Step<number> {
  let sum = 0;
  for (const { index, group } of yield* findGroups(selection)) sum += yield* tx.count(index, group);
  return sum;
}

/** Returns where a selection stands: in one group, or for a host in one for each host below it. */
function* findGroups({
  uid,
  host,
}: ShortUrlSelection): Step<readonly { readonly index: Index<ShortUrl>; readonly group: string }[]> {
  const { all, byUser, byHost } = shortUrls.indexes;
  if (host === undefined) return [uid === undefined ? { index: all, group: '' } : { index: byUser, group: uid }];
  const hosts = yield* tx.groups(byHost);
  return hosts.filter((one) => one === host || one.endsWith(`.${host}`)).map((group) => ({ index: byHost, group }));
}

function* changeSome(some: readonly ShortUrl[], change: (shortUrl: ShortUrl) => ShortUrl): Step<number> {
  let changed = 0;
  for (const { code } of some) {
    // As it is now: it may have changed since it was found.
    const one = yield* tx.get(shortUrls, keyOf(code));
    const now = one && change(one);
    if (!now || now === one) continue;
    if (now.code !== one.code || now.uid !== one.uid || now.longUrl !== one.longUrl || orderOf(now) !== orderOf(one)) {
      throw new DataError('invalid', phrase`Cannot change what short URLs are found by`);
    }
    yield* tx.put(shortUrls, shortUrls.parse(now));
    changed++;
  }
  return changed;
}

function* findSame({ code, uid, longUrl, isCustom }: ShortUrl): Step<ShortUrl | undefined> {
  if (!isCustom) return yield* findByTarget(uid, longUrl);
  const known = yield* tx.get(shortUrls, keyOf(code));
  return known?.isCustom && known.uid === uid && known.longUrl === longUrl ? known : undefined;
}

/** Returns whether a user had made so many short URLs since, up to a moment: others are of a clock that was ahead. */
function* isUsedUp(
  { uid, createdAt }: ShortUrl,
  { since, count }: { readonly since: string; readonly count: number },
): Step<boolean> {
  if (count <= 0) return true;
  const range = { before: `${createdAt} ~`, skip: count - 1, limit: 1, isDescending: true };
  const [earliest] = yield* tx.list(shortUrls.indexes.byUser, uid, range);
  return earliest !== undefined && earliest.createdAt >= since;
}
