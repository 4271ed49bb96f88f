import type { ImageStore } from '../../data/records/image.ts';
import type { Config } from '../../platform/config/config-schema.ts';
import { createUpstream } from '../upstream/create-upstream.ts';
import { createDailyImages, type DailyImages } from './create-daily-images.ts';
import type { ImageClock } from './create-image-job.ts';
import { createImageSource } from './create-image-source.ts';
import { findMarketZone } from './find-market-zone.ts';

const LIMITS = { timeoutMs: 8000, maxBytes: 1_000_000 };

/** Opens the daily images as they are configured. */
export function openDailyImages(context: {
  readonly config: Pick<Config, 'utility' | 'timezone'>;
  readonly store: ImageStore;
  readonly onWarning: (message: string) => void;
  readonly now: () => Date;
}): DailyImages {
  const { config, store, onWarning, now } = context;
  const { base_url: baseUrl, market } = config.utility.image;
  const upstream = createUpstream(LIMITS);
  const images = createDailyImages({
    store,
    source: baseUrl === '' ? undefined : createImageSource({ baseUrl, market, upstream }),
    baseUrl,
    market,
    timeZone: findMarketZone(market, config.timezone),
    clock: createClock(now),
    onWarning,
  });
  return {
    ...images,
    async close() {
      await images.close();
      await upstream.close();
    },
  };
}

function createClock(now: () => Date): ImageClock {
  return {
    nowMs: () => now().getTime(),
    chance: Math.random,
    wait(ms, then) {
      const timer = setTimeout(then, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}
