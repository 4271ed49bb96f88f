import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { ApiError } from '../api-error.ts';
import { parseMultipart } from '../parse-multipart.ts';
import { readBody } from '../read-body.ts';

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
