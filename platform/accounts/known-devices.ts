import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { User } from '../../data/records/user.ts';

/** Accounts that one browser is known for. */
const MAX_ACCOUNTS = 4;
const PROOF_LENGTH = 22;
/** A random id of the browser, then a proof for each account that has logged in from it. */
const FORMAT = new RegExp(`^[\\w-]{22}(?:\\.[\\w-]{${PROOF_LENGTH}}){0,${MAX_ACCOUNTS}}$`);

/**
 * Returns the id of the browser that has this cookie; undefined unless the user has logged in from it and not changed their
 * password since.
 */
export function findKnownDevice(cookie: string | undefined, user: User): string | undefined {
  const { id, proofs } = parseCookie(cookie);
  const own = Buffer.from(createProof(id, user));
  return proofs.some((proof) => timingSafeEqual(Buffer.from(proof), own)) ? id : undefined;
}

/** Returns the cookie that makes this browser known for a user, too. */
export function rememberDevice(cookie: string | undefined, user: User): string {
  const { id, proofs } = parseCookie(cookie);
  const own = createProof(id, user);
  return [id, own, ...proofs.filter((proof) => proof !== own)].slice(0, MAX_ACCOUNTS + 1).join('.');
}

/** Anything but a cookie of ours is that of a new browser. */
function parseCookie(cookie = ''): { readonly id: string; readonly proofs: readonly string[] } {
  const [id, ...proofs] = FORMAT.test(cookie) ? cookie.split('.') : [randomBytes(16).toString('base64url')];
  return { id: id!, proofs };
}

/** The hash of the password is the key: no other secret has to be kept, and another password ends what is known. */
function createProof(id: string, { uid, passwordHash }: User): string {
  return createHmac('sha256', passwordHash).update(`device ${uid} ${id}`).digest('base64url').slice(0, PROOF_LENGTH);
}
