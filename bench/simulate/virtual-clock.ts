import type { CallAfter } from '../../lib/call-after.ts';

/** A clock whose time passes only while something is due. */
export interface VirtualClock {
  nowMs(): number;
  readonly after: CallAfter;
  /** Does work at a time. */
  at(ms: number, work: () => void): void;
  /** Does all that is due, in its order, until nothing is. */
  run(): Promise<void>;
}

interface Event {
  readonly ms: number;
  readonly order: number;
  work: (() => void) | undefined;
}

/** Creates a clock that says 0. */
export function createVirtualClock(): VirtualClock {
  const events = createHeap<Event>((a, b) => (a.ms === b.ms ? a.order < b.order : a.ms < b.ms));
  let now = 0;
  let order = 0;
  const add = (ms: number, work: () => void): Event => {
    const event: Event = { ms: Math.max(ms, now), order: order++, work };
    events.push(event);
    return event;
  };
  return {
    nowMs: () => now,
    after(ms, work) {
      const event = add(now + ms, work);
      return () => {
        event.work = undefined;
      };
    },
    at: (ms, work) => void add(ms, work),
    async run() {
      // Promises that follow from an event are settled before the next one.
      for (await settle(); ; ) {
        const event = events.pop();
        if (!event) return;
        if (!event.work) continue;
        now = event.ms;
        event.work();
        await settle();
      }
    },
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Heap<T> {
  push(item: T): void;
  pop(): T | undefined;
}

/** Creates a binary heap, whose smallest item comes first; `isBefore` is a strict order. */
function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  return {
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
