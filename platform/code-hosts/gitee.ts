import { createHmac } from 'node:crypto';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { type CodeHost, type WebhookCall, WebhookError } from './code-host.ts';
import { EXAMPLE_PUSH, ignoreEvent, PUSH_FIELDS, readPush } from './pushes.ts';
import { createMissingProof, findHeader, isSentSecret } from './webhook-headers.ts';

/** Both spellings are sent: the first in ordinary calls, the second in some test calls. */
const PUSH_EVENTS: ReadonlySet<string> = new Set(['Push Hook', 'Tag Push Hook', 'push_hooks', 'tag_push_hooks']);
/** How far the sender's clock may be off, as its documentation says. */
const MAX_SKEW_MS = 60 * 60_000;
const TOKEN = 'X-Gitee-Token';

/** Gitee: https://help.gitee.com/webhook/gitee-webhook-push-data-format. */
export const gitee: CodeHost = {
  id: 'gitee',
  name: 'Gitee',
  gsp: 'Gitee',
  hosts: /gitee/,
  icon: 'M12 1.5a10.5 10.5 0 1 0 0 21 10.5 10.5 0 0 0 0-21zM17.5 6.5V9H10.8A1.3 1.3 0 0 0 9.5 10.3v3.9c0 .4.3.8.8.8h3.9c.7 0 1.3-.6 1.3-1.3v-.2H12V11h6v2.7a3.8 3.8 0 0 1-3.8 3.8H8.5A1.5 1.5 0 0 1 7 16V10.3A3.8 3.8 0 0 1 10.8 6.5z',
  urls: {
    file: '/blob/{ref}/{path}',
    folder: '/tree/{ref}/{path}',
    edit: '/edit/{ref}/{path}',
    commit: '/commit/{commit}',
  },
  webhooks: {
    eventHeaders: ['X-Gitee-Event'],
    deliveryHeaders: ['X-Gitee-Delivery'],
    verify: verifyToken,
    fields: new Set(PUSH_FIELDS),
    read(event, payload, headers) {
      // Its test button sends an ordinary event with this header.
      if (findHeader(headers, 'X-Gitee-Ping') === 'true') return { kind: 'ping' };
      return PUSH_EVENTS.has(event) ? readPush(payload) : ignoreEvent(event);
    },
    proofs: [{ id: 'gitee-token', header: TOKEN, description: 'The project’s secret, or what Gitee signs with it' }],
    setup: phrase`Management → WebHooks. The project's secret goes into \`WebHook password\`, events \`Push\` and \`Tag Push\`.`,
    sign: (event, _body, secret) => ({ 'X-Gitee-Event': event, [TOKEN]: secret }),
    examples: [
      {
        summary: 'reports a push',
        event: 'Push Hook',
        meaning: 'build',
        json: { hook_name: 'push_hooks', ...EXAMPLE_PUSH, created: false, deleted: false },
      },
    ],
  },
};

/**
 * Checks Gitee's token: the webhook's password itself, or, for webhooks set up with a signing key, Base64 of the
 * HMAC-SHA256 over `<X-Gitee-Timestamp in ms>\n<key>` not older than an hour
 * (https://help.gitee.com/webhook/how-to-verify-webhook-keys). Neither covers the body. Throws WebhookError.
 */
function verifyToken({ headers }: WebhookCall, secret: string, nowMs: number): void {
  const token = findHeader(headers, TOKEN) ?? '';
  if (token === '') throw createMissingProof('token', TOKEN, 'password');
  const isSigned = isSignature(token, findHeader(headers, 'X-Gitee-Timestamp') ?? '', secret, nowMs);
  if (!isSentSecret(token, secret) && !isSigned) {
    throw new WebhookError('wrong-signature', "The token is wrong: the webhook's password is not the project's secret");
  }
}

function isSignature(token: string, timestamp: string, secret: string, nowMs: number): boolean {
  const isInTime = /^\d{1,15}$/.test(timestamp) && Math.abs(Number(timestamp) - nowMs) <= MAX_SKEW_MS;
  const signature = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
  // The documentation's own code escapes the signature for a URL; what arrives in the header is plain.
  const isEqual = isSameSecret(token, signature) || isSameSecret(token, encodeURIComponent(signature));
  return isInTime && isEqual;
}
