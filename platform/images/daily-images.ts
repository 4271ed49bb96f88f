import type { Image, ImageStore } from '../../data/records/image.ts';
import { callAfter } from '../../lib/call-after.ts';
import { createHttpClient } from '../../lib/http-client.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import type { Config } from '../config/config-schema.ts';
import { addDays, type Day, dayIn, FIRST_DAY, msUntilNextDay } from './day.ts';
import { type ImageClock, runImageJob } from './image-job.ts';
import { createImageSource, type ImageSource, ImageSourceError } from './image-source.ts';
import { findMarketZone } from './market-zone.ts';

const LIMITS = { timeoutMs: 8000, maxBytes: 1_000_000 };

/** Creates the daily images that are configured. */
export function openDailyImages(context: {
  readonly config: Pick<Config, 'utility' | 'timezone'>;
  readonly store: ImageStore;
  readonly onWarning: (message: string) => void;
  /** Called each time that the source fails. */
  readonly onFailed: () => void;
  readonly now: () => Date;
}): DailyImages {
  const { config, store, onWarning, onFailed, now } = context;
  const { base_url: baseUrl, market } = config.utility.image;
  const client = createHttpClient(LIMITS);
  const images = createDailyImages({
    store,
    source: baseUrl === '' ? undefined : createImageSource({ baseUrl, market, client }),
    baseUrl,
    market,
    timeZone: findMarketZone(market, config.timezone),
    clock: createClock(now),
    onWarning,
    onFailed,
  });
  return {
    ...images,
    async close() {
      await images.close();
      await client.close();
    },
  };
}

function createClock(now: () => Date): ImageClock {
  return {
    nowMs: () => now().getTime(),
    chance: Math.random,
    wait: callAfter,
  };
}

/** An image, or why there is none. */
export type FoundImage =
  | { readonly kind: 'found'; readonly image: Image }
  /** That of an earlier day in place of today's; `reason` says why. */
  | { readonly kind: 'earlier'; readonly image: Image; readonly reason: Phrase }
  /** There is none of that day. */
  | { readonly kind: 'missing' }
  /** It is not available now. */
  | { readonly kind: 'failed'; readonly reason: Phrase };

/** The daily images: an archive that is filled day by day. */
export interface DailyImages {
  /** Base URL of the images, without a final slash; '' = not configured, and no image is found. */
  readonly baseUrl: string;
  /** Returns the current day in the market. */
  today(): Day;
  msUntilTomorrow(): number;
  /** Returns today's image, or the latest one where that is not available. */
  findToday(): Promise<FoundImage>;
  /** Returns the image of exactly this day, from the first day to today. */
  find(day: Day): Promise<FoundImage>;
  /** Returns the image of any day, chosen by `share` (0 ≤ share < 1). */
  findAny(share: number): Promise<FoundImage>;
  /** Fills the archive, now and each day, until `signal` is aborted. */
  keepFilled(signal: AbortSignal): Promise<void>;
  /** Aborts requests in progress. */
  close(): Promise<void>;
}

interface DailyImagesOptions {
  readonly store: ImageStore;
  /** undefined = not configured. */
  readonly source: ImageSource | undefined;
  readonly baseUrl: string;
  readonly market: string;
  readonly timeZone: string;
  readonly clock: ImageClock;
  readonly onWarning: (message: string) => void;
  readonly onFailed?: () => void;
}

/** Days that the source knows, including today. */
const REACH_DAYS = 8;
/** Pause before the source is asked again for a request; doubled each time that it has nothing new. */
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 32_000;
/** Longest wait of a request where another image can be shown. */
const PATIENCE_MS = 2000;
const NOT_CONFIGURED: FoundImage = {
  kind: 'failed',
  reason: phrase`it is not configured; the operator sets "utility.image.base_url"`,
};
const NONE_YET = phrase`there is none yet`;
const SLOW = phrase`the source is slow`;

/** Creates the images of a market. The source is not asked before `keepFilled` or the first request. */
export function createDailyImages(options: DailyImagesOptions): DailyImages {
  const { store, source, baseUrl, market, timeZone, clock, onWarning, onFailed } = options;
  const closing = new AbortController();
  let refreshing: Promise<Phrase | undefined> | undefined;
  let refreshedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = SHORTEST_PAUSE_MS;
  let outcome: Error | undefined;

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
    // Entries for days to come would prevent their images from being stored later.
    return (await store.add(images.filter(({ date }) => date <= latest))).length > 0;
  };
  const fill = async (): Promise<Error | undefined> => {
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    try {
      if (await add(0)) pauseMs = SHORTEST_PAUSE_MS;
      // One more answer reaches further back; it is fetched only when it helps.
      const missing = await listMissing(2 * REACH_DAYS - 1);
      if (missing.some((day) => day <= addDays(today(), 1 - REACH_DAYS))) await add(REACH_DAYS - 1);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };
  /** Asks the source, once for all who want it; returns why it failed, undefined = it did not. */
  const refresh = (): Promise<Phrase | undefined> => {
    refreshing ??= fill().then((failure) => {
      refreshing = undefined;
      refreshedMs = clock.nowMs();
      if (failure) onFailed?.();
      const isNew = failure !== undefined && failure.message !== outcome?.message;
      if (isNew && !closing.signal.aborted) onWarning(`Daily image: ${failure.message}`);
      outcome = failure;
      return failure && tell(failure);
    });
    return refreshing;
  };
  const refreshSoon = async (): Promise<Phrase | undefined> =>
    refreshing || Math.abs(clock.nowMs() - refreshedMs) >= pauseMs ? await refresh() : outcome && tell(outcome);

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
      const reason = await (earlier ? orAfter(refreshSoon(), PATIENCE_MS, SLOW) : refreshSoon());
      const image = await store.find(market, day);
      if (image) return { kind: 'found', image };
      const latest = await store.findNewest(market);
      if (latest) return { kind: 'earlier', image: latest, reason: reason ?? phrase`it is not published yet` };
      return { kind: 'failed', reason: reason ?? NONE_YET };
    },
    async find(day) {
      const known = source && (await store.find(market, day));
      if (known) return { kind: 'found', image: known };
      if (!source) return NOT_CONFIGURED;
      if (day <= addDays(today(), -REACH_DAYS)) return { kind: 'missing' };
      const reason = await refreshSoon();
      const image = await store.find(market, day);
      if (image) return { kind: 'found', image };
      return reason ? { kind: 'failed', reason } : { kind: 'missing' };
    },
    async findAny(share) {
      if (!source) return NOT_CONFIGURED;
      let image = await store.findAt(market, share);
      let reason: Phrase | undefined;
      if (!image) {
        reason = await refreshSoon();
        image = await store.findAt(market, share);
      }
      return image ? { kind: 'found', image } : { kind: 'failed', reason: reason ?? NONE_YET };
    },
    async keepFilled(signal) {
      if (!source) return;
      await runImageJob({
        clock,
        timeZone,
        today,
        refresh,
        onWarning,
        signal: AbortSignal.any([signal, closing.signal]),
        listMissing: () => listMissing(REACH_DAYS),
      });
    },
    async close() {
      closing.abort();
      await refreshing;
    },
  };
}

/** Returns the result of some work, or another value when it takes too long. */
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

/** Returns the words for callers; failures other than the source's are in the log only. */
function tell(failure: Error): Phrase {
  return failure instanceof ImageSourceError ? failure.wording : phrase`the images cannot be stored`;
}
