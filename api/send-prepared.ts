import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { matchEntityTag } from './sites/match-entity-tag.ts';

/** An answer that is ready to be sent, with the tag of its bytes. */
export interface PreparedAnswer {
  readonly body: Buffer;
  readonly etag: string;
}

/** Makes an answer ready; it may be kept and sent many times. */
export function prepareAnswer(text: string): PreparedAnswer {
  const body = Buffer.from(text);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}

/** Sends an answer with its ETag, or 304 to those who have it; they ask again each time. */
export function sendPrepared(ctx: Context, { body, etag }: PreparedAnswer, type: string): void {
  ctx.status = 200;
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = type;
  const known = ctx.get('If-None-Match');
  if (known !== '' && matchEntityTag(known, etag, 'weak')) {
    ctx.status = 304;
    return;
  }
  ctx.body = body;
}
