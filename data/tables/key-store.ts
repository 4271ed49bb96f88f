import { DataError } from '../data-error.ts';
import type { ApiKey } from '../records/api-key.ts';
import type { KeyStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import type { Commit } from './edits.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the API keys' part of a store. */
export function createKeyStore({ keys }: Tables, commit: Commit, check: () => void): KeyStore {
  const checkHash = ({ id, hash }: ApiKey): void => {
    if (keys.byHash.group(hash).some((key) => key.id !== id)) throw new DataError('taken', 'This key exists already');
  };
  return {
    async find(id) {
      check();
      return keys.get(id);
    },
    async findByHash(hash) {
      check();
      return keys.byHash.group(hash)[0];
    },
    async listOf(uid) {
      check();
      return [...keys.byUser.group(uid)];
    },
    async add(key, { most }) {
      const record = keys.parse(key);
      return await commit((edits) => {
        if (keys.get(record.id)) throw new DataError('taken', `Key "${record.id}" exists already`);
        checkHash(record);
        if (keys.byUser.group(record.uid).length >= toLimit(most)) return false;
        edits.set(keys, record.id, record);
        return true;
      });
    },
    change: (id, change) =>
      commit((edits) => {
        const missing = `Key "${id.slice(0, 50)}" does not exist`;
        const uid = keys.get(id)?.uid;
        const checkKey = (key: ApiKey): void => {
          if (key.uid !== uid) throw new DataError('invalid', `Key "${id}" cannot change its owner`);
          checkHash(key);
        };
        return changeRecord(edits, keys, { key: id, change, missing, check: checkKey });
      }),
    remove: (id) =>
      commit((edits) => {
        const key = keys.get(id);
        edits.set(keys, id, undefined);
        return key;
      }),
  };
}
