import * as z from 'zod';
import { parseNetwork, widenNetwork } from '../../lib/ip-address.ts';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  kind: z.enum(['source', 'host']),
  /** A network in its canonical form (`203.0.113.7/32`, `2001:db8::/32`), or a host with all its subdomains. */
  target: z.string().min(1),
  /** Who put it there; `limit`: calls that went on after a limit. */
  by: z.enum(['operator', 'limit']),
  /** Who it is, of an operator. */
  operator: z.string().optional(),
  reason: z.string(),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  /** ISO 8601, UTC; '' = for ever. */
  until: z.union([z.literal(''), z.iso.datetime()]),
});

/** A source that may not call, or a host that short URLs warn of. */
export interface Block extends RecordOf<typeof schema> {}

const orderOf = ({ kind, target }: Pick<Block, 'kind' | 'target'>): string => `${kind} ${target}`;
const endOf = (block: Block): string => `${block.until} ${orderOf(block)}`;

export const blocks = defineCollection({
  name: 'blocks',
  singular: 'block',
  schema,
  keyOf: ({ kind, target }) => joinKey(kind, target),
  indexes: {
    /** Hosts first. */
    inOrder: { groupOf: () => '', orderOf },
    /** Those of sources; groups are named by version and width of their networks: `4/32`. */
    byWidth: {
      groupOf({ kind, target }) {
        const network = kind === 'source' ? parseNetwork(target) : undefined;
        return network && `${network.version}/${network.bits}`;
      },
      orderOf,
    },
    /** Those that end. */
    byEnd: { groupOf: ({ until }) => (until === '' ? undefined : ''), orderOf: endOf },
    /** Those by `limit`. */
    byLimit: { groupOf: ({ by }) => (by === 'limit' ? '' : undefined), orderOf: endOf },
  },
});

/** Creates the blocks' part of a store. */
export function createBlockStore(database: Database) {
  const { inOrder, byEnd, byLimit } = blocks.indexes;
  return {
    find: (kind: Block['kind'], target: string) => database.read(tx.get(blocks, joinKey(kind, target))),
    /** Returns the blocks of sources whose network holds this one; of hosts, of the host itself and of domains above it. */
    listMatching: (kind: Block['kind'], target: string) =>
      database.read(kind === 'host' ? listAbove(target) : listAround(target)),
    /** Returns blocks in the order of their targets, hosts first, those after `after`. */
    list: ({ after, limit }: { readonly after?: Pick<Block, 'kind' | 'target'>; readonly limit: number }) =>
      database.read(tx.list(inOrder, '', { after: after && orderOf(after), limit })),
    /** Adds a block, or changes the one of this target, and returns it as it is now. Throws `invalid` for other targets. */
    put: (kind: Block['kind'], target: string, change: (old: Block | undefined) => Block) =>
      database.transact(function* () {
        const key = joinKey(kind, target);
        const old = yield* tx.get(blocks, key);
        const given = change(old);
        if (given === old && old) return old;
        const block = blocks.parse(given);
        if (blocks.keyOf(block) !== key || !isCanonical(block)) {
          throw new DataError('invalid', phrase`Cannot keep a block of "${block.target}" as one of "${target}"`);
        }
        return yield* tx.put(blocks, block);
      }),
    /** Removes a block; returns it, or undefined where there was none. */
    remove: (kind: Block['kind'], target: string) => database.transact(() => tx.remove(blocks, joinKey(kind, target))),
    /**
     * Removes, of the blocks that ended before a moment (ISO 8601, UTC), all but the last `keepEnded`, and of those by `limit` all
     * but the newest `keep` and those that end after `latestIso`, where it is given.
     */
    prune: ({
      nowIso,
      keep,
      keepEnded = 0,
      latestIso,
    }: {
      readonly nowIso: string;
      readonly keep: number;
      readonly keepEnded?: number;
      readonly latestIso?: string;
    }) =>
      database.transact(function* () {
        const ended = yield* tx.list(byEnd, '', { before: nowIso });
        yield* tx.removeAll(blocks, ended.slice(0, Math.max(0, ended.length - keepEnded)));
        if (latestIso !== undefined) {
          yield* tx.removeAll(blocks, yield* tx.list(byLimit, '', { after: `${latestIso} ~` }));
        }
        const surplus = (yield* tx.count(byLimit, '')) - (keep > 0 ? Math.floor(keep) : 0);
        yield* tx.removeAll(blocks, yield* tx.list(byLimit, '', { limit: surplus }));
      }),
  };
}

export type BlockStore = ReturnType<typeof createBlockStore>;

/** Returns the blocks of a host and of the domains above it. */
function* listAbove(host: string): Step<readonly Block[]> {
  const first = yield* tx.first(blocks.indexes.inOrder, '');
  if (first?.kind !== 'host') return [];
  const found: Block[] = [];
  const labels = host.split('.');
  for (const i of labels.keys()) {
    const block = yield* tx.get(blocks, joinKey('host', labels.slice(i).join('.')));
    if (block) found.push(block);
  }
  return found;
}

/** Returns the blocks whose network holds this one. */
function* listAround(source: string): Step<readonly Block[]> {
  const widths = yield* tx.groups(blocks.indexes.byWidth);
  const network = widths.length === 0 ? undefined : parseNetwork(source);
  if (!network) return [];
  const found: Block[] = [];
  for (const width of widths) {
    const [version, bits] = width.split('/').map(Number) as [number, number];
    if (version !== network.version || bits > network.bits) continue;
    const block = yield* tx.get(blocks, joinKey('source', widenNetwork(network, bits).text));
    if (block) found.push(block);
  }
  return found;
}

function isCanonical({ kind, target }: Block): boolean {
  return kind === 'host' || parseNetwork(target)?.text === target;
}
