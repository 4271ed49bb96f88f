import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../http/errors.ts';
import { findHeader } from './find-header.ts';
import { findSender, type Sender } from './find-sender.ts';
import { parsePayload } from './parse-payload.ts';
import { readGiteeEvent } from './read-gitee-event.ts';
import { readGithubEvent } from './read-github-event.ts';
import type { Meaning } from './read-push.ts';
import { verifyGiteeToken } from './verify-gitee-token.ts';
import { verifyHubSignature } from './verify-hub-signature.ts';

/** What a webhook call says, who sent it, and whether that is proved: false where the project has no secret. */
export type WebhookReading = Meaning & Sender & { readonly verified: boolean };

/** Fields that events are read for. */
const FIELDS: ReadonlySet<string> = new Set(['ref', 'after', 'deleted', 'head_commit', 'action', 'release']);

/**
 * Reads a webhook call. Header names are in lower case, as Node gives them; `secret` '' = no verification. Throws
 * ApiError 403 for a wrong or missing signature, 400 for no known service, for what is not JSON or has not the
 * documented shape; nothing else.
 */
export function readWebhook(call: {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Uint8Array;
  readonly secret: string;
  readonly nowMs?: number;
}): WebhookReading {
  const { headers, rawBody, secret, nowMs = Date.now() } = call;
  const sender = findSender(headers);
  if (!sender) {
    const message = 'Unknown service: neither header "X-GitHub-Event" nor "X-Gitee-Event" was sent';
    throw new ApiError(400, 'unknown-service', message);
  }
  const isGithub = sender.service === 'github';
  const verified = secret !== '';
  // Before anything is parsed: nobody else's bytes are worth the time.
  if (verified && isGithub) verifyHubSignature(headers, rawBody, secret);
  if (verified && !isGithub) verifyGiteeToken(headers, secret, nowMs);
  const payload = parsePayload(rawBody, findHeader(headers, 'content-type') ?? '', FIELDS);
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new ApiError(400, 'wrong-shape', 'The payload is not a JSON object');
  }
  const meaning = isGithub
    ? readGithubEvent(sender.event, payload)
    : readGiteeEvent(sender.event, payload, findHeader(headers, 'x-gitee-ping') === 'true');
  return { ...sender, verified, ...meaning };
}
