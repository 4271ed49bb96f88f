import { randomBytes } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { ApiKey, KeyPermission } from '../../data/records/api-key.ts';
import type { Accounts } from './accounts.ts';
import { createToken } from './tokens.ts';

/** Keys that a user may have. */
export const MAX_KEYS = 5;

/** A new key, and what is known of it. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** The key itself: shown now, never again. */
  readonly raw: string;
}

/** Creates an API key. Throws DataError `not-found` for an unknown user, `invalid` where they have 5 keys already. */
export async function createKey(
  { store, now }: Pick<Accounts, 'store' | 'now'>,
  input: { readonly uid: string; readonly permission: KeyPermission; readonly isDisabled?: boolean },
): Promise<CreatedKey> {
  const { uid, permission, isDisabled = false } = input;
  if (permission !== 'read' && permission !== 'write') {
    throw new DataError('invalid', 'The permission of a key must be "read" or "write"');
  }
  if (!(await store.users.find(uid))) throw new DataError('not-found', `User "${uid.slice(0, 50)}" does not exist`);
  const { raw, hash, prefix } = createToken('dbk_');
  const id = randomBytes(8).toString('hex');
  const key = { id, uid, hash, prefix, permission, isDisabled, createdAt: now().toISOString() };
  if (!(await store.keys.add(key, { most: MAX_KEYS }))) {
    throw new DataError('invalid', `A user may have ${MAX_KEYS} keys; delete one first`);
  }
  return { key, raw };
}
