import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import { BuildError } from '../build-error.ts';
import type { FileList } from '../publish/site-files.ts';
import { blobOfKey } from './releases/release-assets.ts';

/** Of so many new contents of a version one is measured, evenly spread, and at most so many in all. */
const SAMPLE_EVERY = 30;
const MAX_SAMPLES = 12;
/** A site is over its limit where it is estimated at this multiple of it: what is close to it is measured when it is published. */
const CLEAR_EXCESS = 1.2;
/** Fewer bytes than this for each content are never over the limit: nothing is measured before. */
const LARGE_CONTENT = 50_000;

/** Estimates, version by version, how large a site becomes, so that no version is planned for which there is no room. */
export interface RoomWatch {
  /** Adds the files of a version; its pages must be finished. */
  add(lists: readonly FileList[]): Promise<void>;
  /** The estimated size of all that was added, in bytes. */
  readonly bytes: number;
  readonly isOver: boolean;
}

/** Whoever publishes a content that cannot be made says so. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof BuildError)) throw error;
}

/** Creates the estimate for a site that may take `maxBytes`; `produce` makes the content of a key. */
export function createRoomWatch(options: {
  readonly maxBytes: number;
  readonly produce: (key: string) => Promise<Uint8Array>;
}): RoomWatch {
  const seen = new Set<string>();
  /** Counted, but not measured yet. */
  let waiting: (readonly string[])[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    get isOver() {
      return bytes > CLEAR_EXCESS * options.maxBytes;
    },
    async add(lists) {
      const own = lists.flatMap(({ files }) => files.map(([, key]) => key)).filter((key) => !seen.has(key));
      for (const key of own) seen.add(key);
      waiting.push([...new Set(own)]);
      if (seen.size * LARGE_CONTENT < options.maxBytes) return;
      const measured = waiting;
      waiting = [];
      for (const keys of measured) {
        // Pages are alike, and unlike files that are copied.
        for (const isCopied of [false, true]) {
          bytes += await estimate(keys.filter((key) => (blobOfKey(key) !== undefined) === isCopied));
        }
      }
    },
  };

  async function estimate(keys: readonly string[]): Promise<number> {
    const step = Math.max(SAMPLE_EVERY, keys.length / MAX_SAMPLES);
    let total = 0;
    let measured = 0;
    for (let at = Math.min(keys.length, step) / 2; at < keys.length; at += step) {
      const turn = yieldToEventLoop();
      if (turn) await turn;
      const content = await options.produce(keys[Math.floor(at)]!).catch(ignoreMissing);
      if (!content) continue;
      total += content.length;
      measured += 1;
    }
    return measured === 0 ? 0 : (total / measured) * keys.length;
  }
}
