import { DataError } from '../../data/data-error.ts';
import type { Session, SessionStore } from '../../data/records/session.ts';
import type { Store } from '../../data/store.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Sessions that are held at once; the one not used for longest ends. */
const MAX_HELD = 1_000;

/** Returns whether work failed because nothing can be written: the disk is full or read-only. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof DataError && error.code === 'unwritable';
}

/**
 * Returns the sessions of a store, of which new ones are held in memory while nothing can be written: who has to make room on a full
 * disk can log in. They end with the process and with a new password. `onHeld` receives the failure, once for each.
 */
export function holdSessions(
  { sessions, users }: Pick<Store, 'sessions' | 'users'>,
  onHeld: (error: unknown) => void,
): SessionStore {
  const held = createBoundedMap<string, { readonly session: Session; readonly passwordHash: string | undefined }>({
    maxEntries: MAX_HELD,
  });
  const findHash = async (uid: string): Promise<string | undefined> => (await users.find(uid))?.passwordHash;
  const listHeld = (uid: string): readonly Session[] =>
    [...held.entries()].flatMap(([, { session }]) => (session.uid === uid ? [session] : []));
  return {
    async find(tokenHash) {
      const known = held.get(tokenHash);
      if (!known) return sessions.find(tokenHash);
      return (await findHash(known.session.uid)) === known.passwordHash ? known.session : undefined;
    },
    listOf: async (uid) => [...(await sessions.listOf(uid)), ...listHeld(uid)],
    async add(session, limit) {
      try {
        await sessions.add(session, limit);
      } catch (error) {
        if (!isUnwritable(error)) throw error;
        held.set(session.tokenHash, { session, passwordHash: await findHash(session.uid) });
        onHeld(error);
      }
    },
    remove: async (tokenHash) => held.delete(tokenHash) || sessions.remove(tokenHash),
    async removeAllOf(uid) {
      const own = listHeld(uid);
      for (const { tokenHash } of own) held.delete(tokenHash);
      return own.length + (await sessions.removeAllOf(uid));
    },
    async prune(now, keep) {
      for (const [, { session }] of [...held.entries()]) if (session.expiresAt <= now) held.delete(session.tokenHash);
      return sessions.prune(now, keep);
    },
  };
}
