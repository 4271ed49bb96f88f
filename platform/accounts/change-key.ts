import { DataError } from '../../data/data-error.ts';
import type { ApiKey } from '../../data/records/api-key.ts';
import type { Accounts } from './accounts.ts';

/** Names a key, and whose it has to be: other people's keys do not exist. */
export interface OwnedKey {
  readonly uid: string;
  readonly id: string;
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

async function getOwn(store: Accounts['store'], { uid, id }: OwnedKey): Promise<ApiKey> {
  const key = await store.keys.find(id);
  if (key?.uid !== uid) throw new DataError('not-found', `Key "${id.slice(0, 50)}" does not exist`);
  return key;
}
