import { DataError } from '../../data/data-error.ts';
import type { ShortUrl, ShortUrlSelection } from '../../data/records/short-url.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { parseHost } from '../blocks/parse-block.ts';
import {
  getShortUrl,
  type ListedShortUrl,
  listShortUrls,
  type ShortUrlsContext,
} from '../short-urls/list-short-urls.ts';

/** Selects short URLs: of a user, or to a host and those below it. */
interface Selection {
  readonly uid?: string;
  readonly host?: string;
}

/** What an operator can do with short URLs. They throw DataError `not-found`, `invalid`. */
export interface ShortUrlOperations {
  /** Returns short URLs, newest first, up to 1,000 older than the one with the code `before`. */
  listShortUrls(
    input: Selection & { readonly before?: string; readonly limit?: number },
  ): Promise<readonly ListedShortUrl[]>;
  /** Counts all short URLs, or those of a user or to a host. */
  countShortUrls(input: Selection): Promise<{ readonly count: number }>;
  /** Returns one by its code, or by the short URL itself. */
  findShortUrl(input: { readonly code: string }): Promise<ListedShortUrl>;
  /** Disables a short URL, which then redirects nowhere. */
  disableShortUrl(input: { readonly code: string }): Promise<ListedShortUrl>;
  /** Takes back what the operator has disabled; throws `invalid` for one that leads nowhere for another reason. */
  enableShortUrl(input: { readonly code: string }): Promise<ListedShortUrl>;
  /** Disables or enables all short URLs of a user or to a host; returns how many were not so before. */
  disableShortUrls(input: Selection & { readonly isDisabled: boolean }): Promise<{ readonly count: number }>;
}

const MAX_LISTED = 1000;

/** Creates the operations on short URLs. */
export function createShortUrlOperations(context: ShortUrlsContext): ShortUrlOperations {
  const { shortUrls } = context.store;
  return {
    listShortUrls: ({ before, limit = MAX_LISTED, ...selection }) =>
      listShortUrls(context, { ...parseSelection(selection), before, limit: Math.min(limit, MAX_LISTED) }),
    countShortUrls: async (given) => ({ count: await shortUrls.count(parseSelection(given)) }),
    findShortUrl: ({ code }) => getShortUrl(context, { code: readCode(code) }),
    async disableShortUrl({ code }) {
      await shortUrls.change(code, (one) => setDisabled(one, true));
      return getShortUrl(context, { code });
    },
    async enableShortUrl({ code }) {
      const found = await getShortUrl(context, { code });
      if (!found.isDisabled && found.state !== 'active') throw new DataError('invalid', describeState(found));
      await shortUrls.change(code, (one) => setDisabled(one, false));
      return getShortUrl(context, { code });
    },
    async disableShortUrls({ isDisabled, ...given }) {
      const selection = parseSelection(given);
      if (selection.uid === undefined && selection.host === undefined) {
        throw new DataError('invalid', phrase`Name a user or a host`);
      }
      return { count: await shortUrls.changeAll(selection, (one) => setDisabled(one, isDisabled)) };
    },
  };
}

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
