import { DEFAULT_LIMITS } from '../../build-limits.ts';
import { describeLimit } from '../../option-marks.ts';
import { decodeBytes, detectEncoding } from './detect-encoding.ts';

/** The text of a file, with line ends normalised to `\n`. */
export interface SourceText {
  readonly text: string;
  /** Name of the encoding it was read in; undefined = UTF-8. */
  readonly encoding: string | undefined;
}

/** The reason why a file's text cannot be shown. `line` counts from 1; 0 = the whole file. */
export interface UnreadableText {
  readonly code: 'not-utf8' | 'page-too-large' | 'lfs-pointer';
  readonly line: number;
  readonly message: string;
}

/**
 * Returns the text of a file that should be UTF-8, with or without a byte order mark; another encoding is read if the
 * bytes identify it without doubt. Returns the problem if they do not, with the line of the first byte that is not
 * UTF-8, above `maxBytes`, and for Git LFS pointers.
 */
export function decodeText(bytes: Uint8Array, maxBytes = DEFAULT_LIMITS.maxPageBytes): SourceText | UnreadableText {
  if (bytes.length > maxBytes) {
    const limit = describeLimit('maxPageBytes', maxBytes);
    const message = `The file has ${(bytes.length / 1e6).toFixed(1)} MB, more than ${limit}; split it, or keep it as a download`;
    return { code: 'page-too-large', line: 0, message };
  }
  if (isLfsPointer(bytes)) {
    return { code: 'lfs-pointer', line: 0, message: 'The repository contains a Git LFS pointer instead of the text' };
  }
  const text = decodeBytes(bytes, 'utf-8');
  if (text !== undefined && !text.includes('\0')) return { text: joinLines(text), encoding: undefined };
  const encoding = detectEncoding(bytes);
  const found = encoding && decodeBytes(bytes, encoding.label);
  if (encoding && found !== undefined) return { text: joinLines(found), encoding: encoding.name };
  if (text !== undefined) return { text: joinLines(text), encoding: undefined };
  const message =
    'The file is not UTF-8, and its encoding cannot be detected; convert it, e.g. with "iconv -f … -t UTF-8"';
  return { code: 'not-utf8', line: lineOfFirstInvalidByte(bytes), message };
}

/** Returns the warning about a file in another encoding. */
export function describeEncoding(encoding: string): string {
  return `Read as ${encoding}: the file is not UTF-8; convert it, e.g. with "iconv -f ${encoding} -t UTF-8"`;
}

/** Returns whether the bytes are a Git LFS pointer rather than the file itself. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  const head = 'version https://git-lfs.github.com/spec/';
  return bytes.length < 1024 && Buffer.from(bytes.subarray(0, head.length)).toString('latin1') === head;
}

function joinLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Returns the line of the first byte that cannot be decoded, by binary search. */
function lineOfFirstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(startOfCharacter(bytes, good), middle);
    if (decodeBytes(part, 'utf-8', { stream: true }) !== undefined) good = middle;
    else bad = middle;
  }
  let line = 1;
  for (let at = 0; at < bad - 1; at++) if (bytes[at] === 10) line++;
  return line;
}

/** Returns the start of the character that contains the byte before `at`; only that one may be cut off there. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = Math.max(0, at - 1);
  while (start > 0 && at - start < 4 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
