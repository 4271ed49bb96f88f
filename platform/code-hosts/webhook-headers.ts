import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../lib/secrets.ts';
import { WebhookError } from './code-host.ts';

/** Returns a header, in any case, that was sent once; undefined for a missing one and for one that was sent as a list. */
export function findHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const key = name.toLowerCase();
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the first of several headers that was sent once and is not empty. */
export function findFirstHeader(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  return names.map((name) => findHeader(headers, name)).find((value) => value !== undefined && value !== '');
}

/** Compares a header with a secret that it holds as it is, in constant time. */
export function isSentSecret(value: string, secret: string): boolean {
  // Node reads headers as Latin-1; a secret outside of it is sent as UTF-8.
  return isSameSecret(value, secret) || isSameSecret(Buffer.from(value, 'latin1').toString(), secret);
}

/** Returns the error for a call without its proof; `header` holds it once `what` of the webhook is set. */
export function createMissingProof(proof: 'signature' | 'token', header: string, what: string): WebhookError {
  return new WebhookError(
    'missing-signature',
    `The ${proof} is missing: header "${header}" was not sent; set the webhook's ${what}`,
  );
}
