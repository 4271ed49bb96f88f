import { MINUTE_MS } from '../quotas/quota-rules.ts';
import { chooseQuota, type QuotaQuestion, type QuotaStanding } from '../quotas/quota-standing.ts';
import type { Usage } from '../records/usage.ts';
import type { QuotaStore } from '../store.ts';
import { bookGrant, bookUse } from './book-entry.ts';
import type { Commit } from './edits.ts';
import { findCounter } from './find-counter.ts';
import { findStanding } from './find-standing.ts';
import { joinKey } from './join-key.ts';
import { ledgerKey } from './ledger-table.ts';
import { mergeUses } from './merge-uses.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the quotas' part of a store. */
export function createQuotaStore({ usage, ledger }: Tables, commit: Commit, check: () => void): QuotaStore {
  const findOwnCounter = ({ module, subject, day }: QuotaQuestion): Usage => {
    if ('networks' in subject) return findCounter(usage, { module, networks: subject.networks, day });
    const name = `user:${subject.uid}`;
    const found = usage.get(joinKey(module, name));
    // The minute goes on over midnight.
    return found?.day === day
      ? found
      : { module, subject: name, day, count: 0, recent: found?.recent ?? [], within: [] };
  };
  const find = (question: QuotaQuestion): { readonly counter: Usage; readonly standing: QuotaStanding } => {
    const counter = findOwnCounter(question);
    return { counter, standing: findStanding(ledger, counter, question) };
  };
  return {
    async look(question) {
      check();
      return find(question).standing;
    },
    take: (question) =>
      commit((edits) => {
        const { counter, standing } = find(question);
        const choice = chooseQuota(standing, question.rules);
        if (choice === undefined) return { receipt: undefined, standing };
        const { module, subject, day } = counter;
        const grant = choice === 'credits' ? standing.credits[0]!.grant : undefined;
        // The ledger first: with it stands or falls what was paid.
        if (grant) bookUse(edits, ledger, { grant, taken: 1, returned: 0, nowMs: question.nowMs });
        const now = usage.parse({
          ...counter,
          count: counter.count + (grant ? 0 : 1),
          recent: grant ? [...standing.recent, question.nowMs] : standing.recent,
        });
        edits.set(usage, usage.keyOf(now), now);
        return { receipt: { module, subject, day, grant: grant?.seq }, standing: find(question).standing };
      }),
    giveBack: (receipt, nowMs) =>
      commit((edits) => {
        if (receipt.grant !== undefined) {
          const grant = ledger.get(ledgerKey(receipt.grant));
          if (grant?.kind === 'credits') bookUse(edits, ledger, { grant, taken: 0, returned: 1, nowMs });
          return;
        }
        const key = joinKey(receipt.module, receipt.subject);
        const counter = usage.get(key);
        if (counter?.day !== receipt.day || counter.count === 0) return;
        edits.set(usage, key, usage.parse({ ...counter, count: counter.count - 1 }));
      }),
    addGrant: (grant) => commit((edits) => bookGrant(edits, ledger, grant)),
    async listEntries({ uid }) {
      check();
      return [...(uid === undefined ? ledger.all.group('') : ledger.byUser.group(uid))];
    },
    pruneUsage: ({ day, nowMs, limit }) =>
      commit((edits) => {
        const isOld = ({ recent }: Usage): boolean => (recent.at(-1) ?? 0) <= nowMs - MINUTE_MS;
        const days = [...usage.byDay.names()].filter((name) => name !== day);
        const old: Usage[] = [];
        // From the end of a group records go without the others being moved.
        for (const name of days) old.push(...usage.byDay.group(name).filter(isOld).reverse());
        old.length = Math.min(old.length, toLimit(limit));
        for (const one of old) edits.set(usage, usage.keyOf(one), undefined);
        return old.length;
      }),
    mergeUses: ({ beforeMs, limit }) =>
      commit((edits) => mergeUses(edits, ledger, { beforeMs, limit: toLimit(limit) })),
  };
}
