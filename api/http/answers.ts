import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { type Compression, compressBody, isWorthSending, MIN_COMPRESSED_SIZE } from '../../lib/body-compression.ts';
import { negotiateCodings } from './content-coding.ts';

/** An answer that is ready to be sent, with the entity tag of its bytes. */
export interface PreparedAnswer {
  /** A string where it is short: Node sends it in one piece with the head, but a buffer as a second one. */
  readonly body: string | Buffer;
  /** That of the plain body. */
  readonly etag: string;
  readonly bytes: number;
  /** The bodies that somebody wanted compressed; undefined = not worth it. */
  readonly compressed: Map<Compression, Promise<Buffer | undefined>>;
}

/** Media type of the API's answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const MAX_TEXT_BYTES = 16_384;

/** Prepares an answer, which may be kept and sent many times. */
export function prepareAnswer(text: string): PreparedAnswer {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return { body: bytes.length > MAX_TEXT_BYTES ? bytes : text, etag, bytes: bytes.length, compressed: new Map() };
}

/**
 * Sends a prepared answer of a media type, compressed for those who accept that, or 304 to a client that has it; clients
 * revalidate it each time.
 */
export async function sendPrepared(ctx: Context, answer: PreparedAnswer, type: string): Promise<void> {
  const [coding = 'identity'] = negotiateCodings(ctx.req.headers['accept-encoding'] as string | undefined);
  const small = coding === 'identity' ? undefined : await compressAnswer(answer, coding);
  const etag = small ? answer.etag.replace(/"$/, `-${coding}"`) : answer.etag;
  const { res } = ctx;
  // Parsing what is there costs more than all other headers together; mostly nothing is.
  if (res.hasHeader('Vary')) ctx.vary('Accept-Encoding');
  else res.setHeader('Vary', 'Accept-Encoding');
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-cache');
  const known = ctx.req.headers['if-none-match'];
  if (known !== undefined && matchEntityTag(known, etag, 'weak')) {
    ctx.status = 304;
    return;
  }
  res.setHeader('Content-Type', type);
  if (small) res.setHeader('Content-Encoding', coding);
  // Koa's default of a body is 200.
  ctx.body = small ?? answer.body;
}

function compressAnswer({ body, bytes, compressed }: PreparedAnswer, coding: Compression): Promise<Buffer | undefined> {
  let small = compressed.get(coding);
  if (!small) {
    small =
      bytes < MIN_COMPRESSED_SIZE
        ? Promise.resolve(undefined)
        : compressBody(Buffer.from(body), coding).then((found) =>
            isWorthSending(found.length, bytes) ? found : undefined,
          );
    compressed.set(coding, small);
  }
  return small;
}

/**
 * Checks whether a list of entity tags (`If-None-Match`, `If-Match`; RFC 9110) contains this strong tag; `*` contains all.
 * Weak comparison ignores `W/`; strong comparison never matches a weak tag.
 */
export function matchEntityTag(field: string, tag: string, comparison: 'weak' | 'strong'): boolean {
  if (field === tag || field.trim() === '*') return true;
  for (const [whole, opaque] of field.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (opaque === tag && (comparison === 'weak' || !whole.startsWith('W/'))) return true;
  }
  return false;
}
