import { read } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import type { Context } from 'koa';
import { createSharedBudget } from '../../lib/shared-budget.ts';
import { closeFile, formatStamp } from '../../platform/sites/site-files.ts';
import type { OpenFile } from '../../platform/sites/site-storage.ts';
import { matchEntityTag } from '../http/answers.ts';
import { negotiateCodings } from '../http/content-coding.ts';
import { toSource } from '../http/trusted-request.ts';
import { type BodySource, type ChosenBody, chooseBody, prepareBody } from './choose-body.ts';
import { commonHeaders, type Headers, keepShortly, REVALIDATE, type Representation } from './representation.ts';

/** A file to be sent, and its path. */
interface Answer extends BodySource {
  readonly status: 200 | 404;
  /** See `SiteRequest`. */
  readonly stallMs: number;
}

/** The result of an answer; `changed`: nothing was sent because the file is no longer the same. */
export type Answered = 'sent' | 'changed';

/** Answers with a file according to the request's headers. Is synchronous where everything is in memory. */
export function answerView(ctx: Context, answer: Answer): Answered | Promise<Answered> {
  const { site, content } = answer;
  const { headers, method } = ctx.req;
  const codings = negotiateCodings(headers['accept-encoding'] as string | undefined);
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

/** Finds the requested part; undefined where the whole body is to be sent. */
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
  const age = answer.view.isImmutable ? NONE : (answer.site.cdn?.age ?? NONE);
  // What a CDN keeps it would give to others.
  const isAhead = req.method === 'GET' && age === NONE && /\bprefetch\b/.test(String(req.headers['sec-purpose']));
  if (refusal === 304) {
    const { notModified } = representation;
    return sendHead(ctx, 304, isAhead ? keepShortly(notModified) : [...notModified, ...age]);
  }
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
  const found = range ? partialHeaders(representation, range) : representation.headers;
  const headers =
    status === 404
      ? representation.notFound
      : isAhead
        ? keepShortly(found)
        : age.length > 0
          ? [...found, ...age]
          : found;
  if (req.method === 'HEAD') return sendHead(ctx, code, headers);
  const part = range ?? { start: 0, end: representation.length - 1 };
  if (bytes) {
    ctx.respond = false;
    writeHead(res, code, headers);
    res.end(range ? bytes.subarray(part.start, part.end + 1) : bytes);
    // Most readers have it all by now.
    if (res.writableLength > 0) res.setTimeout(answer.stallMs);
    return 'sent';
  }
  const opened = answer.loader.open(answer.site, answer.path, answer.view);
  return opened instanceof Promise ? opened.then(sendFile) : sendFile(opened);

  function sendFile(file: OpenFile | undefined): Answered | Promise<Answered> {
    if (!file) return 'changed';
    ctx.respond = false;
    writeHead(res, code, headers);
    if (!file.content) return sendOpenFile(ctx, file, { ...part, stallMs: answer.stallMs }).then(() => 'sent');
    res.end(file.content.body.subarray(part.start, part.end + 1));
    return 'sent';
  }
}

function sendHead(ctx: Context, status: number, headers: readonly string[]): Answered {
  ctx.respond = false;
  writeHead(ctx.res, status, headers);
  ctx.res.end();
  return 'sent';
}

/** Returns the status of an answer without a body, where the client has the body or does not want another one. */
function checkConditions(ctx: Context, { tag }: Representation): 304 | 412 | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.req.headers;
  if (ifMatch !== undefined && !matchEntityTag(ifMatch, tag, 'strong')) return 412;
  return ifNoneMatch !== undefined && matchEntityTag(ifNoneMatch, tag, 'weak') ? 304 : undefined;
}

function partialHeaders({ partial, length }: Representation, { start, end }: ByteRange): readonly string[] {
  return [...partial, 'Content-Length', String(end - start + 1), 'Content-Range', `bytes ${start}-${end}/${length}`];
}

const NONE: Headers = [];

/** Writes status and headers of an answer. */
function writeHead(response: ServerResponse, status: number, headers: Headers): void {
  response.writeHead(status, headers as string[]);
}

/** Piece of a large file that is read at once. */
const CHUNK_BYTES = 32_768;
/** Readers of large files at once. Each has one piece in memory. */
const readers = createSharedBudget(256);
/**
 * Pieces that readers have left. Streams take a new one for each piece, and what waits to be collected then is several times what is
 * in use.
 */
