/** A source that may not call, or a host that short URLs warn of. */
export interface Block {
  readonly kind: 'source' | 'host';
  /** A network in its canonical form (`203.0.113.7/32`, `2001:db8::/32`), or a host with all below it. */
  readonly target: string;
  /** Who put it there; `limit`: calls that went on after a limit. */
  readonly by: 'operator' | 'limit';
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC; '' = for ever. */
  readonly until: string;
}
