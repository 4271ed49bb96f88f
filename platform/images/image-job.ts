import type { CallAfter } from '../../lib/call-after.ts';
import { type Day, msUntilNextDay } from './day.ts';

/** The clock of the job, which tests replace. */
export interface ImageClock {
  readonly nowMs: () => number;
  /** Returns a number from 0 to 1, excluding 1. */
  readonly chance: () => number;
  readonly wait: CallAfter;
}

export interface ImageJobOptions {
  readonly clock: ImageClock;
  readonly timeZone: string;
  readonly today: () => Day;
  /** Returns the days within reach that have no image yet. */
  readonly listMissing: () => Promise<readonly Day[]>;
  /** Fetches images and reports failures itself; returns why it failed, undefined = it did not. */
  readonly refresh: () => Promise<object | undefined>;
  /** Receives other failures. */
  readonly onWarning: (message: string) => void;
  readonly signal: AbortSignal;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Delay after midnight, when all servers would ask at once. */
const AFTER_MIDNIGHT_MS = MINUTE_MS;
const SPREAD_MS = 9 * MINUTE_MS;

/**
 * Fills the archive until `signal` is aborted: when a day is missing, then a few minutes after each midnight.
 * Failures are retried after one minute, then two, four … up to an hour, with some jitter.
 */
export async function runImageJob(options: ImageJobOptions): Promise<void> {
  const { clock, timeZone, today, listMissing, refresh, onWarning, signal } = options;
  let failures = 0;
  /** Older days that the source does not have are requested once a day. */
  let searchedOn: Day = '';

  const run = async (): Promise<void> => {
    const day = today();
    const missing = await listMissing();
    if (!missing.includes(day) && (missing.length === 0 || searchedOn === day)) return;
    const failure = await refresh();
    if (signal.aborted) return;
    if (failure) {
      failures++;
      return;
    }
    searchedOn = day;
    // The image of a day may be published later.
    failures = (await listMissing()).includes(today()) ? failures + 1 : 0;
  };
  const delayMs = (): number => {
    const spread = clock.chance();
    if (failures > 0) return Math.min(HOUR_MS, MINUTE_MS * 2 ** Math.min(failures - 1, 10)) * (0.75 + spread / 2);
    const untilMs = msUntilNextDay(timeZone, new Date(clock.nowMs())) + AFTER_MIDNIGHT_MS + spread * SPREAD_MS;
    // Clocks are adjusted and machines sleep, so the archive is checked each hour, but never at midnight itself.
    return untilMs <= HOUR_MS ? untilMs : Math.min(HOUR_MS, untilMs - HOUR_MS / 2);
  };
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.wait(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });
  while (!signal.aborted) {
    await run().catch((error: unknown) => {
      failures++;
      if (!signal.aborted) onWarning(`Daily image: ${(error as Error).message}`);
    });
    if (!signal.aborted) await sleep(delayMs());
  }
}
