/** A limit that the configuration sets, below `limits`. */
export interface LimitNumbers {
  readonly least: number;
  readonly usual: number;
  readonly most: number;
}

/** Limits against guessing and floods: what the configuration accepts, and what holds where it says nothing. */
export const LIMIT_NUMBERS = {
  /** Wrong passwords for an account, then for an address and a network, before each further attempt has to wait. */
  logins_per_account: { least: 3, usual: 10, most: 1_000 },
  logins_per_address: { least: 3, usual: 20, most: 10_000 },
  logins_per_network: { least: 3, usual: 60, most: 100_000 },
  /** Accounts that an address creates, before it has to wait. */
  registrations_per_address: { least: 1, usual: 5, most: 10_000 },
  /** Changes that a user makes of own keys and short URLs. */
  changes_per_minute: { least: 1, usual: 60, most: 10_000 },
  /** Requests of an address to the MCP servers of all sites. */
  mcp_per_minute: { least: 1, usual: 300, most: 1_000_000 },
  /** Refused calls in a minute that block an address, and for how many minutes. */
  refused_per_minute: { least: 10, usual: 100, most: 100_000 },
  block_minutes: { least: 1, usual: 10, most: 10_080 },
} as const satisfies Readonly<Record<string, LimitNumbers>>;

/** The values that hold. */
export type LimitSettings = Readonly<Record<keyof typeof LIMIT_NUMBERS, number>>;

/** Defaults. */
export const DEFAULT_LIMIT_SETTINGS = Object.fromEntries(
  Object.entries(LIMIT_NUMBERS).map(([name, { usual }]) => [name, usual]),
) as LimitSettings;

/** Logs that one user follows at once, or one address whose readers are not logged in. */
export const LOG_READERS_EACH = 20;
/** Wrong signatures and secrets, of build requests and webhooks, that are answered as such, a minute: from a source, and for a project. */
export const WRONG_SIGNATURES = { perSource: 20, perProject: 100 } as const;
