import type { Context } from 'koa';
import type { User } from '../../data/records/user.ts';

/** Who calls the utility API. */
export interface Caller {
  /** The address that calls: an IPv4 address, or an IPv6 /64 network. */
  readonly source: string;
  /** The owner of the key or session; undefined = anonymous. */
  readonly user: User | undefined;
  /** What the key may do; a session may do all. */
  readonly permission: 'read' | 'write' | undefined;
}

/** The ways to pass a credential that an endpoint takes. */
export type CredentialWay = 'url-query' | 'post-form' | 'header' | 'session-header' | 'session-cookie';

/**
 * Finds out who calls. Throws ApiError 401 for a credential that is not valid, 403 for one that may not do this, and 429
 * for a source that is blocked.
 */
export type Identify = (ctx: Context, ways: readonly CredentialWay[]) => Promise<Caller>;
