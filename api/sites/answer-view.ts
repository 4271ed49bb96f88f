import type { Context } from 'koa';
import { matchEntityTag } from '../http/answers.ts';
import { type BodySource, type ChosenBody, chooseBody, prepareBody } from './choose-body.ts';
import type { Representation } from './create-view.ts';
import { parseAcceptEncoding } from './parse-accept-encoding.ts';
import { type ByteRange, parseRange } from './parse-range.ts';
import { sendOpenFile, writeHead } from './send-body.ts';
import { sendText } from './send-text.ts';

/** A file that is to be sent, and where it stands. */
export interface Answer extends BodySource {
  readonly path: string;
  readonly status: 200 | 404;
}

/** What became of an answer; `changed`: nothing was sent, since the file is no longer the one that was looked at. */
export type Answered = 'sent' | 'changed';

/** Answers with a file as the request's fields ask. Waits for nothing where all is in memory. */
export function answerView(ctx: Context, answer: Answer): Answered | Promise<Answered> {
  const { site, content } = answer;
  const { headers, method } = ctx.req;
  const codings = parseAcceptEncoding(headers['accept-encoding'] as string | undefined);
  if (method === 'GET' && headers.range !== undefined && answer.status === 200 && codings.includes('identity')) {
    const range = findRange(headers.range, headers['if-range'], answer);
    if (range) return send(ctx, answer, { coding: 'identity', bytes: content.body }, range);
  }
  const chosen = chooseBody(answer, codings);
  if (typeof chosen === 'object') return send(ctx, answer, chosen);
  return prepareBody(answer, codings).then((prepared) => {
    if (prepared !== 'none') return send(ctx, answer, prepared);
    sendText(ctx, {
      status: 406,
      text: 'Not available in an acceptable encoding',
      isShared: site.isShared,
      headers: ['Vary', 'Accept-Encoding'],
    });
    return 'sent';
  });
}

/** Returns the part that is asked for; undefined where the whole body is to be sent. */
function findRange(range: string, ifRange: unknown, { view, content }: Answer): ByteRange | 'none' | undefined {
  const { tag } = view.represent('identity', content.size);
  return ifRange === undefined || ifRange === tag ? parseRange(range, content.size) : undefined;
}

function send(
  ctx: Context,
  answer: Answer,
  { coding, bytes }: ChosenBody,
  range?: ByteRange | 'none',
): Answered | Promise<Answered> {
  const { res, req } = ctx;
  const { content, status } = answer;
  const representation = answer.view.represent(coding, bytes?.length ?? content.size);
  const refusal = status === 200 ? checkConditions(ctx, representation) : undefined;
  if (refusal) return sendHead(ctx, refusal, representation.notModified);
  if (range === 'none')
    return sendHead(ctx, 416, [
      ...representation.notModified,
      'Content-Range',
      `bytes */${content.size}`,
      'Content-Length',
      '0',
    ]);
  const code = range ? 206 : status;
  const headers = range
    ? partialHeaders(representation, range)
    : status === 200
      ? representation.headers
      : representation.notFound;
  if (req.method === 'HEAD') return sendHead(ctx, code, headers);
  const part = range ?? { start: 0, end: representation.length - 1 };
  if (bytes) {
    ctx.respond = false;
    writeHead(res, code, headers);
    res.end(range ? bytes.subarray(part.start, part.end + 1) : bytes);
    return 'sent';
  }
  const file = answer.loader.open(answer.site, answer.path, answer.view);
  if (!file) return 'changed';
  ctx.respond = false;
  writeHead(res, code, headers);
  return sendOpenFile(res, file, part).then(() => 'sent');
}

function sendHead(ctx: Context, status: number, headers: readonly string[]): Answered {
  ctx.respond = false;
  writeHead(ctx.res, status, headers);
  ctx.res.end();
  return 'sent';
}

/** Returns the status of an answer without a body where the client has the body, or does not want another one. */
function checkConditions(ctx: Context, { tag }: Representation): 304 | 412 | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers;
  if (ifMatch !== undefined && !matchEntityTag(ifMatch, tag, 'strong')) return 412;
  return ifNoneMatch !== undefined && matchEntityTag(ifNoneMatch, tag, 'weak') ? 304 : undefined;
}

function partialHeaders({ partial, length }: Representation, { start, end }: ByteRange): readonly string[] {
  return [...partial, 'Content-Length', String(end - start + 1), 'Content-Range', `bytes ${start}-${end}/${length}`];
}
