import { ApiError } from '../../api-error.ts';

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Gives the JSON of a webhook call's body: the body itself, or, in the form encoding, its field `payload`. Throws
 * ApiError 400 for anything else.
 */
export function parsePayload(rawBody: Uint8Array, contentType: string): unknown {
  const text = decode(rawBody);
  const json = FORM_TYPE.test(contentType) ? new URLSearchParams(text).get('payload') : text;
  if (json === null) throw new ApiError(400, 'not-json', 'The form has no field "payload"');
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    // The parser's own message quotes the body.
    throw new ApiError(400, 'not-json', 'The body is not JSON', { cause });
  }
}

function decode(rawBody: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
  } catch (cause) {
    throw new ApiError(400, 'not-json', 'The body is not UTF-8', { cause });
  }
}
