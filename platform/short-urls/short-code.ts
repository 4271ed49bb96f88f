import { randomInt } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import { phrase } from '../../lib/phrase.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { SERVICE_WORDS } from '../config/service-paths.ts';

/** Small letters and digits without those that look like others (0 o, 1 l i), and without vowels, so that no words arise. */
const ALPHABET = '23456789bcdfghjkmnpqrstvwxyz';
const MIN_LENGTH = 6;
/** There are at least this many possible codes for each one that exists: a guess is worth little. */
const CODES_FOR_EACH = 1_000_000;

/** Longest chosen code in characters. */
const MAX_CODE_LENGTH = 64;
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{1,63}$/;
/** Words that people would take for a page of the service. */
const WORDS = `shorturl shorten reduction
  admin administrator operator root system about contact help support terms privacy imprint legal abuse security status
  health login logout signin signout signup register account user users password token session sessionid
  oauth verify payment pay billing robots favicon sitemap index new list undefined null`;
const RESERVED: ReadonlySet<string> = new Set([...SERVICE_WORDS, ...WORDS.split(/\s+/)]);

/** Returns a random code for a short URL; the more there are (`count`), the longer it is. */
export function createCode(count: number): string {
  let code = '';
  for (let i = codeLength(count); i > 0; i--) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
}

/** Returns the number of characters that codes have when there are `count` of them. */
export function codeLength(count: number): number {
  let length = MIN_LENGTH;
  while (ALPHABET.length ** length < (count + 1) * CODES_FOR_EACH) length++;
  return length;
}

/** Returns whether a text can be a code at all; all codes in the store can. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/**
 * Parses a code that a user has chosen: 2 to 64 ASCII letters, digits, `_` and `-`, the first one a letter or digit. Case is
 * kept, but makes no difference. Throws DataError `invalid` for others, and for reserved words.
 */
export function parseCode(text: string): string {
  if (!isCode(text)) {
    const rule = phrase`2 to ${MAX_CODE_LENGTH} letters (a to z), digits, "_" and "-", beginning with a letter or digit`;
    throw new DataError('invalid', phrase`Field "jid" must have ${rule}`);
  }
  // `login-` passes for `login` in a text.
  const bare = trimCharacters(text.toLowerCase(), '_-');
  if (RESERVED.has(bare)) throw new DataError('invalid', phrase`Field "jid": "${text}" is reserved`);
  return text;
}
