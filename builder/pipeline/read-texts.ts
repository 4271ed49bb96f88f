import type { ObjectReader } from '../model.ts';
import { decodeText, isLfsPointer } from '../source/decode-text.ts';

/** Reads blobs as text and keeps the last ones, since a page is scanned for includes just before it is rendered. */
export interface TextReader {
  /** Gives a page's text; undefined for a Git LFS pointer. Throws `not-utf8`, `page-too-large`. */
  readPage(oid: string): Promise<string | undefined>;
  /** Gives the text of any file; undefined when it is none, or too large for a page. */
  readAny(oid: string): Promise<string | undefined>;
}

const KEPT_TEXTS = 400;

/** Creates the reader of one build. */
export function createTextReader(reader: ObjectReader, maxPageBytes: number): TextReader {
  const kept = new Map<string, string>();
  const keep = (oid: string, bytes: Uint8Array): string => {
    const text = decodeText(bytes, maxPageBytes);
    kept.set(oid, text);
    if (kept.size > KEPT_TEXTS) kept.delete(kept.keys().next().value!);
    return text;
  };
  return {
    async readPage(oid) {
      const known = kept.get(oid);
      if (known !== undefined) return known;
      const bytes = await reader.readBlob(oid);
      return isLfsPointer(bytes) ? undefined : keep(oid, bytes);
    },
    async readAny(oid) {
      const known = kept.get(oid);
      if (known !== undefined) return known;
      const bytes = await reader.readBlob(oid);
      return bytes.length <= maxPageBytes && isText(bytes) ? keep(oid, bytes) : undefined;
    },
  };
}

function isText(bytes: Uint8Array): boolean {
  if (isLfsPointer(bytes) || bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
