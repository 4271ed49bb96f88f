/** Somebody who is logged in. The token itself is known to them alone. */
export interface Session {
  /** SHA-256 of the token in lower-case hex, see `hashToken`. */
  readonly tokenHash: string;
  readonly uid: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** From then on the token counts for nothing. ISO 8601, UTC. */
  readonly expiresAt: string;
}
