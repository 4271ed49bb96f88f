import { createBoundedMap } from '../../lib/bounded-map.ts';

/** A secret that the next page shows. */
export interface FlashSecret {
  readonly secret: string;
  /** What it belongs to: an account, the id of a key, a project. */
  readonly of: string;
}

/** What a secret is for. */
export type FlashKind = 'key' | 'password' | 'webhook' | 'notifications';

/** Secrets that the next page shows once. */
export interface FlashSecrets {
  /** Keeps a secret for a session until it is taken, at most ten minutes. */
  put(tokenHash: string, kind: FlashKind, secret: FlashSecret): void;
  /** Returns and removes it. */
  take(tokenHash: string, kind: FlashKind): FlashSecret | undefined;
}

const LIFETIME_MS = 600_000;
const MAX_SECRETS = 1_000;

/** Creates an empty set of secrets, which exist in memory only. */
export function createFlashSecrets(nowMs: () => number): FlashSecrets {
  const secrets = createBoundedMap<string, FlashSecret>({ maxEntries: MAX_SECRETS, maxAgeMs: LIFETIME_MS, nowMs });
  return {
    put: (tokenHash, kind, secret) => secrets.set(`${tokenHash} ${kind}`, secret),
    take(tokenHash, kind) {
      const secret = secrets.get(`${tokenHash} ${kind}`);
      secrets.delete(`${tokenHash} ${kind}`);
      return secret;
    },
  };
}
