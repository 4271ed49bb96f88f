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
export function signGitee(event: string, payload: unknown, token = ''): SignedCall {
  return {
    rawBody: Buffer.from(JSON.stringify(payload)),
    headers: { 'content-type': 'application/json', 'x-gitee-event': event, 'x-gitee-token': token },
  };
}
