import type { Store } from '../data/store.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { openDailyImages } from '../platform/images/daily-images.ts';
import { createIpRegions } from '../platform/ip/ip-regions.ts';
import { usualPlace } from '../platform/ip/update-regions.ts';
import type { Utilities } from '../platform/platform.ts';
import { createRedirectCounter } from '../platform/short-urls/redirect-counter.ts';

/** Opens the public utilities; `dailyImages` and `redirects` are closed by whoever opened them. */
export function openUtilities(context: {
  readonly settings: ReplaceableSettings;
  readonly store: Store;
  readonly baseDir: LoadedConfig['baseDir'];
  /** Returns where a path of the configuration leads. */
  readonly resolvePath: (path: string) => string;
  /** Origin of the service where the configuration sets none. */
  readonly origin: string;
  readonly now: () => Date;
  readonly onImageFailed: () => void;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
}): Utilities {
  const { settings, store, baseDir, resolvePath, origin, now, onWarning, onError } = context;
  const config = settings.current();
  const { db4, db6, lang } = config.utility.ip;
  return {
    dailyImages: openDailyImages({ config, store: store.images, onWarning, now, onFailed: context.onImageFailed }),
    ipRegions: createIpRegions({
      db4: db4 && resolvePath(db4),
      db6: db6 && resolvePath(db6),
      fetched: { 4: usualPlace(baseDir, 4), 6: usualPlace(baseDir, 6) },
      lang,
      onWarning,
      nowMs: () => performance.now(),
    }),
    redirects: createRedirectCounter({ store: store.redirects, onError }),
    baseUrl: config.api.base_url || origin,
  };
}
