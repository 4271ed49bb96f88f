import type { Index } from '../collection.ts';
import type { Range } from '../transaction.ts';

/** The records of an index in memory. A lookup costs the same whatever the number of records. */
export interface SortedIndex<T> {
  /** Removes one record and adds another one; undefined = none. */
  replace(old: T | undefined, now: T | undefined): void;
  list(group: string, range: Range): T[];
  count(group: string): number;
  /** Returns the names of groups that are not empty. */
  groups(): string[];
}

const NONE: readonly never[] = [];

/** Creates an empty index. */
export function createSortedIndex<T>({ groupOf, orderOf }: Pick<Index<T>, 'groupOf' | 'orderOf'>): SortedIndex<T> {
  const groups = new Map<string, T[]>();
  /** Returns the first place whose order is not below this one. */
  const findPlace = (list: readonly T[], order: string): number => {
    let low = 0;
    let high = list.length;
    // Most records come in order.
    if (high > 0 && orderOf(list[high - 1]!) < order) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (orderOf(list[middle]!) < order) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const remove = (name: string, record: T): void => {
    const list = groups.get(name)!;
    list.splice(findPlace(list, orderOf(record)), 1);
    if (list.length === 0) groups.delete(name);
  };
  const insert = (name: string, record: T): void => {
    const list = groups.get(name);
    if (list) list.splice(findPlace(list, orderOf(record)), 0, record);
    else groups.set(name, [record]);
  };
  const findStart = (list: readonly T[], { from, after }: Range): number => {
    if (after === undefined) return from === undefined ? 0 : findPlace(list, from);
    const place = findPlace(list, after);
    return place < list.length && orderOf(list[place]!) === after ? place + 1 : place;
  };
  return {
    replace(old, now) {
      const from = old === undefined ? undefined : groupOf(old);
      const to = now === undefined ? undefined : groupOf(now);
      if (from !== undefined && from === to && orderOf(old!) === orderOf(now!)) {
        const list = groups.get(from)!;
        list[findPlace(list, orderOf(now!))] = now!;
        return;
      }
      if (from !== undefined) remove(from, old!);
      if (to !== undefined) insert(to, now!);
    },
    list(group, range) {
      const { before, isDescending = false, skip = 0, limit = Number.POSITIVE_INFINITY } = range;
      const list = groups.get(group) ?? NONE;
      const start = findStart(list, range);
      const end = before === undefined ? list.length : findPlace(list, before);
      const count = limit > 0 ? Math.floor(limit) : 0;
      if (!isDescending) return list.slice(start + skip, Math.min(end, start + skip + count));
      const last = Math.max(start, end - skip);
      return list.slice(Math.max(start, last - count), last).reverse();
    },
    count: (group) => groups.get(group)?.length ?? 0,
    groups: () => [...groups.keys()],
  };
}
