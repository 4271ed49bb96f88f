/** Records in groups, each group in order. A look-up costs the same whatever the number of records. */
export interface SortedIndex<T> {
  /** Takes one record out and puts another one in; undefined = none. */
  replace(old: T | undefined, now: T | undefined): void;
  /** Gives a group in ascending order; not to be kept, as it changes. */
  group(name: string): readonly T[];
  /** Gives the names of groups that are not empty. */
  names(): Iterable<string>;
  /** Gives at most `limit` records behind the one of this order, ascending. */
  after(name: string, order: string | undefined, limit: number): T[];
  /** Gives at most `limit` records before the one of this order, descending. */
  before(name: string, order: string | undefined, limit: number): T[];
}

/** What an index is made of: the group of a record (undefined = not in it), and its unique place inside the group. */
export interface IndexRule<T> {
  readonly groupOf: (record: T) => string | undefined;
  readonly orderOf: (record: T) => string;
}

const NONE: readonly never[] = [];

/** Creates an empty index. Orders are compared by UTF-16 code units. */
export function createSortedIndex<T>({ groupOf, orderOf }: IndexRule<T>): SortedIndex<T> {
  const groups = new Map<string, T[]>();
  /** Gives the first place whose order is not below this one. */
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
    group: (name) => groups.get(name) ?? NONE,
    names: () => groups.keys(),
    after(name, order, limit) {
      const list = groups.get(name) ?? NONE;
      let start = order === undefined ? 0 : findPlace(list, order);
      if (start < list.length && orderOf(list[start]!) === order) start++;
      return list.slice(start, start + limit);
    },
    before(name, order, limit) {
      const list = groups.get(name) ?? NONE;
      const end = order === undefined ? list.length : findPlace(list, order);
      return list.slice(Math.max(0, end - limit), end).reverse();
    },
  };
}
