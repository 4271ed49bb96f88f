import type { BuildTools } from './build-tools.ts';
import { blobOfKey } from './releases/release-assets.ts';

type Producer = () => string | Uint8Array | Promise<string | Uint8Array>;

/** What makes the contents of a site by their keys: files of the repository are read, all others have a producer. */
export interface ContentProducers {
  /** Takes over producers, and empties their map; a content that has one already keeps it. */
  take(producers: Map<string, Producer>): void;
  /** Adds producers that are asked before all others. */
  addFirst(producers: ReadonlyMap<string, Producer>): void;
  has(key: string): boolean;
  produce(key: string): Promise<Uint8Array>;
}

export function createContentProducers(reader: Pick<BuildTools['reader'], 'readBlob'>): ContentProducers {
  const taken = new Map<string, Producer>();
  const asked: ReadonlyMap<string, Producer>[] = [taken];
  const find = (key: string): Producer | undefined => asked.find((producers) => producers.has(key))?.get(key);
  return {
    take(producers) {
      for (const [key, produce] of producers) if (!taken.has(key)) taken.set(key, produce);
      producers.clear();
    },
    addFirst(producers) {
      asked.unshift(producers);
    },
    has: (key) => blobOfKey(key) !== undefined || find(key) !== undefined,
    async produce(key) {
      const oid = blobOfKey(key);
      if (oid !== undefined) return reader.readBlob(oid);
      const content = await find(key)?.();
      if (content === undefined) throw new Error(`Nothing produces the content "${key}"`);
      return typeof content === 'string' ? Buffer.from(content) : content;
    },
  };
}
