import { randomBytes } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { ApiKey, KeyPermission } from '../../data/records/api-key.ts';
import type { User } from '../../data/records/user.ts';
import { phrase } from '../../lib/phrase.ts';
import { findEnabledUser } from './sessions.ts';
import { createToken, hashToken, MAX_TOKEN_LENGTH } from './tokens.ts';
import type { Accounts } from './users.ts';

/** Keys that a user may have. */
export const MAX_KEYS = 5;

/** A new key, and its record. */
export interface CreatedKey {
  readonly key: ApiKey;
  /** The key itself: shown now, never again. */
  readonly raw: string;
}

/** A key as its owner sees it. */
export type PresentedKey = Omit<ApiKey, 'hash'>;

/** Names a key and its owner: keys of others do not exist. */
export interface OwnedKey {
  readonly uid: string;
  readonly id: string;
}

const MAX_NAME_LENGTH = 64;
/** Uses are recorded this seldom: each one writes the collection. */
const USE_MS = 3_600_000;

export interface NewKey {
  readonly uid: string;
  readonly permission: KeyPermission;
  readonly name?: string | undefined;
  readonly isDisabled?: boolean;
}

/** Creates an API key. Throws DataError `not-found` for an unknown user, `refused` where they have 5 keys already. */
export async function createKey({ store, now }: Pick<Accounts, 'store' | 'now'>, input: NewKey): Promise<CreatedKey> {
  const { uid, permission, isDisabled = false } = input;
  const name = input.name?.trim() || undefined;
  if (name !== undefined && ([...name].length > MAX_NAME_LENGTH || /[\p{C}\p{Zl}\p{Zp}]/u.test(name))) {
    throw new DataError('invalid', phrase`The name of a key must be one line of at most ${MAX_NAME_LENGTH} characters`);
  }
  if (permission !== 'read' && permission !== 'write') {
    throw new DataError('invalid', phrase`The permission of a key must be "read" or "write"`);
  }
  if (!(await store.users.find(uid)))
    throw new DataError('not-found', phrase`User "${uid.slice(0, 50)}" does not exist`);
  const { raw, hash, prefix } = createToken('dbk_');
  const id = randomBytes(8).toString('hex');
  const createdAt = now().toISOString();
  const key = { id, uid, hash, prefix, permission, isDisabled, createdAt, name, lastUsedAt: undefined };
  if (!(await store.keys.add(key, { most: MAX_KEYS }))) {
    throw new DataError('refused', phrase`A user can have ${MAX_KEYS} keys; delete one first`);
  }
  return { key, raw };
}

/** Returns an API key that is used, and its owner; undefined when it is unknown or disabled, or its owner is disabled. */
export async function findByKey(
  { store, now }: Pick<Accounts, 'store' | 'now'>,
  raw: string,
): Promise<{ readonly user: User; readonly key: ApiKey } | undefined> {
  if (raw === '' || raw.length > MAX_TOKEN_LENGTH) return undefined;
  const key = await store.keys.findByHash(hashToken(raw));
  if (!key || key.isDisabled) return undefined;
  const user = await findEnabledUser(store, key.uid);
  if (!user) return undefined;
  const time = now();
  if (key.lastUsedAt === undefined || time.getTime() - Date.parse(key.lastUsedAt) >= USE_MS) {
    const lastUsedAt = time.toISOString();
    // A disk that is full makes no key invalid.
    await store.keys.change(key.id, (now) => ({ ...now, lastUsedAt })).catch(() => undefined);
  }
  return { user, key };
}

/** Disables all keys of a user. */
export async function disableKeysOf({ store }: Pick<Accounts, 'store'>, uid: string): Promise<void> {
  for (const { id } of await store.keys.listOf(uid)) await disableKey({ store }, { uid, id });
}

/** Disables a key of a user, or enables it again. Throws DataError `not-found`. */
export async function disableKey(
  { store }: Pick<Accounts, 'store'>,
  own: OwnedKey,
  isDisabled = true,
): Promise<ApiKey> {
  await getOwn(store, own);
  return store.keys.change(own.id, (key) => (key.isDisabled === isDisabled ? key : { ...key, isDisabled }));
}

/** Deletes a key of a user. Throws DataError `not-found`. */
export async function deleteKey({ store }: Pick<Accounts, 'store'>, own: OwnedKey): Promise<ApiKey> {
  const key = await getOwn(store, own);
  await store.keys.remove(own.id);
  return key;
}

/** Returns a key without its hash. */
export function presentKey({ hash: _, ...key }: ApiKey): PresentedKey {
  return key;
}

async function getOwn(store: Accounts['store'], { uid, id }: OwnedKey): Promise<ApiKey> {
  const key = await store.keys.find(id);
  if (key?.uid !== uid) throw new DataError('not-found', phrase`Key "${id.slice(0, 50)}" does not exist`);
  return key;
}
