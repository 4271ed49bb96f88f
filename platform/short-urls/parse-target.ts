import { DataError } from '../../data/data-error.ts';

/** Longest address that can be shortened, in characters, as it was given and as it is written in ASCII. */
export const MAX_TARGET_LENGTH = 2_048;

/**
 * Reads an address that a short one shall lead to, and gives it as browsers write it: ASCII, host in lower case and
 * punycode, nothing in it that ends a header or an attribute. Throws DataError `invalid` for what is not http or https, for
 * addresses with credentials, with control characters, and for long ones.
 */
export function parseTarget(text: string): string {
  const trimmed = text.replace(/^ +| +$/g, '');
  if (trimmed === '') throw fail('is missing');
  if (trimmed.length > MAX_TARGET_LENGTH) throw fail(`must not have more than ${MAX_TARGET_LENGTH} characters`);
  // URL drops line ends and tabs silently: what was checked elsewhere may then be another address.
  if (/\p{Cc}/u.test(trimmed)) throw fail('must not have control characters');
  // Reading bytes of another encoding leaves these: the address would be another one than was meant.
  if (/[\p{Cs}\ufffd]/u.test(trimmed)) throw fail('has characters that are no UTF-8');
  if (!/^https?:\/\//i.test(trimmed)) throw fail('must begin with http:// or https://');
  if (!URL.canParse(trimmed)) throw fail('must be an address such as https://example.org/page');
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') throw fail('must not have a user name or password');
  if (url.href.length > MAX_TARGET_LENGTH) {
    throw fail(`must not have more than ${MAX_TARGET_LENGTH} characters once it is written in ASCII`);
  }
  if (!isTarget(url.href)) throw fail('has characters that cannot be written in ASCII');
  return url.href;
}

/** Tells whether an address can stand in a header: http or https, printable ASCII. */
export function isTarget(url: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(url);
}

function fail(problem: string): DataError {
  return new DataError('invalid', `Field "long_url" ${problem}`);
}
