/** Delays before a request is sent again that has failed; the last one holds for all others. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000];
/** The longest rest of a receiver. */
export const LONGEST_REST_MS = Math.max(...PAUSES_MS);

/** When a receiver is left alone, since it has failed: ever longer while it goes on failing. */
export interface ReceiverRest {
  /** Returns how long it is left alone yet, ms. */
  leftMs(time: Date): number;
  /** Begins after a failure. */
  begin(time: Date): {
    readonly ms: number;
    /** The receiver had not failed before, or not since it succeeded. */
    readonly isFirst: boolean;
  };
  /** Ends before its time; if the receiver fails again, the next one is longer all the same. */
  end(): void;
  /** Notes a success: the next one is the shortest. */
  succeed(): void;
}

/** Creates the rest of a receiver that has not failed. */
export function createReceiverRest(): ReceiverRest {
  let untilMs = 0;
  let failures = 0;
  return {
    leftMs(time) {
      const ms = untilMs - time.getTime();
      // None is longer than that: the clock was ahead when it began.
      return ms > 0 && ms <= LONGEST_REST_MS ? ms : 0;
    },
    begin(time) {
      const ms = PAUSES_MS[failures] ?? LONGEST_REST_MS;
      untilMs = time.getTime() + ms;
      failures++;
      return { ms, isFirst: failures === 1 };
    },
    end() {
      untilMs = 0;
    },
    succeed() {
      failures = 0;
    },
  };
}
