import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { createBlockPool } from '../../lib/block-pool.ts';
import { createFairTurns } from '../../lib/fair-turns.ts';
import { phrase } from '../../lib/phrase.ts';
import { createSharedBudget, type Share } from '../../lib/shared-budget.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { toSource } from './trusted-request.ts';

/** Time for which the rest of a body that is too large is received and discarded. */
const LINGER_MS = 5_000;
/** A body may take so long, and a second more for so many bytes of it that have arrived. */
const GRACE_MS = 10_000;
const LEAST_BYTES_PER_S = 100_000;
/** Bodies are collected in blocks of this size, whatever the size of the pieces in which they come. */
const BLOCK_BYTES = 16_384;
/** Memory for all bodies whose senders have proved nothing yet, bytes: two of the largest webhooks at once. */
const STRANGERS_BYTES = 53_000_000;

const strangers = createSharedBudget(STRANGERS_BYTES);
/** The same for senders whose headers prove that they know a project's secret. */
const known = createSharedBudget(60_000_000);
/** One by one, the blocks would leave holes in the heap. */
const pool = createBlockPool({ blockBytes: BLOCK_BYTES, blocksPerSlab: 64, idleMs: 2_000 });
/**
 * Bodies that go on in one turn of the event loop, by some 128 KB each. Otherwise Node takes up to 2 MB of each in a turn, and a single
 * new connection.
 */
const turns = createFairTurns(4);
const MEBIBYTE = 1024 * 1024;

/**
 * Returns the bytes of a request's body, for parsing and for signatures. All bodies that are received share a limited memory, see
 * `createSharedBudget`; they have their part of it until the request is answered. Throws ServiceError 413 above `maxBytes`, 415 for a
 * body with a content coding, 408 for one that comes too slowly, and 503 where its memory was needed for others.
 */
export async function readBody(
  ctx: Context,
  maxBytes: number,
  { isKnown = false, graceMs }: BodyOptions = {},
): Promise<Buffer> {
  let lose = (): void => {};
  const owner = toSource(ctx.ip);
  const share = (isKnown ? known : strangers).open(owner, () => lose());
  ctx.res.once('close', share.release);
  return collectBody(ctx.req, maxBytes, {
    share,
    owner,
    graceMs,
    onLoss(drop) {
      lose = drop;
    },
  });
}

/** How a body is received. */
interface BodyOptions {
  /** Its headers prove who sends it. */
  readonly isKnown?: boolean;
  /** For how long it may come as slowly as it likes; default: 10 s. */
  readonly graceMs?: number | undefined;
}

/** The budget that a body is counted against; none for bodies from this machine. */
interface Means extends Pick<BodyOptions, 'graceMs'> {
  readonly share?: Share;
  /** Whose turn it is to go on. */
  readonly owner?: string;
  /** Receives what drops the body. */
  readonly onLoss?: (drop: () => void) => void;
}

/** Returns the bytes of a body like `readBody`, but outside of the memory that is shared: for callers who are trusted. */
export function collectBody(
  request: IncomingMessage,
  maxBytes: number,
  { share, owner = '', onLoss = () => {}, graceMs = GRACE_MS }: Means = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (coding !== '' && coding !== 'identity') {
      throw new ServiceError('unknown-coding', phrase`The body must be sent without Content-Encoding`);
    }
    const blocks: Buffer[] = [];
    let size = 0;
    let pace: NodeJS.Timeout | undefined;
    let leaveTurn = (): void => {};
    const leave = (): void => {
      clearTimeout(pace);
      leaveTurn();
      request.off('data', take);
      request.off('end', finish);
      pool.giveBack(blocks.splice(0));
    };
    /** Says no to whoever sends on and on: nothing more is read. */
    const drop = (error: ServiceError): void => {
      leave();
      share?.release();
      request.pause();
      reject(error);
    };
    const refuse = (): void => {
      leave();
      share?.release();
      const error = new ServiceError('too-large', phrase`The body has more than ${formatLimit(maxBytes)}`);
      discardRest(request, () => reject(error));
    };
    const take = (chunk: Buffer): void => {
      const isTooMuch = size + chunk.length > maxBytes;
      if (isTooMuch) refuse();
      for (let at = 0; !isTooMuch && at < chunk.length; ) {
        const place = size % BLOCK_BYTES;
        if (place === 0) {
          blocks.push(pool.take());
          share?.grow(BLOCK_BYTES);
          // Lost for another body, or for this one.
          if (blocks.length === 0) return;
        }
        const copied = chunk.copy(blocks.at(-1)!, place, at);
        at += copied;
        size += copied;
      }
      if (blocks.length === 0) return;
      request.pause();
      leaveTurn = turns.wait(owner, () => request.resume());
    };
    const finish = (): void => {
      share?.pin();
      const body = Buffer.concat(blocks, size);
      leave();
      resolve(body);
    };
    const startMs = performance.now();
    const checkPace = (): void => {
      const leftMs = graceMs + (size * 1_000) / LEAST_BYTES_PER_S - (performance.now() - startMs);
      if (leftMs > 0) pace = setTimeout(checkPace, leftMs + 1);
      else drop(new ServiceError('too-slow', phrase`The body arrived too slowly`, CLOSING));
    };
    onLoss(() => drop(new ServiceError('overloaded', phrase`Too many requests at once; try again in a moment`, LOST)));
    if (Number(request.headers['content-length']) > maxBytes) return refuse();
    checkPace();
    request.on('data', take);
    request.once('end', finish);
    request.once('error', reject);
    request.once('close', () => {
      leave();
      reject(Object.assign(new Error('The client disconnected'), { code: 'ECONNRESET' }));
    });
  });
}

const CLOSING = { headers: { Connection: 'close' } };
const LOST = { headers: { Connection: 'close', 'Retry-After': '5' } };

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
