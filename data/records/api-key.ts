import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** 16 hex digits; what the key is called by, no secret. */
  id: z.string().min(1),
  uid: z.string().min(1),
  /** SHA-256 of the key in lower-case hex. */
  hash: z.string().min(1),
  /** The first characters of the key, by which its owner recognises it. */
  prefix: z.string(),
  /** `read` may only be used to read (GET), `write` for everything. */
  permission: z.enum(['read', 'write']),
  isDisabled: z.boolean(),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** Given by its owner. */
  name: z.string().optional(),
  /** ISO 8601, UTC; up to an hour before the last use. Undefined: never used. */
  lastUsedAt: z.string().optional(),
});

/** A key that a user's programs authenticate with. The key itself is shown once, to its creator. */
export interface ApiKey extends RecordOf<typeof schema> {}

export type KeyPermission = ApiKey['permission'];

export const apiKeys = defineCollection({
  name: 'keys',
  singular: 'key',
  schema,
  keyOf: ({ id }) => id,
  indexes: {
    byHash: { groupOf: ({ hash }) => hash, orderOf: ({ id }) => id },
    /** Oldest first. */
    byUser: { groupOf: ({ uid }) => uid, orderOf: ({ createdAt, id }) => `${createdAt} ${id}` },
  },
});

/** Creates the API keys' part of a store. */
export function createKeyStore(database: Database) {
  const { byHash, byUser } = apiKeys.indexes;
  return {
    find: (id: string) => database.read(tx.get(apiKeys, id)),
    findByHash: (hash: string) => database.read(tx.first(byHash, hash)),
    /** Returns the keys of a user, oldest first. */
    listOf: (uid: string) => database.read(tx.list(byUser, uid)),
    /**
     * Adds a key; returns false, and changes nothing, where its owner has `most` keys already, however many are added at
     * once. Throws `taken` for an id or hash that another key has.
     */
    async add(key: ApiKey, { most }: { readonly most: number }) {
      const record = apiKeys.parse(key);
      return await database.transact(function* () {
        if (yield* tx.get(apiKeys, record.id)) throw new DataError('taken', phrase`Key "${record.id}" already exists`);
        yield* checkHash(record);
        const hasRoom = (yield* tx.count(byUser, record.uid)) < most;
        if (hasRoom) yield* tx.put(apiKeys, record);
        return hasRoom;
      });
    },
    /** Changes one key, but not its owner, and returns it as it is now. Throws `not-found`, `taken` (hash). */
    change: (id: string, change: (key: ApiKey) => ApiKey) =>
      database.transact(() =>
        tx.change(apiKeys, {
          key: id,
          change,
          missing: phrase`Key "${id.slice(0, 50)}" does not exist`,
          *check(key, old) {
            if (key.uid !== old.uid) throw new DataError('invalid', phrase`Key "${id}" cannot change its owner`);
            yield* checkHash(key);
          },
        }),
      ),
    /** Removes a key; returns it, or undefined where there was none. */
    remove: (id: string) => database.transact(() => tx.remove(apiKeys, id)),
  };
}

function* checkHash({ id, hash }: ApiKey): Step<void> {
  const owner = yield* tx.first(apiKeys.indexes.byHash, hash);
  if (owner && owner.id !== id) throw new DataError('taken', phrase`This key already exists`);
}
