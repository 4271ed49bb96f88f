import { createHmac } from 'node:crypto';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import {
  type CodeHost,
  type Payload,
  type WebhookCall,
  WebhookError,
  type WebhookMeaning,
  type Zod,
} from './code-host.ts';
import { checkRefName, describePush, EXAMPLE_PUSH, ignoreEvent, objectId } from './pushes.ts';
import { createMissingProof, findHeader } from './webhook-headers.ts';

const SIGNATURE = 'X-Hub-Signature';

/**
 * Bitbucket Cloud, https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/, and Data Center,
 * https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html: they share headers, not payloads.
 */
export const bitbucket: CodeHost = {
  id: 'bitbucket',
  name: 'Bitbucket',
  gsp: 'Git',
  hosts: /bitbucket/,
  icon: 'M2.5 4h19l-2.7 16.5H5.2zM9.3 9.2l1 5.8h3.4l1-5.8z',
  urls: {
    file: '/src/{ref}/{path}',
    folder: '/src/{ref}/{path}',
    edit: '/src/{ref}/{path}?mode=edit',
    commit: '/commits/{commit}',
  },
  webhooks: {
    eventHeaders: ['X-Event-Key'],
    // Of Cloud, which sends the same one again, and of Data Center.
    deliveryHeaders: ['X-Request-UUID', 'X-Request-Id'],
    verify: verifySignature,
    fields: new Set(['push', 'changes']),
    read: readEvent,
    proofs: [
      {
        id: 'bitbucket-signature',
        header: SIGNATURE,
        description: '`sha256=` and the HMAC of the body by the secret',
      },
    ],
    setup: phrase`Repository settings → Webhooks → Add webhook. The project's secret goes into \`Secret\`, trigger \`Push\`.`,
    sign: (event, body, secret) => ({ 'X-Event-Key': event, [SIGNATURE]: sign(body, secret) }),
    examples: [
      {
        summary: 'reports a push',
        event: 'repo:push',
        meaning: 'build',
        json: {
          push: { changes: [{ new: { type: 'branch', name: 'main', target: { hash: EXAMPLE_PUSH.after } } }] },
        },
      },
      { summary: 'tests whether the URL is right', event: 'diagnostics:ping', meaning: 'ping', json: { test: true } },
    ],
  },
};

/** Checks the signature of the body as it came. Throws WebhookError. */
function verifySignature({ headers, rawBody }: WebhookCall, secret: string): void {
  const signature = findHeader(headers, SIGNATURE);
  if (signature === undefined) throw createMissingProof('signature', SIGNATURE, 'secret');
  if (!isSameSecret(signature, sign(rawBody, secret))) {
    throw new WebhookError(
      'wrong-signature',
      "The signature is wrong: the webhook's secret is not the project's secret",
    );
  }
}

function sign(body: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `new` is null of what was deleted. Types other than these are Mercurial's. */
const cloudShape = (z: Zod) => {
  const side = z.object({ type: z.string(), name: z.string() });
  const change = z.object({
    new: side.extend({ target: z.object({ hash: objectId(z) }) }).nullish(),
    old: side.nullish(),
  });
  return z.object({ push: z.object({ changes: z.array(change) }) });
};
/** `toHash` of an annotated tag is the tag; zeros = deleted. */
const dataCenterShape = (z: Zod) =>
  z.object({ changes: z.array(z.object({ ref: z.object({ id: z.string() }), toHash: objectId(z) })) });

/**
 * A push reports all refs that it changed, and one build brings all of them: it is for the first one that is still there, or, where
 * all were deleted, for the first one.
 */
function readEvent(event: string, payload: Payload): WebhookMeaning {
  if (event === 'diagnostics:ping') return { kind: 'ping' };
  if (event !== 'repo:push' && event !== 'repo:refs_changed') return ignoreEvent(event);
  const meanings = event === 'repo:push' ? readCloudPush(payload) : readDataCenterPush(payload);
  const first = (kind: WebhookMeaning['kind']) => meanings.find((meaning) => meaning.kind === kind);
  return first('build') ?? first('remove') ?? meanings[0] ?? { kind: 'ignored', why: 'the push changed nothing' };
}

function readCloudPush(payload: Payload): readonly WebhookMeaning[] {
  return payload.take(cloudShape, 'push').push.changes.map(({ new: current, old }): WebhookMeaning => {
    const { type = '', name = '' } = current ?? old ?? {};
    if (type !== 'branch' && type !== 'tag')
      return { kind: 'ignored', why: 'the change is of neither a branch nor a tag' };
    const ref = checkRefName(name);
    return current
      ? { kind: 'build', ref, refKind: type, commit: current.target.hash }
      : { kind: 'remove', ref, refKind: type };
  });
}

function readDataCenterPush(payload: Payload): readonly WebhookMeaning[] {
  return payload
    .take(dataCenterShape, 'push')
    .changes.map(({ ref, toHash }) => describePush({ ref: ref.id, after: toHash, tagCommit: '' }));
}
