import { DataError } from '../../data/data-error.ts';
import type { OwnedShortUrl, ShortUrl } from '../../data/records/short-url.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { RedirectCounter } from './redirect-counter.ts';
import { findState, type ShortUrlState } from './short-url-state.ts';

/** A short URL as its owner and the operator see it. */
export interface ListedShortUrl extends ShortUrl {
  readonly state: ShortUrlState;
  /** Disabled together with the account of its owner. */
  readonly isDisabledWithAccount: boolean;
  /** Account of its owner. */
  readonly account: string;
  /** How often it has redirected somebody. */
  readonly redirects: number;
}

export interface ShortUrlsContext {
  readonly store: Pick<Store, 'shortUrls'>;
  readonly redirects: Pick<RedirectCounter, 'read'>;
  readonly now: () => Date;
}

/** Lists short URLs, newest first. Throws DataError `not-found` for an unknown code `before`. */
export async function listShortUrls(
  context: ShortUrlsContext,
  query: {
    readonly uid?: string | undefined;
    readonly host?: string | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<readonly ListedShortUrl[]> {
  const { shortUrls } = context.store;
  if (query.before !== undefined && !(await shortUrls.find(query.before))) throw notFound(query.before);
  return describe(await shortUrls.listOwned(query), context);
}

/** Names a short URL; with `uid` one of this user: those of others do not exist. */
export interface NamedShortUrl {
  readonly code: string;
  readonly uid?: string;
}

/** Returns a short URL. Throws DataError `not-found`. */
export async function getShortUrl(context: ShortUrlsContext, { code, uid }: NamedShortUrl): Promise<ListedShortUrl> {
  const found = await context.store.shortUrls.findOwned(code);
  if (!found || (uid !== undefined && found.shortUrl.uid !== uid)) throw notFound(code);
  return (await describe([found], context))[0]!;
}

/** The changes that the owner of a short URL can make; undefined = none. */
export interface OwnChange {
  readonly isDisabled?: boolean | undefined;
  /** ISO 8601, UTC; null = it never expires. */
  readonly expiresAt?: string | null | undefined;
}

/**
 * Changes a short URL for its owner. Throws DataError `not-found`, and `invalid` for one that is to be enabled although the
 * operator has disabled it.
 */
export async function changeOwnShortUrl(
  context: ShortUrlsContext,
  own: Required<NamedShortUrl>,
  { isDisabled, expiresAt }: OwnChange,
): Promise<ListedShortUrl> {
  const { state } = await getShortUrl(context, own);
  if (isDisabled === false && state === 'disabled') {
    throw new DataError(
      'invalid',
      phrase`The operator has disabled this short URL; only the operator can enable it again`,
    );
  }
  await context.store.shortUrls.change(own.code, (one) => {
    const wanted = {
      isDisabledByOwner: isDisabled === undefined ? one.isDisabledByOwner : isDisabled || undefined,
      expiresAt: expiresAt === undefined ? one.expiresAt : (expiresAt ?? undefined),
    };
    const isSame = wanted.isDisabledByOwner === one.isDisabledByOwner && wanted.expiresAt === one.expiresAt;
    return isSame ? one : { ...one, ...wanted };
  });
  return getShortUrl(context, own);
}

async function describe(
  found: readonly OwnedShortUrl[],
  { redirects, now }: ShortUrlsContext,
): Promise<readonly ListedShortUrl[]> {
  const counts = await redirects.read(found.map(({ shortUrl }) => shortUrl.code));
  return found.map((one, i) => ({
    ...one.shortUrl,
    state: findState(one, now),
    isDisabledWithAccount: one.owner?.areShortUrlsDisabled ?? false,
    account: one.owner?.account ?? '',
    redirects: counts[i]!,
  }));
}

function notFound(code: string): DataError {
  return new DataError('not-found', phrase`Short URL "${code.slice(0, 100)}" does not exist`);
}
