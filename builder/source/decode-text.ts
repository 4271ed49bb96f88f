import { DEFAULT_LIMITS, describeLimit } from '../../data/records/build-limits.ts';
import { BuildError } from '../build-error.ts';

/**
 * Gives the text of a file: UTF-8 with or without a byte order mark, line ends made `\n`. Throws `not-utf8` with the
 * line of the first byte that is no UTF-8, `page-too-large` for one of more than `maxBytes`.
 */
export function decodeText(bytes: Uint8Array, maxBytes = DEFAULT_LIMITS.maxPageBytes): string {
  if (bytes.length > maxBytes) {
    const limit = describeLimit('maxPageBytes', maxBytes);
    const message = `The file has ${(bytes.length / 1e6).toFixed(1)} MB, more than ${limit}, split it, or keep it as a download`;
    throw new BuildError('page-too-large', message);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  } catch (error) {
    throw new BuildError('not-utf8', 'The file is not UTF-8 text; convert it, e.g. with "iconv -t UTF-8"', {
      cause: error,
      location: { line: lineOfFirstInvalidByte(bytes) },
    });
  }
}

/** Gives the Git LFS pointer's size line when the bytes are a pointer rather than the file itself. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  const head = 'version https://git-lfs.github.com/spec/';
  return bytes.length < 1024 && Buffer.from(bytes.subarray(0, head.length)).toString('latin1') === head;
}

/** Gives the line of the first byte that cannot be read: halves the text until the shortest part that holds it is found. */
function lineOfFirstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isReadable(bytes.subarray(startOfCharacter(bytes, good), middle))) good = middle;
    else bad = middle;
  }
  let line = 1;
  for (let at = 0; at < bad - 1; at++) if (bytes[at] === 10) line++;
  return line;
}

/** Gives where the character that holds the byte before `at` begins; only that one may be cut off there. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = Math.max(0, at - 1);
  while (start > 0 && at - start < 4 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

/** Tells whether a text is UTF-8 as far as it goes; a character that is cut off at its end may go on. */
function isReadable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
