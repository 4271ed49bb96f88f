import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../../lib/secrets.ts';
import { ApiError } from '../../http/errors.ts';
import { findHeader } from './find-header.ts';

/** How far the sender's clock may be off, as its documentation says. */
const MAX_SKEW_MS = 60 * 60_000;

/**
 * Checks Gitee's token: the webhook's password itself, or, for webhooks set up with a signing key, Base64 of the
 * HMAC-SHA256 over `<X-Gitee-Timestamp in ms>\n<key>` not older than an hour
 * (https://help.gitee.com/webhook/how-to-verify-webhook-keys). Neither covers the body. Throws ApiError 403.
 */
export function verifyGiteeToken(headers: IncomingHttpHeaders, secret: string, nowMs: number): void {
  const token = findHeader(headers, 'x-gitee-token') ?? '';
  if (token === '') {
    const message = 'The token is missing: header "X-Gitee-Token" was not sent; set the webhook\'s password';
    throw new ApiError(403, 'missing-signature', message);
  }
  // Node reads headers as Latin-1; a password outside of it is sent as UTF-8.
  const isPassword = isSameSecret(token, secret) || isSameSecret(Buffer.from(token, 'latin1').toString(), secret);
  const isSigned = isSignature(token, findHeader(headers, 'x-gitee-timestamp') ?? '', secret, nowMs);
  if (!isPassword && !isSigned) {
    throw new ApiError(
      403,
      'wrong-signature',
      "The token is wrong: the webhook's password is not the project's secret",
    );
  }
}

function isSignature(token: string, timestamp: string, secret: string, nowMs: number): boolean {
  const isInTime = /^\d{1,15}$/.test(timestamp) && Math.abs(Number(timestamp) - nowMs) <= MAX_SKEW_MS;
  const signature = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
  // The documentation's own code escapes the signature for a URL; what arrives in the header is plain.
  const isEqual = isSameSecret(token, signature) || isSameSecret(token, encodeURIComponent(signature));
  return isInTime && isEqual;
}
