import { createHttpClient, HttpError } from '../../lib/http-client.ts';
import { isAmongNetworks, isPublicAddress } from '../../lib/ip-address.ts';
import { createSignedHeaders } from '../../lib/standard-webhooks.ts';

/** Sends JSON to URLs of receivers, signed as Standard Webhooks. */
export interface SignedPost {
  /** Sends it once. Returns why it failed, '' = it did not. */
  send(
    receiver: { readonly url: string; readonly secret: string },
    message: { readonly id: string; readonly content: object },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Bodies of answers are ignored; one that is not longer leaves the connection open. */
const MAX_ANSWER_BYTES = 100_000;

/** Creates what sends. Redirects are not followed: the URL is to be changed instead. */
export function createSignedPost(options: {
  /** Returns addresses and ranges that may be reached besides those of the public internet. */
  readonly allowed: () => readonly string[];
  /** The key of the configuration that lists them: `notifications.allowed`. */
  readonly allowedKey: string;
  readonly now: () => Date;
  /** Default: 10 s. */
  readonly timeoutMs?: number | undefined;
}): SignedPost {
  const { allowed, allowedKey, now, timeoutMs = TIMEOUT_MS } = options;
  const client = createHttpClient({
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    isGuarded: true,
    isAllowedAddress: (address) => isPublicAddress(address) || isAmongNetworks(address, allowed()),
  });
  return {
    async send({ url, secret }, { id, content }, signal) {
      const time = now();
      const body = JSON.stringify(content);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'docbuild',
        ...createSignedHeaders(secret, { id, time, body }),
      };
      try {
        const request = { method: 'POST', headers, body, isBodyIgnored: true, ...(signal && { signal }) } as const;
        const { status } = await client.send(url, request);
        return status >= 200 && status < 300 ? '' : `"${new URL(url).host}" answered ${status}`;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        const hint = error.code === 'not-allowed' ? `; allow it with "${allowedKey}" in the configuration` : '';
        return error.message + hint;
      }
    },
    close: () => client.close(),
  };
}
