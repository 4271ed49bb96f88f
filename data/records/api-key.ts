/** `read` may only be used to read (GET), `write` for everything. */
export type KeyPermission = 'read' | 'write';

/** A key that programs of a user call with. The key itself is shown once, to whoever creates it. */
export interface ApiKey {
  /** 16 hex digits; what the key is called by, no secret. */
  readonly id: string;
  readonly uid: string;
  /** SHA-256 of the key in lower-case hex, see `hashToken`. */
  readonly hash: string;
  /** The first characters of the key, by which its owner knows it again. */
  readonly prefix: string;
  readonly permission: KeyPermission;
  readonly isDisabled: boolean;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
