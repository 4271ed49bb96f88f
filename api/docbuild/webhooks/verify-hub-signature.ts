import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../../lib/secrets.ts';
import { ApiError } from '../../http/errors.ts';
import { findHeader } from './find-header.ts';

/**
 * Checks GitHub's signature, an HMAC over the body as it came. `X-Hub-Signature-256` decides where it is sent;
 * `X-Hub-Signature` (SHA-1) counts only from old senders that have no other. Throws ApiError 403.
 */
export function verifyHubSignature(headers: IncomingHttpHeaders, rawBody: Uint8Array, secret: string): void {
  const isOld = headers['x-hub-signature-256'] === undefined;
  const name = isOld ? 'x-hub-signature' : 'x-hub-signature-256';
  if (headers[name] === undefined) {
    const message = 'The signature is missing: header "X-Hub-Signature-256" was not sent; set the webhook\'s secret';
    throw new ApiError(403, 'missing-signature', message);
  }
  const algorithm = isOld ? 'sha1' : 'sha256';
  const expected = `${algorithm}=${createHmac(algorithm, secret).update(rawBody).digest('hex')}`;
  if (!isSameSecret(findHeader(headers, name) ?? '', expected)) {
    throw new ApiError(
      403,
      'wrong-signature',
      "The signature is wrong: the webhook's secret is not the project's secret",
    );
  }
}
