/** A queue whose smallest item comes first. */
export interface Heap<T> {
  readonly size: number;
  push(item: T): void;
  peek(): T | undefined;
  pop(): T | undefined;
}

/** Creates a binary heap; `isBefore` is a strict order. */
export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  return {
    get size() {
      return items.length;
    },
    push(item) {
      let i = items.length;
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!isBefore(item, items[parent]!)) break;
        items[i] = items[parent]!;
        i = parent;
      }
      items[i] = item;
    },
    peek: () => items[0],
    pop() {
      const [first] = items;
      const last = items.pop();
      if (items.length === 0 || last === undefined) return first;
      let i = 0;
      for (;;) {
        let child = 2 * i + 1;
        if (child >= items.length) break;
        if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child++;
        if (!isBefore(items[child]!, last)) break;
        items[i] = items[child]!;
        i = child;
      }
      items[i] = last;
      return first;
    },
  };
}
