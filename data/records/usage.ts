/** What somebody has used of a module on one day. */
export interface Usage {
  readonly module: string;
  /** `user:<uid>`, or `net:` and a network: `203.0.113.7`, `2001:db8:1:2::/64`; `*` = all that have no other counter. */
  readonly subject: string;
  /** Day in the configured time zone: `2026-05-04`. */
  readonly day: string;
  readonly count: number;
  /** When counts were paid with credits within the last minute; ms since 1970, ascending. */
  readonly recent: readonly number[];
  /** Of a network, those that it lies in, the narrowest first. */
  readonly within: readonly string[];
}
