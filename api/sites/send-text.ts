import type { Context } from 'koa';
import { writeHead } from './send-body.ts';
import { commonHeaders, type Headers, REVALIDATE } from './site-headers.ts';

/** Answers with a line of text, or with nothing where `text` is ''. */
export function sendText(
  ctx: Context,
  status: number,
  text: string,
  options: { readonly isShared: boolean; readonly headers?: Headers },
): void {
  const line = text === '' ? '' : `${text}\n`;
  const length = status === 204 ? [] : ['Content-Length', String(Buffer.byteLength(line))];
  const type = line === '' ? [] : ['Content-Type', 'text/plain; charset=utf-8'];
  ctx.respond = false;
  writeHead(ctx.res, status, [
    ...length,
    ...type,
    'Cache-Control',
    REVALIDATE,
    ...commonHeaders(options.isShared),
    ...(options.headers ?? []),
  ]);
  ctx.res.end(ctx.req.method === 'HEAD' ? '' : line);
}
