import type { Context } from 'koa';
import { DataError } from '../../data/data-error.ts';
import type { User } from '../../data/records/user.ts';
import type { Accounts } from '../../platform/accounts/accounts.ts';
import { createUser } from '../../platform/accounts/create-user.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ApiError } from '../http/errors.ts';
import { askGently } from './ask-gently.ts';
import { slowDown } from './create-login.ts';
import { createSlowdown } from './create-slowdown.ts';

/** Lets anybody create an account of their own, where the operator lets them; all ways in share it. */
export interface Registration {
  /** Throws ApiError 403 where it is off. */
  check(): void;
  /** Throws the same, ApiError 429 for a source that asks too often, and DataError as `createUser`. */
  register(ctx: Context, input: { readonly account: string; readonly password: string }): Promise<User>;
}

const HOUR_MS = 3_600_000;
const BY_SOURCE = { free: 5, firstMs: 60_000, mostMs: HOUR_MS, forgetMs: 2 * HOUR_MS };

/** Creates it; attempts are counted by source. */
export function createRegistration(
  settings: Settings,
  accounts: Accounts,
  sourceOf: (ctx: Context) => string,
): Registration {
  const bySource = createSlowdown(BY_SOURCE, () => accounts.now().getTime());
  const check = (): void => {
    if (settings.current().auth.registration) return;
    throw new ApiError(403, 'registration-off', 'Registration is off; ask the operator for an account');
  };
  return {
    check,
    async register(ctx, input) {
      check();
      const source = sourceOf(ctx);
      const waitMs = bySource.waitMs(source);
      if (waitMs > 0) throw slowDown(waitMs);
      bySource.count(source);
      try {
        return await askGently(
          () => createUser(accounts, input),
          () => bySource.forgive(source),
        );
      } catch (error) {
        // Whoever has to choose better did no harm; whoever asks for many accounts that exist may be collecting them.
        if (error instanceof DataError && error.code === 'invalid') bySource.forgive(source);
        throw error;
      }
    },
  };
}
