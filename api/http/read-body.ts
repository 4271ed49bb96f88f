import type { IncomingMessage } from 'node:http';
import { phrase } from '../../lib/phrase.ts';
import { ApiError } from './errors.ts';

/** Time for which the rest of a body that is too large is received and discarded. */
const LINGER_MS = 5_000;
const MEBIBYTE = 1024 * 1024;

/**
 * Returns the bytes of a request's body, for parsing and for signatures. Throws ApiError 413 above `maxBytes` and 415 for a
 * body with a content coding.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (coding !== '' && coding !== 'identity') {
      throw new ApiError(415, 'unknown-coding', phrase`The body must be sent without Content-Encoding`);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (): void => {
      chunks.length = 0;
      const error = new ApiError(413, 'too-large', phrase`The body has more than ${formatLimit(maxBytes)}`);
      discardRest(request, () => reject(error));
    };
    if (Number(request.headers['content-length']) > maxBytes) return refuse();
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      request.off('data', take);
      request.off('end', finish);
      refuse();
    };
    const finish = (): void => resolve(Buffer.concat(chunks));
    request.on('data', take);
    request.once('end', finish);
    request.once('error', reject);
    request.once('close', () => reject(Object.assign(new Error('The client disconnected'), { code: 'ECONNRESET' })));
  });
}

/** Returns a limit as it was chosen: 25 MiB, 64 kB. */
function formatLimit(bytes: number): string {
  if (bytes % MEBIBYTE === 0) return `${bytes / MEBIBYTE} MiB`;
  return bytes < 1_000_000 ? `${bytes / 1000} kB` : `${bytes / 1_000_000} MB`;
}

/**
 * Receives the rest of a body that is too large. Many clients read no answer before they have sent everything, and lose it
 * if the connection is closed meanwhile; so an answer that closes the connection waits.
 */
function discardRest(request: IncomingMessage, answer: () => void): void {
  const isClosing = endsConnection(request);
  request.resume();
  const timer = setTimeout(() => (isClosing ? answer() : request.destroy()), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  if (isClosing) request.once('end', answer);
  else answer();
}

function endsConnection({ httpVersion, headers: { connection = '' } }: IncomingMessage): boolean {
  return httpVersion === '1.0' ? !/keep-alive/i.test(connection) : /close/i.test(connection);
}
