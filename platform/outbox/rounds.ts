import type { CallAfter } from '../../lib/call-after.ts';

/** Work that is done in rounds, one after the other. */
export interface Rounds {
  /** Does rounds until `signal` is aborted; each returns how long until there may be something to do again, ms. */
  run(round: (signal: AbortSignal) => Promise<number>, signal: AbortSignal): Promise<void>;
  /** Has a round begin at once, or after the one that runs. */
  wake(): void;
}

/** Delay after a round has failed, as where the store does. */
const REST_MS = 10_000;

/** Creates rounds. */
export function createRounds(context: {
  readonly wait: CallAfter;
  readonly onError: (error: unknown) => void;
}): Rounds {
  const { wait, onError } = context;
  /** There may be something to do since the last round began. */
  let isWoken = false;
  let endPause = (): void => {};

  return {
    async run(round, signal) {
      while (!signal.aborted) {
        isWoken = false;
        let waitMs: number;
        try {
          waitMs = await round(signal);
        } catch (error) {
          if (signal.aborted) return;
          onError(error);
          waitMs = REST_MS;
        }
        await pause(waitMs, signal);
      }
    },
    wake() {
      isWoken = true;
      endPause();
    },
  };

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || isWoken || ms <= 0) return resolve();
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        endPause = () => {};
        resolve();
      };
      const cancel = wait(ms, end);
      signal.addEventListener('abort', end, { once: true });
      endPause = end;
    });
  }
}
