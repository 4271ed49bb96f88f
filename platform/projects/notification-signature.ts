import { createHmac, randomBytes } from 'node:crypto';

/*
 * Notifications are signed as https://www.standardwebhooks.com describes it: HMAC-SHA-256 of `id.timestamp.body`, in base64,
 * with the bytes that the secret has after `whsec_` in base64.
 */

const PREFIX = 'whsec_';
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** Bytes that a secret may have. */
const [LEAST, MOST] = [24, 64];

/** Returns an unguessable secret: `whsec_` and 32 random bytes in base64. */
export function createSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Returns whether a text is a secret that notifications can be signed with: `whsec_` and 24 to 64 bytes in base64. */
export function isSigningSecret(text: string): boolean {
  const { length } = readKey(text);
  return length >= LEAST && length <= MOST;
}

/** Returns the headers that let the receiver verify a body; `id` stays the same when it is sent again, `time` does not. */
export function createSignedHeaders(
  secret: string,
  { id, time, body }: { readonly id: string; readonly time: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signature = createHmac('sha256', readKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function readKey(secret: string): Buffer {
  return Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64');
}
