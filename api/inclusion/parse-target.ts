import { ApiError } from '../http/errors.ts';
import { comparableUrl } from './comparable-url.ts';

/** The address that is asked about. */
export interface Target {
  /** As it is searched for: ASCII, without fragment. */
  readonly url: string;
  /** What it is compared and remembered by, see `comparableUrl`. */
  readonly key: string;
}

/** Longest address in characters, as given and once encoded. */
const MAX_GIVEN = 2048;
const MAX_ENCODED = 6000;

/** Reads the address that somebody asks about. Throws ApiError 400 that says what is wrong; nothing is ever fetched from it. */
export function parseTarget(given: string | undefined): Target {
  const text = given?.slice(0, MAX_GIVEN + 100).trim() ?? '';
  if (text === '') throw wrong('is missing');
  if (given!.length > MAX_GIVEN) throw wrong(`has more than ${MAX_GIVEN} characters`);
  if (!/^https?:\/\//i.test(text)) throw wrong('must begin with http:// or https://');
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw wrong('has control characters or broken Unicode in it');
  // What decoding left of them would be another address than the one that was meant.
  if (text.includes('\ufffd')) throw wrong('has bytes that are no UTF-8; write "%25" for each "%" of the address');
  if (!URL.canParse(text)) throw wrong('is not a valid address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw wrong('must not have credentials in it');
  url.hash = '';
  if (url.href.length > MAX_ENCODED) throw wrong(`has more than ${MAX_ENCODED} characters once it is encoded`);
  return { url: url.href, key: comparableUrl(url.href)! };
}

function wrong(what: string): ApiError {
  return new ApiError(400, 'bad-request', `Parameter "url" ${what}`);
}
