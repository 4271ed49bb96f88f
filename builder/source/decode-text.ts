import { BuildError } from '../build-error.ts';

/** Largest page or project file in bytes. */
export const MAX_PAGE_BYTES = 5_000_000;

/**
 * Gives the text of a file: UTF-8 with or without a byte order mark, line ends made `\n`. Throws `not-utf8` with the
 * line of the first byte that is no UTF-8, `page-too-large` above 5 MB.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > MAX_PAGE_BYTES) {
    const size = (bytes.length / 1e6).toFixed(1);
    throw new BuildError(
      'page-too-large',
      `The file has ${size} MB; the limit for a page is ${MAX_PAGE_BYTES / 1e6} MB: split it, or keep it as a download`,
    );
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

/** The decoder replaces what it cannot read by U+FFFD; a real U+FFFD in the text before that place is passed over. */
function lineOfFirstInvalidByte(bytes: Uint8Array): number {
  let start = 0;
  let line = 1;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let end = 0; end <= bytes.length; end++) {
    if (end < bytes.length && bytes[end] !== 10) continue;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
    line++;
  }
  return line;
}
