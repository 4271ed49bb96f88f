import { close, createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { OpenFile } from './open-site-file.ts';
import type { ByteRange } from './parse-range.ts';
import type { Headers } from './site-headers.ts';

/** Writes status and headers of an answer. */
export function writeHead(response: ServerResponse, status: number, headers: Headers): void {
  response.writeHead(status, headers as string[]);
}

const READER_LEFT = /^(?:ECONN|EPIPE|ETIMEDOUT|ERR_STREAM_)/;

/**
 * Sends part of an open file as the body of an answer whose head is written, and closes it. A reader who goes away is no
 * error; where the file turns out shorter than was said, the connection is cut, so that nobody takes it for whole.
 */
export async function sendOpenFile(
  response: ServerResponse,
  { descriptor }: OpenFile,
  { start, end }: ByteRange,
): Promise<void> {
  const stream = createReadStream('', { fd: descriptor, start, end, highWaterMark: 262_144 });
  try {
    await pipeline(stream, response, { end: false });
    if (stream.bytesRead === end - start + 1) response.end();
    else response.destroy();
  } catch (error) {
    response.destroy();
    if (!READER_LEFT.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Closes a file that is not to be sent after all. */
export function closeFile({ descriptor }: OpenFile): void {
  // Nothing was written: an error has nothing to tell.
  close(descriptor, () => {});
}
