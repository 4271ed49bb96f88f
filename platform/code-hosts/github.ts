import { createHmac } from 'node:crypto';
import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import {
  type CodeHost,
  type Payload,
  type WebhookCall,
  WebhookError,
  type WebhookMeaning,
  type Zod,
} from './code-host.ts';
import { checkRefName, EXAMPLE_PUSH, ignoreEvent, PUSH_FIELDS, readPush } from './pushes.ts';
import { createMissingProof, findHeader } from './webhook-headers.ts';

const SIGNATURE = 'X-Hub-Signature-256';
/** SHA-1, the only signature of old senders. */
const OLD_SIGNATURE = 'X-Hub-Signature';

/** GitHub, also on servers of one's own: https://docs.github.com/webhooks/webhook-events-and-payloads. */
export const github: CodeHost = {
  id: 'github',
  name: 'GitHub',
  gsp: 'GitHub',
  hosts: /github/,
  icon: 'M12 1.5a10.5 10.5 0 1 0 0 21 10.5 10.5 0 0 0 0-21zM6.8 5.4 9.6 6.9a11 11 0 0 1 4.8 0l2.8-1.5.3 3.2c.9 1 1.3 2.1 1.3 3.3 0 2.7-1.7 4.2-4.3 4.7.4.5.6 1.1.6 1.9v2.7H8.9v-1.9c-2.2.3-2.6-1.7-4-2.2 1.9-.3 2 1 4 .8 0-.6.2-1 .6-1.3-2.6-.5-4.3-2-4.3-4.7 0-1.2.4-2.3 1.3-3.3z',
  urls: {
    file: '/blob/{ref}/{path}',
    folder: '/tree/{ref}/{path}',
    edit: '/edit/{ref}/{path}',
    commit: '/commit/{commit}',
  },
  webhooks: {
    eventHeaders: ['X-GitHub-Event'],
    deliveryHeaders: ['X-GitHub-Delivery'],
    verify: verifyHubSignature,
    fields: new Set([...PUSH_FIELDS, 'action', 'release']),
    read: readEvent,
    proofs: [
      {
        id: 'github-signature',
        header: SIGNATURE,
        description: '`sha256=` and the HMAC of the body by the secret',
      },
    ],
    setup: phrase`Settings → Webhooks → Add webhook. Content type \`application/json\`, the project's secret, events \`Pushes\` and \`Releases\`.`,
    sign: (event, body, secret) => ({ 'X-GitHub-Event': event, [SIGNATURE]: sign('sha256', secret, body) }),
    examples: [
      {
        summary: 'reports a push',
        event: 'push',
        meaning: 'build',
        json: {
          ...EXAMPLE_PUSH,
          created: false,
          deleted: false,
          forced: false,
          head_commit: { id: EXAMPLE_PUSH.after },
        },
      },
      {
        summary: 'tests whether the URL is right',
        event: 'ping',
        meaning: 'ping',
        json: { zen: 'Design for failure.' },
      },
    ],
  },
};

/**
 * Checks GitHub's signature, an HMAC of the body as it came. `X-Hub-Signature-256` decides where it is sent;
 * `X-Hub-Signature` (SHA-1) counts only from old senders that have no other. Throws WebhookError.
 */
export function verifyHubSignature({ headers, rawBody }: WebhookCall, secret: string): void {
  const isOld = headers[SIGNATURE.toLowerCase()] === undefined;
  const name = isOld ? OLD_SIGNATURE : SIGNATURE;
  if (headers[name.toLowerCase()] === undefined) throw createMissingProof('signature', SIGNATURE, 'secret');
  const expected = sign(isOld ? 'sha1' : 'sha256', secret, rawBody);
  if (!isSameSecret(findHeader(headers, name) ?? '', expected)) {
    throw new WebhookError(
      'wrong-signature',
      "The signature is wrong: the webhook's secret is not the project's secret",
    );
  }
}

function sign(algorithm: 'sha1' | 'sha256', secret: string, body: string | Uint8Array): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}

const actionShape = (z: Zod) => z.object({ action: z.string() });
const releaseShape = (z: Zod) => z.object({ release: z.object({ tag_name: z.string() }) });

/**
 * A release builds its tag on action `released` alone: sent once, when a release that is no pre-release is published, or
 * a pre-release becomes one; `published` comes beside it, and the tag of a pre-release has a push of its own.
 */
function readEvent(event: string, payload: Payload): WebhookMeaning {
  if (event === 'ping') return { kind: 'ping' };
  if (event === 'push') return readPush(payload);
  if (event !== 'release') return ignoreEvent(event);
  const { action } = payload.take(actionShape, 'release');
  if (action !== 'released') return { kind: 'ignored', why: `release action ${quoteName(action)} builds nothing` };
  const { release } = payload.take(releaseShape, 'release');
  return { kind: 'build', ref: checkRefName(release.tag_name), refKind: 'tag', commit: '' };
}
