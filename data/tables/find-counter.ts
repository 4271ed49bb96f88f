import type { Usage } from '../records/usage.ts';
import { joinKey } from './join-key.ts';
import type { UsageTable } from './usage-table.ts';

/** Counters of networks for one day: what bounds the file, whoever calls from wherever. */
export const MAX_COUNTERS = 50_000;
/** Further ones that stand for wide networks once there are so many. */
const MAX_SHARED = 10_000;
/** Counters inside one network, by the length of its prefix; beyond them its sources share one. */
const MAX_INSIDE: ReadonlyMap<string, number> = new Map([
  ['48', 64],
  ['32', 4096],
]);
/** The counter that is left when all others are. */
const LAST = networkSubject('*');

/**
 * Gives the counter of a network for the day, a new one where there is none. One that owns a large part of the address
 * space gets few counters of its own: then its parts share the counter of the network that they lie in.
 */
export function findCounter(
  usage: UsageTable,
  query: { readonly module: string; readonly networks: readonly string[]; readonly day: string },
): Usage {
  const { module, networks, day } = query;
  const { length: known } = usage.networks.group(day);
  const countInside = (network: string): number =>
    usage.inside.reduce((sum, index) => sum + index.group(joinKey(day, network)).length, 0);
  const hasRoom = (network: string): boolean =>
    countInside(network) < (MAX_INSIDE.get(network.split('/')[1] ?? '') ?? Number.POSITIVE_INFINITY);
  for (const [level, network] of networks.entries()) {
    const subject = networkSubject(network);
    const found = usage.get(joinKey(module, subject));
    if (found?.day === day) return found;
    const within = networks.slice(level + 1);
    const most = level === 0 ? MAX_COUNTERS : MAX_COUNTERS + MAX_SHARED;
    if (known < most && within.every(hasRoom)) return { module, subject, day, count: 0, recent: [], within };
  }
  const last = usage.get(joinKey(module, LAST));
  return last?.day === day ? last : { module, subject: LAST, day, count: 0, recent: [], within: [] };
}

/** Gives the name that a network's counter has; no user's has it. */
function networkSubject(network: string): string {
  return `net:${network}`;
}
