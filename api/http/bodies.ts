import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { once } from '../../lib/once.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { readBody } from './read-body.ts';

const MAX_BYTES = 64_000;
const MAX_FIELDS = 100;
/** Most bytes of any body that is parsed here; each endpoint has its own, lower limit. */
const MAX_PARSED_BYTES = 1_000_000;
const PIECE_BYTES = 4_096;
const MAX_SHOWN_NAME = 50;

const TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);
/** The parser of these headers takes time that grows with the square of their length: 64 KB take 250 ms. */
const LONG_PART_HEADER = /content-disposition[ \t]*:[^\r\n]{1000}/i;

/** The parsers, which are loaded for the first body: commands that use the platform's code read none. */
const loadParsers = once(async () => {
  const { koaBody } = await import('koa-body');
  return koaBody({
    text: false,
    multipart: true,
    jsonTypes: ['application/json'],
    jsonLimit: MAX_PARSED_BYTES,
    formLimit: MAX_PARSED_BYTES,
    // `a[b]` and `a.b` are ordinary names.
    queryString: {
      allowDots: false,
      depth: 0,
      parseArrays: false,
      allowPrototypes: true,
      parameterLimit: MAX_FIELDS + 1,
    },
    formidable: {
      maxFields: MAX_FIELDS,
      maxFieldsSize: MAX_PARSED_BYTES,
      onPart(part, handle) {
        // Files are ignored: they would be written to disk.
        if (part.originalFilename !== null) return;
        // Otherwise a field with a media type would count as a file.
        part.mimetype = null;
        handle(part);
      },
    },
  });
});

const parsed = new WeakMap<IncomingMessage, Promise<ReadonlyMap<string, unknown>>>();

/**
 * Returns the fields of a request's body: a form of either encoding or a JSON object; none where there is no body. Values of
 * forms are strings; files in them are ignored. May be called repeatedly. Throws ServiceError 400 for an invalid body or a
 * repeated field, 413 above `maxBytes`, 415 for another media type.
 */
export function readFields(ctx: Context, maxBytes = MAX_BYTES): Promise<ReadonlyMap<string, unknown>> {
  const known = parsed.get(ctx.req);
  if (known) return known;
  const fields = parseFields(ctx, maxBytes);
  parsed.set(ctx.req, fields);
  return fields;
}

/** Returns the same where every field must be text. */
export async function readForm(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const fields = await readFields(ctx);
  for (const [name, value] of fields)
    if (typeof value !== 'string') throw invalid(phrase`Field "${show(name)}" must be text`);
  return fields as ReadonlyMap<string, string>;
}

async function parseFields(ctx: Context, maxBytes: number): Promise<ReadonlyMap<string, unknown>> {
  const bytes = await readBody(ctx, maxBytes);
  if (bytes.length === 0) return new Map();
  const type = ctx.request.type.toLowerCase();
  if (!TYPES.has(type)) {
    throw new ServiceError('unknown-type', phrase`The body must be a form or JSON; its Content-Type says otherwise`);
  }
  const isJson = type === 'application/json';
  const message = isJson ? phrase`The body is not valid JSON` : phrase`The body is not a valid form`;
  if (type === 'multipart/form-data' && LONG_PART_HEADER.test(bytes.toString('latin1'))) throw invalid(message);
  const headers = { 'content-type': ctx.get('Content-Type'), 'content-length': String(bytes.length) };
  const request = Object.assign(Readable.from(splitBytes(bytes)), { headers });
  const parse = await loadParsers();
  try {
    await parse(Object.create(ctx, { req: { value: request } }), async () => {});
  } catch (cause) {
    // The parsers' messages quote the body.
    throw invalid(message, cause);
  }
  const { body } = ctx.request;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid(phrase`The body is not a JSON object`);
  const fields = new Map(Object.entries(body));
  if (fields.size > MAX_FIELDS) throw invalid(phrase`There are more than ${MAX_FIELDS} fields`);
  for (const [name, value] of fields) {
    if (!isJson && typeof value !== 'string') throw invalid(phrase`Field "${show(name)}" is given more than once`);
  }
  return fields;
}

/** Splits bytes into small pieces: after too many fields the parser skips the remaining pieces. */
function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}

function invalid(message: Phrase, cause?: unknown): ServiceError {
  return new ServiceError('bad-request', message, { cause });
}

function show(name: string): string {
  return name.slice(0, MAX_SHOWN_NAME).replace(/\p{C}/gu, '\u{fffd}');
}
