import { createHmac } from 'node:crypto';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import {
  type CodeHost,
  type Payload,
  type WebhookCall,
  WebhookError,
  type WebhookMeaning,
  type WebhookProtocol,
  type Zod,
} from './code-host.ts';
import { checkRefName, EXAMPLE_PUSH, ignoreEvent, isTestPush, PUSH_FIELDS, readPush } from './pushes.ts';
import { createMissingProof, findFirstHeader, findHeader } from './webhook-headers.ts';
import { extractJson } from './webhook-payload.ts';

/**
 * Gitea and Forgejo, which have the same URLs and the same webhooks: https://docs.gitea.com/usage/repository/webhooks and
 * https://forgejo.org/docs/latest/user/webhooks/. They send the headers of GitHub, too.
 */
export const gitea: CodeHost = {
  id: 'gitea',
  name: 'Gitea or Forgejo',
  gsp: 'Git',
  hosts: /codeberg|gitea|forgejo/,
  icon: 'M3.5 9h14v1H19a3.5 3.5 0 0 1 0 7h-2.2a5.5 5.5 0 0 1-4.8 3H9a5.5 5.5 0 0 1-5.5-5.5zM17.5 12v3H19a1.5 1.5 0 0 0 0-3zM7 3.5h1.8V7H7zM11.2 3.5H13V7h-1.8z',
  urls: {
    file: '/src/branch/{ref}/{path}',
    folder: '/src/branch/{ref}/{path}',
    edit: '/_edit/{ref}/{path}',
    commit: '/commit/{commit}',
  },
  webhooks: createGiteaWebhooks(
    'gitea',
    ['Gitea', 'Forgejo'],
    phrase`Settings → Webhooks → Add webhook → Gitea or Forgejo. Content type \`application/json\`, the project's secret, trigger on \`Custom events\`: \`Push\`, \`Delete\` and \`Release\`.`,
  ),
};

/** Returns the webhooks of a software with Gitea's, in whose headers it has one of the given names. The first is its own. */
export function createGiteaWebhooks(id: string, names: readonly [string, ...string[]], setup: Phrase): WebhookProtocol {
  const signatures = names.map((name) => `X-${name}-Signature`);
  const signature = `X-${names[0]}-Signature`;
  return {
    eventHeaders: names.map((name) => `X-${name}-Event`),
    deliveryHeaders: names.map((name) => `X-${name}-Delivery`),
    verify: (call, secret) => verifySignature(call, secret, signatures),
    fields: new Set([...PUSH_FIELDS, 'ref_type', 'action', 'release']),
    read: readEvent,
    proofs: [
      { id: `${id}-signature`, header: signature, description: 'The HMAC-SHA256 of the payload by the secret, in hex' },
    ],
    setup,
    sign: (event, body, secret) => ({ [`X-${names[0]}-Event`]: event, [signature]: sign(body, secret) }),
    examples: [
      {
        summary: 'reports a push',
        event: 'push',
        meaning: 'build',
        json: { ...EXAMPLE_PUSH, head_commit: { id: EXAMPLE_PUSH.after } },
      },
    ],
  };
}

/** Checks the signature. Unlike GitHub's it covers the payload, in the form encoding, too. Throws WebhookError. */
function verifySignature({ headers, rawBody }: WebhookCall, secret: string, names: readonly string[]): void {
  const signature = findFirstHeader(headers, names);
  if (signature === undefined) throw createMissingProof('signature', names[0]!, 'secret');
  const payload = extractJson(rawBody, findHeader(headers, 'Content-Type') ?? '');
  if (!isSameSecret(signature, sign(payload, secret))) {
    throw new WebhookError(
      'wrong-signature',
      "The signature is wrong: the webhook's secret is not the project's secret",
    );
  }
}

function sign(payload: string | Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('hex');
}

const deletionShape = (z: Zod) => z.object({ ref: z.string(), ref_type: z.enum(['branch', 'tag']) });
const actionShape = (z: Zod) => z.object({ action: z.string() });
const releaseShape = (z: Zod) =>
  z.object({ release: z.object({ tag_name: z.string(), prerelease: z.boolean().nullish() }) });

/**
 * A deleted branch has an event of its own and no push, a deleted tag has both. Of releases, what builds is the same as
 * with GitHub: the tag of a pre-release has a push of its own.
 */
function readEvent(event: string, payload: Payload): WebhookMeaning {
  if (event === 'push') return isTestPush(payload) ? { kind: 'ping' } : readPush(payload);
  if (event === 'delete') {
    const { ref, ref_type } = payload.take(deletionShape, 'delete');
    return { kind: 'remove', ref: checkRefName(ref), refKind: ref_type };
  }
  if (event !== 'release') return ignoreEvent(event);
  const { action } = payload.take(actionShape, 'release');
  if (action !== 'published') return { kind: 'ignored', why: `release action ${quoteName(action)} builds nothing` };
  const { release } = payload.take(releaseShape, 'release');
  if (release.prerelease === true) return { kind: 'ignored', why: 'a pre-release builds nothing; its tag does' };
  return { kind: 'build', ref: checkRefName(release.tag_name), refKind: 'tag', commit: '' };
}
