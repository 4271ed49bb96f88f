import type { Image } from '../records/image.ts';
import type { EngineName, Inclusion } from '../records/inclusion.ts';
import type { ShortUrl } from '../records/short-url.ts';

export interface ImageStore {
  /** `date` as `YYYYMMDD`. */
  find(market: string, date: string): Promise<Image | undefined>;
  /** Gives the image of the latest day. */
  findNewest(market: string): Promise<Image | undefined>;
  /** Gives the image at this place among all of a market: 0 is the earliest one, just below 1 the latest. */
  findAt(market: string, share: number): Promise<Image | undefined>;
  /** Gives the days from this one on that have an image, in their order. */
  listDates(market: string, from: string): Promise<readonly string[]>;
  /** Adds images, all or none; days that have one keep it. Gives the days that were added. */
  add(images: readonly Image[]): Promise<readonly string[]>;
}

export interface InclusionStore {
  /** `url` as `comparableUrl` gives it. */
  find(engine: EngineName, url: string): Promise<Inclusion | undefined>;
  /** Puts a record in the place of the one of this engine and address. */
  put(inclusion: Inclusion): Promise<void>;
  /** Removes the record of this engine and address, if there is one. */
  remove(engine: EngineName, url: string): Promise<void>;
  /** Removes records found before a time (ISO 8601, UTC, with milliseconds), and all but the `keep` newest of both engines. */
  prune(query: { readonly keep: number; readonly before: string }): Promise<void>;
}

export interface ShortUrlStore {
  /** Capitals count as small letters. */
  find(code: string): Promise<ShortUrl | undefined>;
  /** Gives the short URL with a code made here that a user has for a long URL. */
  findByTarget(uid: string, longUrl: string): Promise<ShortUrl | undefined>;
  /** Gives short URLs, newest first, those made before the one with the code `before`, of one user where one is given. */
  list(query: {
    readonly uid?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly ShortUrl[]>;
  /** Counts all short URLs, or those of one user. */
  count(uid?: string): Promise<number>;
  /**
   * Adds a short URL and gives it. Where the user has the same one already (the same chosen code, or any code made here, for
   * the same long URL) gives that one, and changes nothing. Gives undefined, and changes nothing, where the user has made
   * `limit.count` others since `limit.since` (ISO 8601, UTC). Throws `taken` for a code that is another one's.
   */
  add(shortUrl: ShortUrl, limit?: { readonly since: string; readonly count: number }): Promise<ShortUrl | undefined>;
  /** Changes one short URL and gives it as it is now. Throws `not-found`, and `taken` where it would be the same as another. */
  change(code: string, change: (shortUrl: ShortUrl) => ShortUrl): Promise<ShortUrl>;
}
