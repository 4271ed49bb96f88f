import type { RedirectStore } from '../../data/records/redirects.ts';

/** Counts redirects without a write for each. */
export interface RedirectCounter {
  /** Counts one redirect of a short URL. */
  count(code: string): void;
  /** Returns the number of redirects of each of these codes, those that are not stored yet included. */
  read(codes: readonly string[]): Promise<readonly number[]>;
  /** Stores what has been counted; nothing is stored by itself afterwards. */
  close(): Promise<void>;
}

/** Counts are stored so often: the most that a crash loses. */
const STORE_MS = 10_000;
/** Codes that one write brings: few enough that requests need not wait for it. */
const STORED_AT_ONCE = 1_000;

/** Creates a counter; `onError` is told about writes that fail, whose numbers stay for the next one. */
export function createRedirectCounter({
  store,
  onError,
  storeMs = STORE_MS,
}: {
  readonly store: RedirectStore;
  readonly onError: (error: unknown) => void;
  readonly storeMs?: number;
}): RedirectCounter {
  /** By codes in lower case; no more than there are short URLs. */
  const waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  let isClosed = false;

  const add = (code: string, more: number): void => {
    const count = (waiting.get(code) ?? 0) + more;
    if (count === 0) waiting.delete(code);
    else waiting.set(code, count);
  };
  const storeAll = async (): Promise<void> => {
    const counted = [...waiting];
    for (let i = 0; i < counted.length; i += STORED_AT_ONCE) {
      const part = counted.slice(i, i + STORED_AT_ONCE);
      for (const [code, count] of part) add(code, -count);
      try {
        await store.add(new Map(part));
      } catch (error) {
        for (const [code, count] of part) add(code, count);
        throw error;
      }
    }
  };
  const start = (): void => {
    timer = undefined;
    storing ??= storeAll()
      .catch(onError)
      .finally(() => {
        storing = undefined;
        if (waiting.size > 0) wait();
      });
  };
  const wait = (): void => {
    if (!isClosed) timer ??= setTimeout(start, storeMs);
  };

  return {
    count(code) {
      add(code.toLowerCase(), 1);
      wait();
    },
    async read(codes) {
      // In this order: what is being stored meanwhile is rather missed than counted twice.
      const more = codes.map((code) => waiting.get(code.toLowerCase()) ?? 0);
      const stored = await store.count(codes);
      return stored.map((count, i) => count + more[i]!);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await storing;
      await storeAll().catch(onError);
    },
  };
}
