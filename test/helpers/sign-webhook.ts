import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A webhook call as it arrives. */
export interface SignedCall {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
}

/** Returns a call as GitHub sends it, signed where there is a secret. */
export function signGithub(
  event: string,
  payload: unknown,
  options: { readonly secret?: string; readonly form?: boolean; readonly sha1?: boolean; readonly id?: string } = {},
): SignedCall {
  const { secret = '', form = false, sha1 = false, id } = options;
  const json = JSON.stringify(payload);
  const rawBody = Buffer.from(form ? new URLSearchParams({ payload: json }).toString() : json);
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, secret).update(rawBody).digest('hex')}`;
  return {
    rawBody,
    headers: {
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-github-event': event,
      ...(id === undefined ? {} : { 'x-github-delivery': id }),
      ...(secret === '' ? {} : { 'x-hub-signature': sign('sha1') }),
      ...(secret === '' || sha1 ? {} : { 'x-hub-signature-256': sign('sha256') }),
    },
  };
}

/** Returns a call as Gitee sends it with a password. */
export function signGitee(event: string, payload: unknown, token = '', id?: string): SignedCall {
  return {
    rawBody: Buffer.from(JSON.stringify(payload)),
    headers: {
      'content-type': 'application/json',
      'x-gitee-event': event,
      'x-gitee-token': token,
      ...(id === undefined ? {} : { 'x-gitee-delivery': id }),
    },
  };
}

/** Returns a call as GitLab sends it: with a secret token, or signed where the secret is a signing token (`whsec_…`). */
export function signGitlab(
  event: string,
  payload: unknown,
  options: { readonly secret?: string; readonly id?: string; readonly sentMs?: number } = {},
): SignedCall {
  const { secret = '', id, sentMs = Date.now() } = options;
  const rawBody = Buffer.from(JSON.stringify(payload));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'GitLab/18.6.0',
    'x-gitlab-event': event,
    ...(id === undefined ? {} : { 'x-gitlab-event-uuid': `event-${id}`, 'idempotency-key': id }),
  };
  if (!secret.startsWith('whsec_')) {
    return { rawBody, headers: { ...headers, ...(secret === '' ? {} : { 'x-gitlab-token': secret }) } };
  }
  const [key, seconds] = [Buffer.from(secret.slice('whsec_'.length), 'base64'), String(Math.floor(sentMs / 1000))];
  const signature = createHmac('sha256', key)
    .update(`${id ?? ''}.${seconds}.${rawBody}`)
    .digest('base64');
  const signed = { 'webhook-id': id ?? '', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
  return { rawBody, headers: { ...headers, ...signed } };
}

/** Returns a call as Gitea sends it, or Forgejo, with all headers that they send for others' sake. */
export function signGitea(
  event: string,
  payload: unknown,
  options: {
    readonly secret?: string;
    readonly id?: string;
    readonly form?: boolean;
    readonly sender?: 'gitea' | 'forgejo' | 'gogs';
  } = {},
): SignedCall {
  const { secret = '', id = '', form = false, sender = 'gitea' } = options;
  const json = JSON.stringify(payload);
  const sign = (algorithm: string): string =>
    secret === '' ? '' : createHmac(algorithm, secret).update(json).digest('hex');
  const names = { gitea: ['gitea', 'gogs'], forgejo: ['gitea', 'gogs', 'forgejo'], gogs: ['gogs'] }[sender];
  const own = names.flatMap((name) => [
    [`x-${name}-event`, event],
    [`x-${name}-delivery`, id],
    [`x-${name}-signature`, sign('sha256')],
  ]);
  return {
    rawBody: Buffer.from(form ? new URLSearchParams({ payload: json }).toString() : json),
    headers: {
      ...(Object.fromEntries(own) as Record<string, string>),
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature': `sha1=${sign('sha1')}`,
      'x-hub-signature-256': `sha256=${sign('sha256')}`,
    },
  };
}

/** Returns a call as Bitbucket Cloud sends it, signed where there is a secret. */
export function signBitbucket(
  event: string,
  payload: unknown,
  { secret = '', id }: { readonly secret?: string; readonly id?: string } = {},
): SignedCall {
  const rawBody = Buffer.from(JSON.stringify(payload));
  const signature = `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
  return {
    rawBody,
    headers: {
      'content-type': 'application/json',
      'x-event-key': event,
      ...(id === undefined ? {} : { 'x-request-uuid': id }),
      ...(secret === '' ? {} : { 'x-hub-signature': signature }),
    },
  };
}
