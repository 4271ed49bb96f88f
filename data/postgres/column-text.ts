import { createHash } from 'node:crypto';

/** Longest text that a column has whole, in bytes: a group and an order together fit into an entry of a B-tree (2,704). */
const MAX_BYTES = 1_200;
/** Length of a longer value's beginning in a column, before its hash, bytes. */
const HEAD_BYTES = 1_000;
/** Marks the hash; no text is written with it. */
const HASH_MARK = '\u0001\u0003';

/**
 * Returns a key, group or order as a column has it: as it is, but for rare characters and great length. Different texts stay
 * different, also where PostgreSQL could not store them (U+0000, halves of surrogate pairs). Compared by their bytes
 * (`COLLATE "C"`) texts are in the order of their UTF-16 code units, as in memory, where UTF-8 alone would put
 * U+E000–U+FFFF before characters beyond U+FFFF; those above 1,200 bytes that begin with the same 1,000 are in the order of
 * their hashes.
 */
export function toColumnText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const written = /[\0\x01\ud800-\udfff\ue000]/.test(text)
    ? Array.from({ length: text.length }, (_, i) => writeUnit(text.charCodeAt(i))).join('')
    : text;
  // No UTF-16 code unit has more than three bytes.
  if (written.length * 3 <= MAX_BYTES || Buffer.byteLength(written) <= MAX_BYTES) return written;
  const hash = createHash('sha256').update(text, 'utf16le').digest('base64url');
  return cut(text) + HASH_MARK + hash;
}

/** Writes one UTF-16 code unit; those that stay themselves, U+0002 to U+D7FF and from U+E001, keep their places between the others. */
function writeUnit(unit: number): string {
  if (unit <= 1) return `\x01${String.fromCharCode(unit + 1)}`;
  if (unit < 0xd800 || unit > 0xe000) return String.fromCharCode(unit);
  // A surrogate follows U+D7FF and precedes what U+E000 becomes.
  return unit === 0xe000 ? '\ue000\uf000' : `\ue000${String.fromCharCode(unit - 0xd800 + 0x4000)}`;
}

/** Returns the beginning of a text as columns have it, up to `HEAD_BYTES`. */
function cut(text: string): string {
  let head = '';
  for (let i = 0, bytes = 0; i < text.length; i++) {
    const unit = writeUnit(text.charCodeAt(i));
    bytes += Buffer.byteLength(unit);
    if (bytes > HEAD_BYTES) break;
    head += unit;
  }
  return head;
}
