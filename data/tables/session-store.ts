import { DataError } from '../data-error.ts';
import type { Session } from '../records/session.ts';
import type { SessionStore } from '../store.ts';
import type { Commit, Edits } from './edits.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the sessions' part of a store. */
export function createSessionStore({ sessions }: Tables, commit: Commit, check: () => void): SessionStore {
  const removeAll = (edits: Edits, records: readonly Session[]): number => {
    for (const { tokenHash } of records) edits.set(sessions, tokenHash, undefined);
    return records.length;
  };
  return {
    async find(tokenHash) {
      check();
      return sessions.get(tokenHash);
    },
    async listOf(uid) {
      check();
      return [...sessions.byUser.group(uid)];
    },
    async add(session, { most }) {
      const record = sessions.parse(session);
      await commit((edits) => {
        if (sessions.get(record.tokenHash)) throw new DataError('taken', 'This session exists already');
        edits.set(sessions, record.tokenHash, record);
        const own = sessions.byUser.group(record.uid);
        // The newest stays, also when the clock was set back.
        const older = own.filter(({ tokenHash }) => tokenHash !== record.tokenHash);
        removeAll(edits, older.slice(0, Math.max(0, own.length - Math.max(1, toLimit(most)))));
      });
    },
    remove: (tokenHash) =>
      commit((edits) => {
        const isKnown = sessions.get(tokenHash) !== undefined;
        edits.set(sessions, tokenHash, undefined);
        return isKnown;
      }),
    removeAllOf: (uid) => commit((edits) => removeAll(edits, [...sessions.byUser.group(uid)])),
    prune: (now) =>
      commit((edits) => {
        const inOrder = sessions.byExpiry.group('');
        const end = inOrder.findIndex(({ expiresAt }) => expiresAt > now);
        return removeAll(edits, inOrder.slice(0, end === -1 ? inOrder.length : end));
      }),
  };
}
