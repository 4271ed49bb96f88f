import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

/** Gives the bytes of a request's body. Throws 413 above `maxBytes`, without reading on. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): ApiError =>
    new ApiError(413, 'too-large', `The body has more than ${maxBytes / 1_000_000} MB`, {
      headers: { Connection: 'close' },
    });
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
