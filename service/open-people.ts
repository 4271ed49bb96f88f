import { holdSessions } from '../platform/accounts/held-sessions.ts';
import { createLocalAttempts } from '../platform/accounts/login-backoff.ts';
import { createPasswords, type Passwords } from '../platform/accounts/passwords.ts';
import type { Accounts } from '../platform/accounts/users.ts';
import { createAudit } from '../platform/audit/audit.ts';
import { createBlocks } from '../platform/blocks/blocks.ts';
import { readPrices } from '../platform/config/billing-schema.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { createLimits } from '../platform/limits/limits.ts';
import type { People } from '../platform/platform.ts';
import { createQuotas } from '../platform/quotas/quotas.ts';
import type { OpenStore } from './open-store.ts';

/** Opens accounts, quotas, limits and blocks; `rateLimits` is stopped by whoever opened them. */
export async function openPeople(context: {
  readonly settings: ReplaceableSettings;
  /** Of the configuration; undefined = there is none. */
  readonly file: string | undefined;
  readonly store: OpenStore;
  /** Default: at the full cost. */
  readonly passwords?: Passwords | undefined;
  readonly now: () => Date;
  /** Called when an address is blocked because it kept calling. */
  readonly onBlocked: () => void;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
}): Promise<People> {
  const { settings, file, store, passwords = createPasswords(), now, onBlocked, onWarning, onError } = context;
  const rateLimits = createLimits({
    settings,
    // Nodes have a configuration each.
    file: store.nodes ? undefined : file,
    store: store.limits,
    hasOtherNodes: store.nodes !== undefined,
    now,
    onWarning,
    onError,
  });
  await rateLimits.follow();
  const accounts: Accounts = {
    store: { users: store.users, keys: store.keys, sessions: holdSessions(store, onError) },
    passwords,
    now,
    get tokenDays() {
      return settings.current().auth.token_days;
    },
  };
  const quotas = createQuotas({
    store: store.quotas,
    timezone: settings.current().timezone,
    now,
    prices: () => readPrices(settings.current().billing),
  });
  const blocks = createBlocks({
    store: store.blocks,
    now,
    limits: () => settings.current().limits,
    neverBlocked: () => settings.current().api.never_blocked,
    onBlocked,
  });
  return {
    accounts,
    attempts: store.nodes?.attempts ?? createLocalAttempts(() => now().getTime()),
    audit: createAudit({ store, now, onError }),
    quotas,
    blocks,
    rateLimits,
  };
}
