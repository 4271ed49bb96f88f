import type * as z from 'zod';
import { WebhookError } from './code-host.ts';
import { skimJson } from './skim-json.ts';

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** Bodies above this many bytes are skimmed where it is known what they are read for. */
const MAX_PARSED = 256_000;

/**
 * Returns the JSON of a webhook call's body: the body itself, or, in the form encoding, its field `payload`. Of a large
 * body only `fields` are given, where they are named. Throws WebhookError `not-json` for anything else.
 */
export function parsePayload(rawBody: Uint8Array, contentType: string, fields?: ReadonlySet<string>): unknown {
  const bytes = extractJson(rawBody, contentType);
  const isLarge = fields !== undefined && bytes.length > MAX_PARSED;
  const read = isLarge ? skimJson(bytes, fields) : bytes;
  if (read === undefined) {
    throw new WebhookError(
      'not-json',
      'The body is not a JSON object, is nested too deeply, or has fields that are too large',
    );
  }
  const json = decode(read);
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    // The parser's own message quotes the body.
    throw new WebhookError('not-json', 'The body is not JSON', { cause });
  }
}

/** Returns the bytes of the JSON, without a look at them. Throws WebhookError `not-json` for a form without it. */
export function extractJson(rawBody: Uint8Array, contentType: string): Buffer {
  const body = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  return FORM_TYPE.test(contentType) ? findFormPayload(body) : body;
}

/** Returns a payload in the shape a schema asks for. Throws WebhookError `wrong-shape` that names the field, never its value. */
export function checkShape<T extends z.ZodType>(schema: T, payload: unknown, event: string): z.output<T> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? 'the payload' : `"${issue.path.join('.')}"`;
  const why = (issue?.message ?? 'wrong').replace(/^Invalid input: /, '');
  throw new WebhookError('wrong-shape', `Cannot read the ${event} event: ${field}: ${why}`);
}

/** Looks for one field by hand: a list of all would hold millions where somebody sends `a&a&…`. */
function findFormPayload(body: Buffer): Buffer {
  const name = 'payload=';
  let start = 0;
  while (body.toString('latin1', start, start + name.length) !== name) {
    start = body.indexOf(`&${name}`, start) + 1;
    if (start === 0) throw new WebhookError('not-json', 'The form has no field "payload"');
  }
  const end = body.indexOf('&', start);
  return decodeFormValue(body.subarray(start + name.length, end < 0 ? body.length : end));
}

const [PLUS, PERCENT, SPACE] = [0x2b, 0x25, 0x20];

/** Decodes byte by byte: as text, 25 MB of `+` take seconds. */
function decodeFormValue(value: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at++) {
    const byte = value[at]!;
    if (byte === PERCENT) {
      const code = 16 * hexDigit(value[at + 1]) + hexDigit(value[at + 2]);
      if (Number.isNaN(code)) throw new WebhookError('not-json', 'The form is not encoded correctly');
      decoded[length++] = code;
      at += 2;
    } else decoded[length++] = byte === PLUS ? SPACE : byte;
  }
  return decoded.subarray(0, length);
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WebhookError('not-json', 'The body is not UTF-8', { cause });
  }
}
