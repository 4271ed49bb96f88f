import { createMemoryStore } from '../../data/memory/create-memory-store.ts';
import type { User } from '../../data/records/user.ts';
import { createPasswords, type Derive, type ScryptParameters } from '../../platform/accounts/passwords.ts';
import { type Accounts, createUser } from '../../platform/accounts/users.ts';

/** Accounts in memory with a clock that stands still, and passwords that cost little. */
export interface TestAccounts extends Accounts {
  readonly clock: { ms: number };
  /** Creates a user whose password is `PASSWORD`. */
  addUser(account?: string): Promise<User>;
}

export const PASSWORD = 'correct horse battery';
/** For tests that check no costs. */
export const CHEAP: ScryptParameters = { ln: 4, r: 1, p: 1 };

/** Creates accounts; `derive` stands for scrypt. */
export function createAccounts(
  options: { readonly parameters?: ScryptParameters; readonly derive?: Derive; readonly tokenDays?: number } = {},
): TestAccounts {
  const { tokenDays = 30, parameters = CHEAP, derive } = options;
  const clock = { ms: Date.parse('2026-03-01T00:00:00Z') };
  const accounts: Accounts = {
    store: createMemoryStore(),
    passwords: createPasswords({ parameters, ...(derive && { derive }) }),
    now: () => new Date(clock.ms),
    tokenDays,
  };
  return { ...accounts, clock, addUser: (account = 'reader') => createUser(accounts, { account, password: PASSWORD }) };
}
