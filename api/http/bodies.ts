import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { ApiError } from './errors.ts';

const wrong = (message: string, cause?: unknown): ApiError => new ApiError(400, 'bad-request', message, { cause });

const MAX_BYTES = 64_000;
const MAX_FIELDS = 100;
const read = new WeakMap<IncomingMessage, Promise<ReadonlyMap<string, unknown>>>();

/**
 * Gives the fields of a request's body: a form of either encoding, or a JSON object; none where there is no body. Values
 * of forms are strings; files in them are left out. It may be asked for more than once. Throws ApiError 400 for a body
 * that cannot be read or has a field twice, 413 above `maxBytes`, 415 for another media type.
 */
export function readFields(ctx: Context, maxBytes = MAX_BYTES): Promise<ReadonlyMap<string, unknown>> {
  const known = read.get(ctx.req);
  if (known) return known;
  const fields = parseFields(ctx, maxBytes);
  read.set(ctx.req, fields);
  return fields;
}

/** Gives the same where every field must be text. */
export async function readForm(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const fields = await readFields(ctx);
  for (const [name, value] of fields) if (typeof value !== 'string') throw wrong(`${show(name)} must be text`);
  return fields as ReadonlyMap<string, string>;
}

async function parseFields(ctx: Context, maxBytes: number): Promise<ReadonlyMap<string, unknown>> {
  const bytes = await readBody(ctx.req, maxBytes);
  if (bytes.length === 0) return new Map();
  switch (ctx.request.type.toLowerCase()) {
    case 'application/json':
      return readJson(bytes);
    case 'application/x-www-form-urlencoded':
      return collect(new URLSearchParams(bytes.toString('utf8')));
    case 'multipart/form-data':
      return collect(readMultipart(bytes, ctx.get('Content-Type')));
    default:
      throw new ApiError(415, 'unknown-type', 'The body must be a form or JSON; its Content-Type says something else');
  }
}

function readJson(bytes: Buffer): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    // The parser's own message quotes the body.
    throw wrong('The body is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('The body is no JSON object');
  return collect(Object.entries(value));
}

function readMultipart(bytes: Buffer, type: string): Iterable<readonly [string, string]> {
  try {
    return parseMultipart(bytes, type);
  } catch (cause) {
    throw wrong('The form is not encoded as one', cause);
  }
}

function collect(entries: Iterable<readonly [string, unknown]>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of entries) {
    if (fields.has(name)) throw wrong(`${show(name)} is given more than once`);
    if (fields.size === MAX_FIELDS) throw wrong(`There are more than ${MAX_FIELDS} fields`);
    fields.set(name, value);
  }
  return fields;
}

function show(name: string): string {
  return `Field "${name.slice(0, 50).replace(/\p{C}/gu, '\u{fffd}')}"`;
}

/** How long the rest of a body that is too large is taken and thrown away. */
const LINGER_MS = 5_000;

/**
 * Gives the bytes of a request's body. Throws ApiError 413 above `maxBytes` and 415 for a body in a content coding.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (coding !== '' && coding !== 'identity') {
      throw new ApiError(415, 'unknown-coding', 'The body must be sent as it is, without Content-Encoding');
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (): void => {
      chunks.length = 0;
      const error = new ApiError(413, 'too-large', `The body has more than ${maxBytes / 1_000_000} MB`);
      discard(request, () => reject(error));
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
    request.once('close', () => reject(Object.assign(new Error('The sender left'), { code: 'ECONNRESET' })));
  });
}

/**
 * Many clients read no answer before they have sent all, and lose it when the connection is closed meanwhile. Where the
 * answer is what closes it, it has to wait.
 */
function discard(request: IncomingMessage, answer: () => void): void {
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

/** Most parts of a form, files included. */
const MAX_PARTS = 1_000;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const PARAMETER = /;[ \t]*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;
/** How browsers write what may not stand between quotes. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['%22', '"'],
  ['%0d', '\r'],
  ['%0a', '\n'],
  ['\\"', '"'],
]);

/**
 * Reads a body of `multipart/form-data` (RFC 7578) and gives its fields in order, files left out; text is UTF-8. It takes
 * what clients send: names without quotes (.NET), text before and behind the parts. Throws an error for what is none.
 */
export function parseMultipart(
  bytes: Buffer,
  contentType: string,
): readonly (readonly [name: string, value: string])[] {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new Error('No boundary is named');
  return splitParts(`\r\n${bytes.toString('latin1')}`, `\r\n--${boundary}`).flatMap((part) => {
    // A part without headers begins with the empty line.
    const end = `\r\n${part}`.indexOf('\r\n\r\n');
    if (end === -1) throw new Error('The headers of a part do not end');
    const { name, isFile } = parseHeaders(part.slice(0, Math.max(0, end - 2)));
    return isFile ? [] : [[toText(name), toText(part.slice(end + 2))] as const];
  });
}

/** Gives what stands between delimiters, each of which is a line of its own; the last one ends in two dashes. */
function splitParts(text: string, delimiter: string): readonly string[] {
  const parts: string[] = [];
  let start = -1;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 2)) {
    const rest = text.slice(at + delimiter.length, at + delimiter.length + 100);
    const isEnd = rest.startsWith('--');
    const line = /^[ \t]*\r\n/.exec(rest)?.[0];
    // Another delimiter, which only begins like this one.
    if (!isEnd && line === undefined) continue;
    if (start !== -1) parts.push(text.slice(start, Math.max(start, at)));
    if (isEnd) return parts;
    if (parts.length === MAX_PARTS) throw new Error('There are too many parts');
    start = at + delimiter.length + line!.length;
  }
  throw new Error('It is cut off');
}

function parseHeaders(text: string): { readonly name: string; readonly isFile: boolean } {
  const value = text
    .split('\r\n')
    .map((line) => /^content-disposition[ \t]*:[ \t]*form-data(?=;)(.*)$/i.exec(line)?.[1])
    .find((found) => found !== undefined);
  const parameters = new Map<string, string>();
  for (const [, key, quoted, plain] of (value ?? '').matchAll(PARAMETER)) {
    parameters.set(key!.toLowerCase(), quoted?.replace(/%22|%0d|%0a|\\"/gi, readEscape) ?? plain!);
  }
  const name = parameters.get('name');
  if (name === undefined) throw new Error('A part has no name');
  return { name, isFile: parameters.has('filename') || parameters.has('filename*') };
}

function readEscape(found: string): string {
  return ESCAPES.get(found.toLowerCase())!;
}

function toText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
