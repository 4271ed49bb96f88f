import { createHmac, randomBytes } from 'node:crypto';

/*
 * Webhooks are signed as https://www.standardwebhooks.com describes it: HMAC-SHA-256 of `id.timestamp.body`, in base64, with the
 * bytes that the secret has after `whsec_` in base64. Sent to those who are notified, and by GitLab.
 */

const PREFIX = 'whsec_';
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** Bytes that a secret of ours may have. */
const [LEAST, MOST] = [24, 64];

/** Returns an unguessable secret: `whsec_` and 32 random bytes in base64. */
export function createSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Returns whether a text is a secret that we sign with: `whsec_` and 24 to 64 bytes in base64. */
export function isSigningSecret(text: string): boolean {
  const { length } = readKey(text);
  return SECRET.test(text) && length >= LEAST && length <= MOST;
}

/** Returns the headers that let the receiver verify a body; `id` stays the same when it is sent again, `time` does not. */
export function createSignedHeaders(
  secret: string,
  { id, time, body }: { readonly id: string; readonly time: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signature = signWebhook(secret, { id, timestamp, body });
  if (signature === undefined) throw new TypeError('What notifications are signed with is no secret');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** Returns the signature of a body, `v1,…`; undefined for a secret without a key. `timestamp` is in seconds since 1970. */
export function signWebhook(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string | Uint8Array },
): string | undefined {
  const key = readKey(secret);
  if (key.length === 0) return undefined;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

function readKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
}
