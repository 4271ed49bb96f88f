import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, tx } from '../transaction.ts';

const schema = z.object({
  /** SHA-256 of the token in lower-case hex; only its user knows the token itself. */
  tokenHash: z.string().min(1),
  uid: z.string().min(1),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** From then on the token is invalid. ISO 8601, UTC. */
  expiresAt: z.string(),
});

/** A login that lasts. */
export interface Session extends RecordOf<typeof schema> {}

export const sessions = defineCollection({
  name: 'sessions',
  isExpendable: true,
  singular: 'session',
  schema,
  keyOf: ({ tokenHash }) => tokenHash,
  indexes: {
    /** Oldest first. */
    byUser: { groupOf: ({ uid }) => uid, orderOf: ({ createdAt, tokenHash }) => `${createdAt} ${tokenHash}` },
    byExpiry: { groupOf: () => '', orderOf: ({ expiresAt, tokenHash }) => `${expiresAt} ${tokenHash}` },
  },
});

/** Creates the sessions' part of a store. */
export function createSessionStore(database: Database) {
  const { byUser, byExpiry } = sessions.indexes;
  return {
    /** Returns a session, also one that has expired and was not pruned yet. */
    find: (tokenHash: string) => database.read(tx.get(sessions, tokenHash)),
    /** Returns the sessions of a user, oldest first. */
    listOf: (uid: string) => database.read(tx.list(byUser, uid)),
    /** Adds a session; where the user then has more than `most` (at least 1), the oldest others go. Throws `taken`. */
    async add(session: Session, { most }: { readonly most: number }) {
      const record = sessions.parse(session);
      await database.transact(function* () {
        if (yield* tx.get(sessions, record.tokenHash)) throw new DataError('taken', 'This session already exists');
        yield* tx.put(sessions, record);
        const own = yield* tx.list(byUser, record.uid);
        // The newest stays, also when the clock was set back.
        const older = own.filter(({ tokenHash }) => tokenHash !== record.tokenHash);
        const surplus = own.length - (most >= 1 ? Math.floor(most) : 1);
        yield* tx.removeAll(sessions, older.slice(0, Math.max(0, surplus)));
      });
    },
    /** Removes a session; returns false where there was none. */
    remove: (tokenHash: string) =>
      database.transact(function* () {
        return (yield* tx.remove(sessions, tokenHash)) !== undefined;
      }),
    /** Removes all sessions of a user and returns their number. */
    removeAllOf: (uid: string) =>
      database.transact(function* () {
        return yield* tx.removeAll(sessions, yield* tx.list(byUser, uid));
      }),
    /**
     * Removes the sessions that have expired at this moment (ISO 8601, UTC), but the `keep` that did last, and returns their
     * number.
     */
    prune: (now: string, keep: number = 0) =>
      database.transact(function* () {
        // Behind the time itself come all that expire at it.
        const expired = yield* tx.list(byExpiry, '', { before: `${now} ~` });
        return yield* tx.removeAll(sessions, expired.slice(0, Math.max(0, expired.length - keep)));
      }),
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;
