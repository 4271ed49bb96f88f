import type { Identify } from '../http/callers.ts';
import type { Platform } from '../platform.ts';

/** What short URLs work with. */
export interface ShortUrlContext extends Pick<Platform, 'settings' | 'store' | 'baseUrl' | 'docsApiUrl' | 'now'> {
  readonly identify: Identify;
  /** Checks whether the operator has checked who a user is. */
  readonly isVerified: (uid: string) => Promise<boolean>;
  /** Checks whether the operator warns of a host (as `findHost` gives it). */
  readonly isHostBlocked: (host: string) => boolean | Promise<boolean>;
}
