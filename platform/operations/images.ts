import type { ImportedImages } from '../../data/records/image.ts';
import type { Store } from '../../data/store.ts';
import type { Settings } from '../config/settings.ts';
import { dayIn } from '../images/day.ts';
import { findMarketZone } from '../images/market-zone.ts';
import { parseArchive } from '../images/parse-archive.ts';

/** What an operator can do with the archive of daily images. */
export interface ImageOperations {
  /**
   * Imports an archive as `parseArchive` reads it, altogether or not at all. A day that has an image keeps it, unless
   * `isReplacing`. Throws DataError `invalid`.
   */
  importImages(input: {
    readonly text: string;
    readonly isReplacing?: boolean;
  }): Promise<ImportedImages & { readonly tooEarly: number }>;
}

/** Creates the operations on images. */
export function createImageOperations({
  store,
  settings,
  now,
}: {
  readonly store: Pick<Store, 'images'>;
  readonly settings: Settings;
  readonly now: () => Date;
}): ImageOperations {
  return {
    async importImages({ text, isReplacing = false }) {
      const { utility, timezone } = settings.current();
      const { images, tooEarly } = parseArchive(text, {
        market: utility.image.market,
        today: (market) => dayIn(findMarketZone(market, timezone), now()),
      });
      return { ...(await store.images.import(images, isReplacing)), tooEarly };
    },
  };
}
