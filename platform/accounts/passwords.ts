import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import { createFairSemaphore } from '../../lib/fair-semaphore.ts';
import { phrase } from '../../lib/phrase.ts';
import { createScryptThreads } from './scrypt-threads.ts';

/** Hashes passwords and checks them. */
export interface Passwords {
  /** Returns what is stored of a password. Throws DataError `invalid` for a length that is not allowed, `busy`. */
  hash(password: string, asker?: Asker): Promise<string>;
  /**
   * Returns whether a password is the one that `stored` was made from. With `stored` undefined (no such account) it
   * takes the same time and is false. Throws DataError `busy`.
   */
  verify(password: string, stored: string | undefined, asker?: Asker): Promise<PasswordCheck>;
}

/** Who wants a password to be hashed. */
export interface Asker {
  /** Those of one kind, however many, do not keep others from their turn: whoever has given a wrong password is `failed`. */
  readonly standing: 'known' | 'new' | 'failed';
  /** Takes turns with others: an address, a device. */
  readonly name: string;
}

/** The result of checking a password. */
export interface PasswordCheck {
  readonly isRight: boolean;
  /** It was hashed with weaker parameters than today's: hash it again. */
  readonly isOutdated: boolean;
}

/** Parameters of scrypt (RFC 7914). Memory is 128 · 2^ln · r bytes. */
export interface ScryptParameters {
  /** N is 2 to the power of it. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** Derives a key as `crypto.scrypt` does. */
export type DeriveKey = (
  password: string,
  options: ScryptParameters & { readonly salt: Buffer; readonly bytes: number },
) => Promise<Buffer>;

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/** OWASP's figures for 32 MiB of memory: about 0.2 s of one core. */
const PARAMETERS: ScryptParameters = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Each takes a thread and 32 MiB. */
const RUNNING = 2;
/** Of one kind. */
const WAITING = 50;
const WAITING_EACH = 20;
const WAIT_MS = 30_000;
const OPERATOR: Asker = { standing: 'known', name: 'operator' };

/** Creates passwords by scrypt, a few at a time: each takes its memory and a thread. */
export function createPasswords({
  parameters = PARAMETERS,
  derive = deriveByScrypt,
}: {
  readonly parameters?: ScryptParameters;
  readonly derive?: DeriveKey;
} = {}): Passwords {
  const semaphore = createFairSemaphore({ permits: RUNNING, maxWaiting: WAITING, maxWaitingEach: WAITING_EACH });
  const deriveInTurn = async ({ standing, name }: Asker, ...work: Parameters<DeriveKey>): Promise<Buffer> => {
    const permit = await semaphore.acquire({ lane: standing, owner: name }, WAIT_MS);
    if ('refusal' in permit) throw new DataError('busy', phrase`Too many requests at once; try again in a moment`);
    const [password, options] = work;
    try {
      return await derive(password.normalize('NFC'), options);
    } finally {
      permit.release();
    }
  };
  /** Stands for the accounts that do not exist. */
  const nobody: PasswordHash = { ...parameters, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password, asker = OPERATOR) {
      checkLength(password);
      const salt = randomBytes(SALT_BYTES);
      const hash = await deriveInTurn(asker, password, { ...parameters, salt, bytes: HASH_BYTES });
      return formatHash({ ...parameters, salt, hash });
    },
    async verify(password, stored, asker = OPERATOR) {
      // No account has such a password; that reveals nothing about any.
      if (password.length > 2 * MAX_PASSWORD_LENGTH) return { isRight: false, isOutdated: false };
      const known = stored === undefined ? undefined : parseHash(stored);
      const { hash, ...options } = known ?? nobody;
      const derived = await deriveInTurn(asker, password, { ...options, bytes: hash.length });
      const isEqual = timingSafeEqual(derived, hash);
      const isOutdated = options.ln < parameters.ln || options.r < parameters.r || options.p < parameters.p;
      return { isRight: known !== undefined && isEqual, isOutdated };
    },
  };
}

/** No letters that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GENERATED_LENGTH = 20;

/** Returns an unguessable password: 116 bits, easy to copy. */
export function generatePassword(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/**
 * Checks that a new password has a length that is allowed and is not among those that are tried first: the most common ones, also with some digits behind them, the account's name, a few
 * characters again and again. Throws DataError `invalid`. The first call loads the list, in about 0.1 s.
 */
export async function checkNewPassword(password: string, account: string): Promise<void> {
  checkLength(password);
  const text = password.normalize('NFKC').toLowerCase();
  if (text === account || text === account.split('@')[0]) {
    throw new DataError('invalid', phrase`The password must not be the name of the account`);
  }
  if (/^(.{1,4})\1+$/u.test(text)) {
    throw new DataError('invalid', phrase`The password must not repeat the same few characters`);
  }
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common'];
  if (listCores(text).some((core) => common.includes(core))) {
    throw new DataError('invalid', phrase`This password is one of the most common ones; choose another`);
  }
}

const MAX_DIGITS = 4;

/** Returns a password and what it is without some of the digits at its end. */
function listCores(text: string): readonly string[] {
  const digits = /(?<!\d)\d*$/.exec(text)![0].length;
  const ends = Array.from({ length: Math.min(MAX_DIGITS, digits) }, (_, i) => text.slice(0, -i - 1));
  return [text, ...ends];
}

function checkLength(password: string): void {
  const { length } = [...password.slice(0, 2 * MAX_PASSWORD_LENGTH + 2)];
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    const message = phrase`A password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
    throw new DataError('invalid', message);
  }
}

const deriveOnThread = createScryptThreads();

const deriveByScrypt: DeriveKey = (password, { ln, r, p, salt, bytes }) => {
  const N = 2 ** ln;
  // As OpenSSL counts: the table, the blocks and some room.
  const maxmem = 128 * r * (N + p + 2) + 1_000_000;
  return deriveOnThread({ password, salt, bytes, options: { N, r, p, maxmem } });
};

/** The stored form of a password. */
interface PasswordHash extends ScryptParameters {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
/** Nothing in a damaged or foreign file makes one check last for minutes: 1 GiB at most. */
const MAX = { ln: 20, r: 8, p: 16 } as const;

/** Returns a hash in PHC's string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. */
function formatHash({ ln, r, p, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`;
}

/** Parses what `formatHash` returned; undefined for anything else. */
function parseHash(text: string): PasswordHash | undefined {
  const found = FORMAT.exec(text);
  if (!found) return undefined;
  const [ln, r, p] = found.slice(1, 4).map(Number) as [number, number, number];
  if (ln < 1 || ln > MAX.ln || r < 1 || r > MAX.r || p < 1 || p > MAX.p) return undefined;
  return { ln, r, p, salt: Buffer.from(found[4]!, 'base64'), hash: Buffer.from(found[5]!, 'base64') };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}