const pieces: Buffer[] = [];
const MAX_IDLE_PIECES = 64;
const READER_LEFT = /^(?:ECONN|EPIPE|ETIMEDOUT|ERR_STREAM_)/;

/**
 * Sends a part of an open file as the body of an answer whose head is written, and closes the file, which all its readers share.
 * Where there are too many readers, one of those who hold their places for longest is left, see `createSharedBudget`. A client that disconnects
 * is no error; where the file is shorter than announced, the connection is closed, so that the body is not taken for complete.
 */
async function sendOpenFile(
  ctx: Context,
  file: OpenFile,
  { start, end, stallMs }: ByteRange & Pick<Answer, 'stallMs'>,
): Promise<void> {
  const response = ctx.res;
  response.setTimeout(stallMs);
  const place = readers.open(toSource(ctx.ip), () => response.destroy());
  const shared = shareDescriptor(file);
  const piece = pieces.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  place.grow(1);
  try {
    for (let at = start; at <= end; ) {
      const wanted = Math.min(CHUNK_BYTES, end - at + 1);
      const { bytesRead } = await readPiece(shared.descriptor, piece, 0, wanted, at);
      if (bytesRead === 0) {
        response.destroy();
        return;
      }
      await writePiece(response, piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    response.end();
    // Not where the client has left: the last piece may still be on its way then.
    if (pieces.length < MAX_IDLE_PIECES) pieces.push(piece);
  } catch (error) {
    response.destroy();
    if (!READER_LEFT.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    place.release();
    shared.leave();
  }
}

const readPiece = promisify(read);

/** Writes a piece of a body; it is the caller's again afterwards. Rejects when the client disconnects before. */
function writePiece(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(Object.assign(new Error('The reader left'), { code: 'ECONNRESET' }));
    if (response.destroyed) return leave();
    response.once('close', leave);
    response.write(piece, (error) => {
      response.off('close', leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Open files that are being sent, by stamp. */
const sending = new Map<string, { readonly file: OpenFile; readers: number }>();

/** Returns the descriptor by which all readers of a file read it, and how to leave it: the last one closes it. */
function shareDescriptor(file: OpenFile): { readonly descriptor: number; readonly leave: () => void } {
  const key = formatStamp(file.stamp);
  const known = sending.get(key);
  const shared = known ?? { file, readers: 0 };
  if (known) closeFile(file);
  else sending.set(key, shared);
  shared.readers++;
  return {
    descriptor: shared.file.descriptor,
    leave() {
      if (--shared.readers > 0) return;
      sending.delete(key);
      closeFile(shared.file);
    },
  };
}

/** A short answer of the server itself. */
interface TextAnswer {
  readonly status: number;
  /** One line without its line break; '' = no body. */
  readonly text: string;
  readonly isShared: boolean;
  /** `Cache-Control`; default: browsers revalidate each time. */
  readonly caching?: string | undefined;
  readonly headers?: Headers;
}

/** Answers with a line of text, or with nothing. */
export function sendText(ctx: Context, answer: TextAnswer): void {
  const { status, text, isShared, caching = REVALIDATE, headers = [] } = answer;
  const line = text === '' ? '' : `${text}\n`;
  const length = status === 204 ? [] : ['Content-Length', String(Buffer.byteLength(line))];
  const type = line === '' ? [] : ['Content-Type', 'text/plain; charset=utf-8'];
  ctx.respond = false;
  writeHead(ctx.res, status, [...length, ...type, 'Cache-Control', caching, ...commonHeaders(isShared), ...headers]);
  ctx.res.end(ctx.req.method === 'HEAD' ? '' : line);
}

/** A part of a body: bytes from `start` to `end`, both included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a `Range` field (RFC 9110) for a body of `size` bytes. Returns undefined where the whole body is to be sent (another
 * unit, malformed, several ranges), and `none` where the body has no such bytes.
 */
export function parseRange(field: string, size: number): ByteRange | 'none' | undefined {
  const set = /^bytes=(.*)$/i.exec(field)?.[1];
  const specs = set?.split(',').flatMap((spec) => spec.trim() || []);
  const [, first, last] = /^(\d*)-(\d*)$/.exec(specs?.length === 1 ? specs[0]! : '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && isLess(last, first)) return undefined;
  return start >= size ? 'none' : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Compares whole numbers of any length. */
function isLess(a: string, b: string): boolean {
  return BigInt(a) < BigInt(b);
}
