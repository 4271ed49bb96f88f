import { DataError } from '../../data/data-error.ts';

const MIN_LENGTH = 2;
const MAX_LENGTH = 64;
const PATTERN = /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._@+-]*$/u;
/** Letters of these scripts look alike, so that one name could pass for another. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u];
/** Names that programs take for something else. */
const NEVER = new Set(['anonymous', 'constructor', 'false', 'nobody', 'none', 'null', 'true', 'undefined']);
/** Names that only the operator gives away. */
const OFFICIAL = new Set(
  (
    'abuse admin administrator api billing contact docbuild help hostmaster info mail official operator owner postmaster ' +
    'root security service staff support sysadmin system webmaster www'
  ).split(' '),
);

/**
 * Gives an account as it is kept: NFC, lower case, 2 to 64 characters, letters and digits of any script, inside also
 * `. _ - @ +`. Official names such as `admin` are for the operator to give away. Throws DataError `invalid`.
 */
export function parseAccount(text: string, { isOfficial = false }: { readonly isOfficial?: boolean } = {}): string {
  // No need to look at a book.
  const account = text.slice(0, 1000).trim().normalize('NFC').toLowerCase().normalize('NFC');
  const { length } = [...account];
  if (length < MIN_LENGTH || length > MAX_LENGTH || text.length > 1000) {
    throw new DataError('invalid', `An account must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`);
  }
  if (!PATTERN.test(account)) {
    const message = 'An account must have letters and digits, and ".", "_", "-", "@" and "+" behind the first';
    throw new DataError('invalid', message);
  }
  if (SCRIPTS.filter((script) => script.test(account)).length > 1) {
    throw new DataError('invalid', 'An account must not mix Latin, Greek and Cyrillic letters, which look alike');
  }
  if (NEVER.has(account) || (OFFICIAL.has(account) && !isOfficial)) {
    throw new DataError('invalid', `Account "${account}" is reserved; choose another`);
  }
  return account;
}
