import type { ApiKey } from '../../data/records/api-key.ts';
import type { User } from '../../data/records/user.ts';
import type { Accounts } from './accounts.ts';
import { hashToken, MAX_TOKEN_LENGTH } from './tokens.ts';

/** Gives who is logged in with a session's token; undefined when it is unknown or expired, or its user is disabled. */
export async function findBySession(
  { store, now }: Pick<Accounts, 'store' | 'now'>,
  token: string,
): Promise<User | undefined> {
  if (token === '' || token.length > MAX_TOKEN_LENGTH) return undefined;
  const session = await store.sessions.find(hashToken(token));
  if (!session || session.expiresAt <= now().toISOString()) return undefined;
  return findEnabled(store, session.uid);
}

/** Gives an API key and its owner; undefined when it is unknown or disabled, or its owner is disabled. */
export async function findByKey(
  { store }: Pick<Accounts, 'store'>,
  raw: string,
): Promise<{ readonly user: User; readonly key: ApiKey } | undefined> {
  if (raw === '' || raw.length > MAX_TOKEN_LENGTH) return undefined;
  const key = await store.keys.findByHash(hashToken(raw));
  if (!key || key.isDisabled) return undefined;
  const user = await findEnabled(store, key.uid);
  return user && { user, key };
}

async function findEnabled(store: Accounts['store'], uid: string): Promise<User | undefined> {
  const user = await store.users.find(uid);
  return user?.isDisabled === false ? user : undefined;
}
