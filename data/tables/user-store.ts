import { DataError } from '../data-error.ts';
import type { User } from '../records/user.ts';
import type { UserStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import type { Commit } from './edits.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the users' part of a store. */
export function createUserStore({ users }: Tables, commit: Commit, check: () => void): UserStore {
  const checkAccount = ({ uid, account }: User): void => {
    const [owner] = users.byAccount.group(account);
    if (owner && owner.uid !== uid) throw new DataError('taken', `Account "${account}" exists already`);
  };
  return {
    async find(uid) {
      check();
      return users.get(uid);
    },
    async findByAccount(account) {
      check();
      return users.byAccount.group(account)[0];
    },
    async list({ after, limit }) {
      check();
      return users.inOrder.after('', after, toLimit(limit));
    },
    async add(user) {
      const record = users.parse(user);
      await commit((edits) => {
        if (users.get(record.uid)) throw new DataError('taken', `User "${record.uid}" exists already`);
        checkAccount(record);
        edits.set(users, record.uid, record);
      });
    },
    change: (uid, change) =>
      commit((edits) => {
        const missing = `User "${uid.slice(0, 50)}" does not exist`;
        return changeRecord(edits, users, { key: uid, change, missing, check: checkAccount });
      }),
  };
}
