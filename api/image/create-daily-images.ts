import { addDays, type Day, dayIn, FIRST_DAY, msUntilNextDay } from '../../data/images/day.ts';
import type { Image } from '../../data/records/image.ts';
import type { ImageStore } from '../../data/store.ts';
import { createImageJob, type ImageClock } from './create-image-job.ts';
import type { ImageSource } from './create-image-source.ts';

/** An image, or what is in the way of having it. */
export type FoundImage =
  | { readonly kind: 'found'; readonly image: Image }
  /** That of an earlier day, in the place of today's; `reason` says why. */
  | { readonly kind: 'earlier'; readonly image: Image; readonly reason: string }
  /** There is none of that day. */
  | { readonly kind: 'missing' }
  /** It cannot be had now. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The pictures of the days: an archive that is filled day by day. */
export interface DailyImages {
  /** The address that pictures are at, without a final slash; '' = not configured, then there is nothing to find. */
  readonly baseUrl: string;
  /** The day that it is in the market. */
  today(): Day;
  msUntilTomorrow(): number;
  /** Returns today's image, or where that cannot be had, the latest one. */
  findToday(): Promise<FoundImage>;
  /** Returns the image of exactly this day, from the first day to today. */
  find(day: Day): Promise<FoundImage>;
  /** Returns the image of any day; `share` (0 ≤ share < 1) says which. */
  findAny(share: number): Promise<FoundImage>;
  /** Begins to fill the archive: now, and each day. */
  start(): void;
  /** Stops that; what is under way is given up. */
  close(): Promise<void>;
}

/** What the images are made with. */
export interface DailyImagesOptions {
  readonly store: ImageStore;
  /** undefined = not configured. */
  readonly source: ImageSource | undefined;
  readonly baseUrl: string;
  readonly market: string;
  readonly timeZone: string;
  readonly clock: ImageClock;
  readonly onWarning: (message: string) => void;
}

/** How many days the source knows, today included. */
const REACH_DAYS = 8;
/** Pause before the source is asked again for the sake of a request: doubled each time that it had nothing new. */
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 32_000;
/** Where there is another image to show, a request waits no longer than this. */
const PATIENCE_MS = 2000;
const NOT_CONFIGURED: FoundImage = {
  kind: 'failed',
  reason: 'it is not configured; the operator sets "utility.image.base_url"',
};

/** Creates the pictures of a market. Nothing is asked for before `start` or the first request. */
export function createDailyImages(options: DailyImagesOptions): DailyImages {
  const { store, source, baseUrl, market, timeZone, clock, onWarning } = options;
  const closing = new AbortController();
  let refreshing: Promise<string> | undefined;
  let refreshedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = SHORTEST_PAUSE_MS;
  let outcome = '';

  const today = (): Day => dayIn(timeZone, new Date(clock.nowMs()));
  const listMissing = async (days: number): Promise<readonly Day[]> => {
    const now = today();
    const wanted = Array.from({ length: days }, (_, i) => addDays(now, -i)).filter((day) => day >= FIRST_DAY);
    const known = new Set(await store.listDates(market, wanted.at(-1) ?? now));
    return wanted.filter((day) => !known.has(day));
  };
  const add = async (daysAgo: number): Promise<boolean> => {
    const images = await source!.fetch(daysAgo, closing.signal);
    const latest = today();
    // Days to come would stand in the way of the images that they will have.
    return (await store.add(images.filter(({ date }) => date <= latest))).length > 0;
  };
  const fill = async (): Promise<string> => {
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    try {
      if (await add(0)) pauseMs = SHORTEST_PAUSE_MS;
      // Beyond the first answer there is one more; it is asked for when it can help.
      const missing = await listMissing(2 * REACH_DAYS - 1);
      if (missing.some((day) => day <= addDays(today(), 1 - REACH_DAYS))) await add(REACH_DAYS - 1);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  /** Asks the source, once however many want it; gives what is in the way, '' = nothing. */
  const refresh = (): Promise<string> => {
    refreshing ??= fill().then((failure) => {
      refreshing = undefined;
      refreshedMs = clock.nowMs();
      if (failure !== '' && failure !== outcome && !closing.signal.aborted) onWarning(`Daily image: ${failure}`);
      outcome = failure;
      return failure;
    });
    return refreshing;
  };
  const refreshSoon = async (): Promise<string> =>
    refreshing || Math.abs(clock.nowMs() - refreshedMs) >= pauseMs ? await refresh() : outcome;

  const job = createImageJob({
    clock,
    timeZone,
    listMissing: () => listMissing(REACH_DAYS),
    today,
    refresh,
    onWarning,
  });
  return {
    baseUrl,
    today,
    msUntilTomorrow: () => msUntilNextDay(timeZone, new Date(clock.nowMs())),
    async findToday() {
      if (!source) return NOT_CONFIGURED;
      const day = today();
      const known = await store.find(market, day);
      if (known) return { kind: 'found', image: known };
      const earlier = await store.findNewest(market);
      const slow = 'the source is slow';
      const reason = await (earlier ? orAfter(refreshSoon(), PATIENCE_MS, slow) : refreshSoon());
      const image = await store.find(market, day);
      if (image) return { kind: 'found', image };
      const latest = await store.findNewest(market);
      if (latest) return { kind: 'earlier', image: latest, reason: reason || 'it is not published yet' };
      return { kind: 'failed', reason: reason || 'there is none yet' };
    },
    async find(day) {
      const known = source && (await store.find(market, day));
      if (known) return { kind: 'found', image: known };
      if (!source) return NOT_CONFIGURED;
      if (day <= addDays(today(), -REACH_DAYS)) return { kind: 'missing' };
      const reason = await refreshSoon();
      const image = await store.find(market, day);
      if (image) return { kind: 'found', image };
      return reason === '' ? { kind: 'missing' } : { kind: 'failed', reason };
    },
    async findAny(share) {
      if (!source) return NOT_CONFIGURED;
      let image = await store.findAt(market, share);
      let reason = '';
      if (!image) {
        reason = await refreshSoon();
        image = await store.findAt(market, share);
      }
      return image ? { kind: 'found', image } : { kind: 'failed', reason: reason || 'there is none yet' };
    },
    start() {
      if (source) job.start();
    },
    async close() {
      closing.abort();
      await job.close();
      await refreshing;
    },
  };
}

/** Returns an outcome, or another one when it takes too long. */
async function orAfter<T>(work: Promise<T>, ms: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
