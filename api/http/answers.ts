import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { matchEntityTag } from '../sites/match-entity-tag.ts';

/** An answer that is ready to be sent, with the tag of its bytes. */
export interface PreparedAnswer {
  /** Text where that is short: it goes out in one piece with the head, bytes would be a second one. */
  readonly body: string | Buffer;
  readonly etag: string;
}

/** Media type of the API's answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const MAX_TEXT_BYTES = 16_384;

/** Makes an answer ready; it may be kept and sent many times. */
export function prepareAnswer(text: string): PreparedAnswer {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return { body: bytes.length > MAX_TEXT_BYTES ? bytes : text, etag };
}

/** Sends an answer of a media type with its ETag, or 304 to those who have it; they ask again each time. */
export function sendPrepared(ctx: Context, { body, etag }: PreparedAnswer, type: string): void {
  const { res } = ctx;
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-cache');
  const known = ctx.req.headers['if-none-match'];
  if (known !== undefined && matchEntityTag(known, etag, 'weak')) {
    ctx.status = 304;
    return;
  }
  res.setHeader('Content-Type', type);
  ctx.status = 200;
  ctx.body = body;
}
