import { phrase } from '../../lib/phrase.ts';
import { dayIn } from '../images/day.ts';
import { findMarketZone } from '../images/market-zone.ts';
import { parseArchive } from '../images/parse-archive.ts';
import { operation } from './operation.ts';

/** Operations on the archive of daily images. */
export const imageOperations = {
  /**
   * Imports an archive as `parseArchive` reads it, altogether or not at all. A day that has an image keeps it, unless
   * `isReplacing`. Throws DataError `invalid`.
   */
  importImages: operation(
    async (input: { readonly text: string; readonly isReplacing?: boolean }, { store, settings, now }) => {
      const { text, isReplacing = false } = input;
      const { utility, timezone } = settings.current();
      const { images, tooEarly } = parseArchive(text, {
        market: utility.image.market,
        today: (market) => dayIn(findMarketZone(market, timezone), now()),
      });
      return { ...(await store.images.import(images, isReplacing)), tooEarly };
    },
    { title: phrase`import images`, describe: ({ isReplacing }) => ({ details: isReplacing ? 'replacing' : '' }) },
  ),
};
