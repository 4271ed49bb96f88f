import type { ImageClock } from '../../platform/images/image-job.ts';

/** A clock that is set by hand. */
export interface TestClock extends ImageClock {
  /** Work that waits, by when it is due. */
  readonly waiting: readonly { readonly atMs: number }[];
  /** Lets time pass; calls back what falls due, and lets work that follows settle by `settle`. */
  pass(ms: number, settle: () => Promise<void>): Promise<void>;
}

/** Creates a clock that stands at a time. `share` is what chance gives. */
export function createClock(time: string, share = 0.5): TestClock {
  let nowMs = Date.parse(time);
  let waiting: { readonly atMs: number; readonly then: () => void }[] = [];
  return {
    get waiting() {
      return waiting;
    },
    nowMs: () => nowMs,
    chance: () => share,
    wait(ms, then) {
      const entry = { atMs: nowMs + ms, then };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    async pass(ms, settle) {
      const endMs = nowMs + ms;
      for (;;) {
        const next = waiting.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (!next) break;
        waiting = waiting.filter((one) => one !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.then();
        await settle();
      }
      nowMs = endMs;
    },
  };
}

/** A clock that stands at the time it was made: what counts by time counts the same on a slow machine. */
export function standStill(): () => Date {
  const ms = Date.now();
  return () => new Date(ms);
}
