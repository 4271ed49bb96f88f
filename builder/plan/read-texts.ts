import { createBoundedMap } from '../../lib/bounded-map.ts';
import { contentKey } from '../cache/content-key.ts';
import type { FragmentStore } from '../cache/fragment-store.ts';
import { dependsOnGenerator } from '../markdown/depends-on-generator.ts';
import { findIncludes } from '../markdown/include/find-includes.ts';
import type { IncludeReference } from '../markdown/include/include-reference.ts';
import type { ObjectReader } from '../model.ts';
import { decodeText, type UnreadableText } from '../source/decode-text.ts';

/** What is known of a blob's text without reading it again. */
export interface TextFacts {
  /** Why it cannot be shown. */
  readonly problem?: UnreadableText;
  /** Name of the encoding it was read in; absent = UTF-8. */
  readonly encoding?: string;
  /** The files that it may include. */
  readonly includes: readonly IncludeReference[];
  /** See `dependsOnGenerator`. */
  readonly isForeign: boolean;
}

/** Reads blobs as text. What is wrong with one, and what it includes, is kept in the store under its id. */
export interface TextReader {
  inspect(oid: string): Promise<TextFacts>;
  /** Returns the text; undefined when it cannot be shown. */
  read(oid: string): Promise<string | undefined>;
}

/** Texts that are kept, in characters: all pages are looked at before the first one is rendered. */
const KEPT_CHARACTERS = 16_000_000;

/** What this process has seen; the same for all builds. */
const recent = createBoundedMap<string, TextFacts>({ maxEntries: 20_000 });

/** Creates the reader of one build. */
export function createTextReader(options: {
  readonly reader: ObjectReader;
  readonly store: FragmentStore;
  readonly engineVersion: string;
  readonly maxPageBytes: number;
}): TextReader {
  const { reader, store, maxPageBytes } = options;
  const kept = createBoundedMap<string, string>({ maxWeight: KEPT_CHARACTERS, weigh: ({ length }) => length });
  const optionKey = contentKey('text', options.engineVersion, String(maxPageBytes));
  return {
    async inspect(oid) {
      const key = contentKey(optionKey, oid);
      let facts = recent.get(key);
      if (!facts) {
        const value = store.get(key);
        facts = value ? (JSON.parse(value.toString()) as TextFacts) : await inspectAnew(oid);
        if (!value) store.set(key, Buffer.from(JSON.stringify(facts)));
        recent.set(key, facts);
      }
      return facts;
    },
    async read(oid) {
      if ((await this.inspect(oid)).problem) return undefined;
      const known = kept.get(oid);
      if (known !== undefined) return known;
      const decoded = decodeText(await reader.readBlob(oid), maxPageBytes);
      return 'text' in decoded ? decoded.text : undefined;
    },
  };

  async function inspectAnew(oid: string): Promise<TextFacts> {
    const decoded = decodeText(await reader.readBlob(oid), maxPageBytes);
    if (!('text' in decoded)) return { problem: decoded, includes: [], isForeign: false };
    const { text, encoding } = decoded;
    kept.set(oid, text);
    const includes = findIncludes(text);
    return { ...(encoding !== undefined && { encoding }), includes, isForeign: dependsOnGenerator(text) };
  }
}
