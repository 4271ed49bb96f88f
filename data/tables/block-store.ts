import { listDomains } from '../blocks/parse-host.ts';
import { parseNetwork } from '../blocks/parse-network.ts';
import { DataError } from '../data-error.ts';
import type { Block } from '../records/block.ts';
import type { BlockStore } from '../store.ts';
import { blockOrder } from './block-table.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the blocks' part of a store. */
export function createBlockStore({ blocks }: Tables, commit: Commit, check: () => void): BlockStore {
  return {
    async find(kind, target) {
      check();
      return blocks.get(joinKey(kind, target));
    },
    async listMatching(kind, target) {
      check();
      if (kind === 'host') {
        // Those of hosts come first.
        if (blocks.all.group('')[0]?.kind !== 'host') return [];
        return listDomains(target).flatMap((domain) => blocks.get(joinKey('host', domain)) ?? []);
      }
      if (blocks.networks.isEmpty) return [];
      const network = parseNetwork(target);
      return network ? blocks.networks.find(network) : [];
    },
    async list({ after, limit }) {
      check();
      return blocks.all.after('', after && blockOrder(after), toLimit(limit));
    },
    put: (kind, target, change) =>
      commit((edits) => {
        const key = joinKey(kind, target);
        const old = blocks.get(key);
        const given = change(old);
        if (given === old && old) return old;
        const block = blocks.parse(given);
        if (blocks.keyOf(block) !== key || !isCanonical(block)) {
          throw new DataError('invalid', `Cannot keep a block of "${block.target}" as one of "${target}"`);
        }
        edits.set(blocks, key, block);
        return block;
      }),
    remove: (kind, target) =>
      commit((edits) => {
        const key = joinKey(kind, target);
        const block = blocks.get(key);
        edits.set(blocks, key, undefined);
        return block;
      }),
    prune: ({ nowIso, keep }) =>
      commit((edits) => {
        const ended = blocks.byEnd.before('', nowIso, Number.POSITIVE_INFINITY);
        for (const block of ended) edits.set(blocks, blocks.keyOf(block), undefined);
        const limited = blocks.byLimit.group('');
        for (const block of limited.slice(0, Math.max(0, limited.length - toLimit(keep)))) {
          edits.set(blocks, blocks.keyOf(block), undefined);
        }
      }),
  };
}

function isCanonical({ kind, target }: Block): boolean {
  return kind === 'host' || parseNetwork(target)?.text === target;
}
