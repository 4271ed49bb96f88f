import type { Store } from '../../data/store.ts';
import type { Passwords } from './create-passwords.ts';

/** What everything that is done to accounts works with. */
export interface Accounts {
  readonly store: Pick<Store, 'users' | 'sessions' | 'keys'>;
  readonly passwords: Passwords;
  readonly now: () => Date;
  /** How long a login lasts. */
  readonly tokenDays: number;
}
