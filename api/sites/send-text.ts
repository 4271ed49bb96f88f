import type { Context } from 'koa';
import { writeHead } from './send-body.ts';
import { commonHeaders, type Headers, REVALIDATE } from './site-headers.ts';

/** A short answer of the server itself. */
export interface TextAnswer {
  readonly status: number;
  /** One line without its end; '' = no body. */
  readonly text: string;
  readonly isShared: boolean;
  readonly headers?: Headers;
}

/** Answers with a line of text, or with nothing. */
export function sendText(ctx: Context, { status, text, isShared, headers = [] }: TextAnswer): void {
  const line = text === '' ? '' : `${text}\n`;
  const length = status === 204 ? [] : ['Content-Length', String(Buffer.byteLength(line))];
  const type = line === '' ? [] : ['Content-Type', 'text/plain; charset=utf-8'];
  ctx.respond = false;
  writeHead(ctx.res, status, [...length, ...type, 'Cache-Control', REVALIDATE, ...commonHeaders(isShared), ...headers]);
  ctx.res.end(ctx.req.method === 'HEAD' ? '' : line);
}
