import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { signWebhook } from '../../lib/standard-webhooks.ts';
import {
  type CodeHost,
  type Payload,
  type WebhookCall,
  WebhookError,
  type WebhookMeaning,
  type Zod,
} from './code-host.ts';
import { checkRefName, describePush, EXAMPLE_PUSH, ignoreEvent, isTestPush, objectId } from './pushes.ts';
import { createMissingProof, findHeader, isSentSecret } from './webhook-headers.ts';

const TOKEN = 'X-Gitlab-Token';
const SIGNATURE = 'webhook-signature';
/** How far the sender's clock may be off; what the specification of these signatures advises. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * GitLab, also on servers of one's own: https://docs.gitlab.com/user/project/integrations/webhook_events/. System hooks
 * report pushes to all repositories of a server, so they build nothing.
 */
export const gitlab: CodeHost = {
  id: 'gitlab',
  name: 'GitLab',
  gsp: 'GitLab',
  hosts: /gitlab/,
  icon: 'M12 21.5 2 13.5 5.3 3l3 7.5h7.4l3-7.5L22 13.5z',
  urls: {
    file: '/-/blob/{ref}/{path}',
    folder: '/-/tree/{ref}/{path}',
    edit: '/-/edit/{ref}/{path}',
    commit: '/-/commit/{commit}',
  },
  webhooks: {
    eventHeaders: ['X-Gitlab-Event'],
    // The second one is all that versions before 17.4 send.
    deliveryHeaders: ['Idempotency-Key', 'X-Gitlab-Event-UUID'],
    verify: verifyCall,
    fields: new Set(['ref', 'before', 'after', 'checkout_sha', 'action', 'tag', 'commit']),
    read: readEvent,
    proofs: [
      { id: 'gitlab-token', header: TOKEN, description: 'The project’s secret' },
      {
        id: 'gitlab-signature',
        header: SIGNATURE,
        description: '`v1,` and the Base64 of an HMAC of `webhook-id`, `webhook-timestamp` and the body',
      },
    ],
    setup: phrase`Settings → Webhooks → Add new webhook. The project's secret goes into \`Secret token\` (or, if it begins with \`whsec_\`, into \`Signing token\`), triggers \`Push events\`, \`Tag push events\` and \`Releases events\`.`,
    sign: (event, _body, secret) => ({ 'X-Gitlab-Event': event, [TOKEN]: secret }),
    examples: [
      {
        summary: 'reports a push',
        event: 'Push Hook',
        meaning: 'build',
        json: { object_kind: 'push', ...EXAMPLE_PUSH, checkout_sha: EXAMPLE_PUSH.after },
      },
    ],
  },
};

/**
 * Checks the secret token, which GitLab sends as it is, or the signature that it sends where a webhook has a signing token, see
 * `signWebhook`. Throws WebhookError.
 */
function verifyCall({ headers, rawBody }: WebhookCall, secret: string, nowMs: number): void {
  const token = findHeader(headers, TOKEN) ?? '';
  const signatures = findHeader(headers, SIGNATURE) ?? '';
  if (token === '' && signatures === '') throw createMissingProof('token', TOKEN, 'secret token');
  if (token !== '' && isSentSecret(token, secret)) return;
  const id = findHeader(headers, 'webhook-id') ?? '';
  const timestamp = findHeader(headers, 'webhook-timestamp') ?? '';
  const isInTime = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - nowMs) <= MAX_SKEW_MS;
  const expected = isInTime ? signWebhook(secret, { id, timestamp, body: rawBody }) : undefined;
  if (expected !== undefined) {
    // While a token is replaced there are several.
    if (signatures.split(' ').some((signature) => isSameSecret(signature, expected))) return;
  }
  throw new WebhookError(
    'wrong-signature',
    "The token is wrong: the webhook's secret token is not the project's secret",
  );
}

const PUSH_EVENTS: ReadonlySet<string> = new Set(['Push Hook', 'Tag Push Hook']);
/** `checkout_sha` is the commit that an annotated tag leads to, null of what was deleted. */
const pushShape = (z: Zod) => z.object({ ref: z.string(), after: objectId(z), checkout_sha: objectId(z).nullish() });
const actionShape = (z: Zod) => z.object({ action: z.string() });
const releaseShape = (z: Zod) => z.object({ tag: z.string(), commit: z.object({ id: objectId(z) }).nullish() });

/** Its test button sends a push in which nothing changes, or one of the last commits. */
function readEvent(event: string, payload: Payload): WebhookMeaning {
  if (PUSH_EVENTS.has(event)) {
    if (isTestPush(payload)) return { kind: 'ping' };
    const { ref, after, checkout_sha } = payload.take(pushShape, 'push');
    return describePush({ ref, after, tagCommit: checkout_sha ?? undefined });
  }
  if (event !== 'Release Hook') return ignoreEvent(event);
  const { action } = payload.take(actionShape, 'release');
  if (action !== 'create') return { kind: 'ignored', why: `release action ${quoteName(action)} builds nothing` };
  const { tag, commit } = payload.take(releaseShape, 'release');
  return { kind: 'build', ref: checkRefName(tag), refKind: 'tag', commit: commit?.id ?? '' };
}
