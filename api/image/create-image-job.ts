import { type Day, msUntilNextDay } from '../../data/images/day.ts';

/** Time as the job sees it. */
export interface ImageClock {
  readonly nowMs: () => number;
  /** Returns a number from 0 up to, not including, 1. */
  readonly chance: () => number;
  /** Calls back once after so many milliseconds; gives what takes that back. Does not keep the process alive. */
  readonly wait: (ms: number, then: () => void) => () => void;
}

/** What the job looks after. */
export interface ImageJobOptions {
  readonly clock: ImageClock;
  readonly timeZone: string;
  readonly today: () => Day;
  /** Returns the days within reach that have no image yet. */
  readonly listMissing: () => Promise<readonly Day[]>;
  /** Asks for images; gives what is in the way, which it tells of itself, '' = nothing. */
  readonly refresh: () => Promise<string>;
  /** Hears of what else is in the way. */
  readonly onWarning: (message: string) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After midnight, when all ask at once, some time passes. */
const AFTER_MIDNIGHT_MS = MINUTE_MS;
const SPREAD_MS = 9 * MINUTE_MS;

/**
 * Creates the job that has the archive filled: when it starts and a day is missing, then some minutes after each midnight.
 * What fails is tried again after a minute, then after two, four … up to an hour, each time a little earlier or later.
 */
export function createImageJob(options: ImageJobOptions): { start(): void; close(): Promise<void> } {
  const { clock, timeZone, today, listMissing, refresh, onWarning } = options;
  let isClosed = false;
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();
  let failures = 0;
  /** Older days that the source does not have are asked for once a day. */
  let searchedOn: Day = '';

  const run = async (): Promise<void> => {
    const day = today();
    const missing = await listMissing();
    if (!missing.includes(day) && (missing.length === 0 || searchedOn === day)) return;
    const failure = await refresh();
    if (isClosed) return;
    if (failure !== '') {
      failures++;
      return;
    }
    searchedOn = day;
    // The day's image may come later than the day.
    failures = (await listMissing()).includes(today()) ? failures + 1 : 0;
  };
  const delayMs = (): number => {
    const spread = clock.chance();
    if (failures > 0) return Math.min(HOUR_MS, MINUTE_MS * 2 ** Math.min(failures - 1, 10)) * (0.75 + spread / 2);
    const untilMs = msUntilNextDay(timeZone, new Date(clock.nowMs())) + AFTER_MIDNIGHT_MS + spread * SPREAD_MS;
    // Clocks are set, and machines sleep: a look at the archive each hour costs nothing. None falls on midnight itself.
    return untilMs <= HOUR_MS ? untilMs : Math.min(HOUR_MS, untilMs - HOUR_MS / 2);
  };
  const turn = (): void => {
    running = run()
      .catch((error: unknown) => {
        failures++;
        if (!isClosed) onWarning(`Daily image: ${(error as Error).message}`);
      })
      .then(() => {
        if (!isClosed) cancel = clock.wait(delayMs(), turn);
      });
  };
  return {
    start: turn,
    async close() {
      isClosed = true;
      cancel();
      await running;
    },
  };
}
