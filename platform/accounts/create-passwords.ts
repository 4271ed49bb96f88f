import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { formatPasswordHash, parsePasswordHash, type ScryptParameters } from './password-hash.ts';

/** Makes passwords fit to be kept, and checks them. */
export interface Passwords {
  /** Gives what is kept of a password. Throws DataError `invalid` for a length that is not allowed, `busy`. */
  hash(password: string): Promise<string>;
  /**
   * Tells whether a password is the one that `kept` was made of. With `kept` undefined (no such account) it costs the same
   * and is false. Throws DataError `busy`.
   */
  verify(password: string, kept: string | undefined): Promise<PasswordCheck>;
}

/** What came of checking a password. */
export interface PasswordCheck {
  readonly isRight: boolean;
  /** It was kept with less than is asked for today: hash it anew. */
  readonly isOutdated: boolean;
}

/** Derives a key as `crypto.scrypt` does. */
export type Derive = (
  password: string,
  options: ScryptParameters & { readonly salt: Buffer; readonly bytes: number },
) => Promise<Buffer>;

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** OWASP's figures for 32 MiB of memory: about 0.2 s of one core. */
const PARAMETERS: ScryptParameters = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Half of Node's thread pool, which also reads and writes files. */
const RUNNING = 2;
const WAITING = 50;

/** Creates passwords by scrypt, a few at a time: each takes its memory and a thread. */
export function createPasswords({
  parameters = PARAMETERS,
  derive = deriveByScrypt,
}: {
  readonly parameters?: ScryptParameters;
  readonly derive?: Derive;
} = {}): Passwords {
  const semaphore = createSemaphore({ permits: RUNNING, maxWaiting: WAITING });
  const deriveInTurn: Derive = async (password, options) => {
    const release = await semaphore.acquire();
    if (!release) throw new DataError('busy', 'Too many requests at once; try again in a moment');
    try {
      return await derive(password, options);
    } finally {
      release();
    }
  };
  /** Stands for the accounts that do not exist. */
  const nobody = { ...parameters, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password) {
      checkLength(password);
      const salt = randomBytes(SALT_BYTES);
      const options = { ...parameters, salt, bytes: HASH_BYTES };
      const hash = await deriveInTurn(password.normalize('NFC'), options);
      return formatPasswordHash({ ...parameters, salt, hash });
    },
    async verify(password, kept) {
      // No account has it; that tells nothing of any.
      if (password.length > 2 * MAX_PASSWORD_LENGTH) return { isRight: false, isOutdated: false };
      const known = kept === undefined ? undefined : parsePasswordHash(kept);
      const { hash, ...options } = known ?? nobody;
      const derived = await deriveInTurn(password.normalize('NFC'), { ...options, bytes: hash.length });
      const isEqual = timingSafeEqual(derived, hash);
      const isOutdated = options.ln < parameters.ln || options.r < parameters.r || options.p < parameters.p;
      return { isRight: known !== undefined && isEqual, isOutdated };
    },
  };
}

function checkLength(password: string): void {
  const { length } = [...password.slice(0, 2 * MAX_PASSWORD_LENGTH + 2)];
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    const message = `A password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
    throw new DataError('invalid', message);
  }
}

const deriveByScrypt: Derive = (password, { ln, r, p, salt, bytes }) =>
  new Promise((resolve, reject) => {
    const N = 2 ** ln;
    // What OpenSSL counts: the table, the blocks and some room.
    const maxmem = 128 * r * (N + p + 2) + 1_000_000;
    scrypt(password, salt, bytes, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
