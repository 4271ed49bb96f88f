import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ShortTermMemory } from '../../data/short-term-memory.ts';

/** A secret that the next page shows. */
export interface FlashSecret {
  readonly secret: string;
  /** The owner of the secret: an account, the id of a key, a project. */
  readonly of: string;
}

export type FlashKind = 'key' | 'password' | 'webhook' | 'notifications';

/** Secrets that the next page shows once, whichever node shows it. */
export interface FlashSecrets {
  /** Keeps a secret for a session, of which this is the token, until it is taken, at most ten minutes. */
  put(token: string, kind: FlashKind, secret: FlashSecret): Promise<void>;
  /** Returns and removes it. */
  take(token: string, kind: FlashKind): Promise<FlashSecret | undefined>;
}

const LIFETIME_MS = 600_000;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates what keeps secrets in a memory, where only the session can read them. */
export function createFlashSecrets(memory: ShortTermMemory): FlashSecrets {
  const nameOf = (token: string, kind: FlashKind): string => `flash ${kind} ${token}`;
  return {
    put: (token, kind, secret) =>
      memory.put(nameOf(token, kind), encrypt(JSON.stringify(secret), deriveKey(token)), LIFETIME_MS),
    async take(token, kind) {
      const kept = await memory.take(nameOf(token, kind));
      return kept === undefined ? undefined : (JSON.parse(decrypt(kept, deriveKey(token))) as FlashSecret);
    },
  };
}

/** The memory may be a table, in which tokens are hashes: whoever reads it cannot derive the key. */
function deriveKey(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'docbuild flash secrets', KEY_BYTES));
}

function encrypt(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(sealed: string, key: Buffer): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
