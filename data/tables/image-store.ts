import type { ImageStore } from '../store.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import type { Tables } from './tables.ts';

/** Creates the images' part of a store. */
export function createImageStore({ images }: Tables, commit: Commit, check: () => void): ImageStore {
  return {
    async find(market, date) {
      check();
      return images.get(joinKey(market, date));
    },
    async findNewest(market) {
      check();
      return images.byMarket.group(market).at(-1);
    },
    async findAt(market, share) {
      check();
      const all = images.byMarket.group(market);
      return all[Math.min(all.length - 1, Math.floor(share * all.length))];
    },
    async listDates(market, from) {
      check();
      const all = images.byMarket.group(market);
      let start = all.length;
      while (start > 0 && all[start - 1]!.date >= from) start--;
      return all.slice(start).map(({ date }) => date);
    },
    async add(given) {
      const records = given.map((image) => images.parse(image));
      return await commit((edits) => {
        const fresh = records.filter((image) => {
          const key = images.keyOf(image);
          if (images.get(key)) return false;
          edits.set(images, key, image);
          return true;
        });
        return fresh.map(({ date }) => date);
      });
    },
  };
}
