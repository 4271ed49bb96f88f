import { randomInt } from 'node:crypto';

/** Small letters and digits without those that look like others (0 o, 1 l i), and without vowels, so that no words arise. */
const ALPHABET = '23456789bcdfghjkmnpqrstvwxyz';
const MIN_LENGTH = 6;
/** There are at least this many possible codes for each one that exists: what a guess is worth. */
const CODES_FOR_EACH = 1_000_000;

/** Gives a random code for a short URL; the more there are (`count`), the longer it is. */
export function createCode(count: number): string {
  let code = '';
  for (let i = codeLength(count); i > 0; i--) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
}

/** Gives the number of characters that codes have when there are `count` of them. */
export function codeLength(count: number): number {
  let length = MIN_LENGTH;
  while (ALPHABET.length ** length < (count + 1) * CODES_FOR_EACH) length++;
  return length;
}
