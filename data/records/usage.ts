import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { type Step, tx } from '../transaction.ts';

const schema = z.object({
  module: z.string().min(1),
  /** `user:<uid>`, or `net:` and a network: `203.0.113.7`, `2001:db8:1:2::/64`; `*` = all that have no other counter. */
  subject: z.string().min(1),
  /** Day in the configured time zone: `2026-05-04`. */
  day: z.string().min(1),
  count: z.number(),
  /** When counts were paid with credits within the last minute; ms since 1970, ascending. */
  recent: z.array(z.number()),
  /** Of a network, those that it is part of, the narrowest first. */
  within: z.array(z.string()),
});

/** A caller's use of a module on one day. */
export interface Usage extends RecordOf<typeof schema> {}

const keyOf = ({ module, subject }: Usage): string => joinKey(module, subject);
/** Groups are named by day and by the network at this place in `within`. */
const inside = (level: number) => ({
  groupOf: ({ day, within }: Usage) => (within[level] === undefined ? undefined : joinKey(day, within[level])),
  orderOf: keyOf,
});

export const usage = defineCollection({
  name: 'usage',
  singular: 'usage',
  schema,
  keyOf,
  indexes: {
    byDay: { groupOf: ({ day }) => day, orderOf: keyOf },
    /** Counters of networks by day. */
    networks: { groupOf: ({ subject, day }) => (subject.startsWith('net:') ? day : undefined), orderOf: keyOf },
    insideNext: inside(0),
    insideWidest: inside(1),
  },
});

/** Most counters of networks for one day, so that the file stays bounded whatever the callers. */
const MAX_COUNTERS = 50_000;
/** Further ones that stand for wide networks once there are so many. */
const MAX_SHARED = 10_000;
/** Counters inside one network, by the length of its prefix; beyond them its sources share one. */
const MAX_INSIDE: ReadonlyMap<string, number> = new Map([
  ['48', 64],
  ['32', 4096],
]);
/** The counter that is left when all others are taken. */
const LAST = networkSubject('*');

/** Returns the counter of a user for the day, a new one where there is none. */
export function* findUserCounter(query: {
  readonly module: string;
  readonly uid: string;
  readonly day: string;
}): Step<Usage> {
  const { module, uid, day } = query;
  const subject = `user:${uid}`;
  const found = yield* tx.get(usage, joinKey(module, subject));
  if (found?.day === day) return found;
  // The minute continues across midnight.
  return { module, subject, day, count: 0, recent: found?.recent ?? [], within: [] };
}

/**
 * Returns the counter of a network for the day, a new one where there is none. One that owns a large part of the address
 * space gets few counters: then its parts share the counter of the network around them. `networks` are the one
 * that calls and those it is part of, the narrowest first.
 */
export function* findNetworkCounter(query: {
  readonly module: string;
  readonly networks: readonly string[];
  readonly day: string;
}): Step<Usage> {
  const { module, networks, day } = query;
  let known: number | undefined;
  for (const [level, network] of networks.entries()) {
    const subject = networkSubject(network);
    const found = yield* tx.get(usage, joinKey(module, subject));
    if (found?.day === day) return found;
    // Counting takes a database as long as there are networks: only new ones ask for it.
    known ??= yield* tx.count(usage.indexes.networks, day);
    const within = networks.slice(level + 1);
    const most = level === 0 ? MAX_COUNTERS : MAX_COUNTERS + MAX_SHARED;
    if (known < most && (yield* haveRoom(within, day))) return { module, subject, day, count: 0, recent: [], within };
  }
  const last = yield* tx.get(usage, joinKey(module, LAST));
  return last?.day === day ? last : { module, subject: LAST, day, count: 0, recent: [], within: [] };
}

function* haveRoom(networks: readonly string[], day: string): Step<boolean> {
  const { insideNext, insideWidest } = usage.indexes;
  for (const network of networks) {
    const most = MAX_INSIDE.get(network.split('/')[1] ?? '');
    if (most === undefined) continue;
    const group = joinKey(day, network);
    if ((yield* tx.count(insideNext, group)) + (yield* tx.count(insideWidest, group)) >= most) return false;
  }
  return true;
}

/** Returns the name that a network's counter has; no user's has it. */
function networkSubject(network: string): string {
  return `net:${network}`;
}
