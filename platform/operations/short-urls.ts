import { DataError } from '../../data/data-error.ts';
import type { ShortUrl, ShortUrlSelection } from '../../data/records/short-url.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { parseHost } from '../blocks/parse-block.ts';
import { getShortUrl, type ListedShortUrl, listShortUrls } from '../short-urls/list-short-urls.ts';
import { operation } from './operation.ts';

/** Selects short URLs: of a user, or to a host and those below it. */
type Selection = {
  readonly uid?: string | undefined;
  readonly host?: string | undefined;
};

type Coded = {
  readonly code: string;
};

const MAX_LISTED = 1000;

/** Operations on short URLs. They throw DataError `not-found`, `invalid`. */
export const shortUrlOperations = {
  /** Returns short URLs, newest first, up to 1,000 older than the one with the code `before`. */
  listShortUrls: operation(
    (
      {
        before,
        limit = MAX_LISTED,
        ...selection
      }: Selection & { readonly before?: string | undefined; readonly limit?: number },
      scope,
    ) => listShortUrls(scope, { ...parseSelection(selection), before, limit: Math.min(limit, MAX_LISTED) }),
    'none',
  ),
  /** Counts all short URLs, or those of a user or to a host. */
  countShortUrls: operation(
    async (given: Selection, { store }) => ({
      count: await store.shortUrls.count(parseSelection(given)),
    }),
    'none',
  ),
  /** Returns one by its code, or by the short URL itself. */
  findShortUrl: operation(async ({ code }: Coded, scope) => getShortUrl(scope, { code: readCode(code) }), 'none'),
  /** Disables a short URL, which then redirects nowhere. */
  disableShortUrl: operation(
    async ({ code }: Coded, scope) => {
      await scope.store.shortUrls.change(code, (one) => setDisabled(one, true));
      return getShortUrl(scope, { code });
    },
    { title: phrase`disable a short URL`, describe: ({ code }) => ({ target: code }) },
  ),
  /** Takes back what the operator has disabled; throws `invalid` for one that leads nowhere for another reason. */
  enableShortUrl: operation(
    async ({ code }: Coded, scope) => {
      const found = await getShortUrl(scope, { code });
      if (!found.isDisabled && found.state !== 'active') throw new DataError('invalid', describeState(found));
      await scope.store.shortUrls.change(code, (one) => setDisabled(one, false));
      return getShortUrl(scope, { code });
    },
    { title: phrase`enable a short URL`, describe: ({ code }) => ({ target: code }) },
  ),
  /** Disables or enables all short URLs of a user or to a host; returns how many were not so before. */
  disableShortUrls: operation(
    async ({ isDisabled, ...given }: Selection & { readonly isDisabled: boolean }, { store }) => {
      const selection = parseSelection(given);
      if (selection.uid === undefined && selection.host === undefined) {
        throw new DataError('invalid', phrase`Name a user or a host`);
      }
      return { count: await store.shortUrls.changeAll(selection, (one) => setDisabled(one, isDisabled)) };
    },
    {
      title: phrase`disable or enable short URLs`,
      describe: ({ uid, host = '', isDisabled }) => ({
        target: uid ?? host,
        details: `all ${uid === undefined ? 'to this host' : 'of this user'}${isDisabled ? '' : ', enabled again'}`,
      }),
    },
  ),
};

/** Why a short URL leads nowhere that the operator has not disabled itself. */
function describeState({ code, state, isDisabledWithAccount }: ListedShortUrl): Phrase {
  if (isDisabledWithAccount) {
    return phrase`Short URL "${code}" is disabled together with the account of its owner; enable the account`;
  }
  return state === 'expired'
    ? phrase`Short URL "${code}" has expired; its owner can change that`
    : phrase`Short URL "${code}" was disabled by its owner, who alone can enable it`;
}

function setDisabled(one: ShortUrl, isDisabled: boolean): ShortUrl {
  return one.isDisabled === isDisabled ? one : { ...one, isDisabled };
}

function parseSelection({ uid, host: given }: Selection): ShortUrlSelection {
  if (given === undefined) return { uid };
  // As `hostOf` writes it.
  const host = parseHost(given)?.replace(/^\[(.*)\]$/, '$1');
  if (host === undefined) {
    throw new DataError('invalid', phrase`"${given.slice(0, 100)}" is not a host such as example.com`);
  }
  if (uid !== undefined) throw new DataError('invalid', phrase`Name either a user or a host, not both`);
  return { host };
}

/** Returns the code in a short URL, whatever its host; anything else as it is. */
function readCode(text: string): string {
  const given = text.trim();
  return /^(?:https?:\/\/)?[^/]+\/t\/([^/?#]+)/i.exec(given)?.[1] ?? given;
}
