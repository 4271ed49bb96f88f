import { DataError } from '../../data/data-error.ts';

/** Longest code in characters. */
export const MAX_CODE_LENGTH = 64;
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{1,63}$/;

/** What the service itself is called by, or what people would take for a page of it. */
const RESERVED: ReadonlySet<string> = new Set(
  `desc badge build builds webhook github assets www docs api control openservice docbuild t shorturl shorten reduction
  admin administrator operator root system about contact help support terms privacy imprint legal abuse security status
  health healthz metrics login logout signin signout signup register account user users password token session sessionid
  oauth verify payment pay billing robots favicon sitemap index new list undefined null`.split(/\s+/),
);

/** Tells whether a text can be a code at all; all that the store holds can. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/**
 * Reads a code that a user has chosen: 2 to 64 ASCII letters, digits, `_` and `-`, the first one a letter or digit.
 * Capitals are kept, but make no difference. Throws DataError `invalid` for others, and for reserved words.
 */
export function parseCode(text: string): string {
  if (!isCode(text)) {
    const rule = `2 to ${MAX_CODE_LENGTH} letters (a to z), digits, "_" and "-", beginning with a letter or digit`;
    throw new DataError('invalid', `Field "jid" must have ${rule}`);
  }
  if (RESERVED.has(text.toLowerCase())) throw new DataError('invalid', `Field "jid": "${text}" is reserved`);
  return text;
}
