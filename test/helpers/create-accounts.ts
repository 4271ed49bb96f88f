import type { Context } from 'koa';
import { createLogin, type PasswordGate } from '../../api/accounts/login.ts';
import type { User } from '../../data/records/user.ts';
import type { Store } from '../../data/store.ts';
import { createLocalAttempts } from '../../platform/accounts/login-backoff.ts';
import { createPasswords, type DeriveKey, type ScryptParameters } from '../../platform/accounts/passwords.ts';
import { type Accounts, createUser } from '../../platform/accounts/users.ts';
import { type Audit, createAudit } from '../../platform/audit/audit.ts';
import { createMemoryStore } from './create-memory-store.ts';

/** Accounts in memory with a clock that stands still, and passwords that cost little. */
export interface TestAccounts extends Accounts {
  readonly store: Store;
  /** The log of who changed what. */
  readonly audit: Audit;
  readonly clock: { ms: number };
  /** Creates a user whose password is `PASSWORD`. */
  addUser(account?: string): Promise<User>;
}

export const PASSWORD = 'correct horse battery';
/** For tests that check no costs. */
export const CHEAP: ScryptParameters = { ln: 4, r: 1, p: 1 };

/** Creates accounts; `derive` stands for scrypt. */
export function createAccounts(
  options: { readonly parameters?: ScryptParameters; readonly derive?: DeriveKey; readonly tokenDays?: number } = {},
): TestAccounts {
  const { tokenDays = 30, parameters = CHEAP, derive } = options;
  const clock = { ms: Date.parse('2026-03-01T00:00:00Z') };
  const store = createMemoryStore();
  const now = () => new Date(clock.ms);
  const onError = (error: unknown): never => {
    throw error;
  };
  const audit = createAudit({ store, now, onError });
  const accounts = {
    store,
    audit,
    now,
    passwords: createPasswords({ parameters, ...(derive && { derive }) }),
    tokenDays,
  };
  return { ...accounts, clock, addUser: (account = 'reader') => createUser(accounts, { account, password: PASSWORD }) };
}

/** Returns the login and the check of passwords of these accounts; callers are counted by the address that `addressOf` returns. */
export function createTestLogin(
  accounts: TestAccounts,
  addressOf: (ctx: Context) => string = (ctx) => ctx.ip,
): PasswordGate {
  const { audit } = accounts;
  const onError = (error: unknown): never => {
    throw error;
  };
  const attempts = createLocalAttempts(() => accounts.now().getTime());
  return createLogin(accounts, { sourceOf: addressOf, addressOf, audit, attempts, onError });
}
