import { createReceiverClient } from '../../lib/receiver-client.ts';
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

/** Creates what sends, see `createReceiverClient`. */
export function createSignedPost({
  now,
  ...options
}: Parameters<typeof createReceiverClient>[0] & { readonly now: () => Date }): SignedPost {
  const client = createReceiverClient(options);
  return {
    send({ url, secret }, { id, content }, signal) {
      const body = JSON.stringify(content);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'docbuild',
        ...createSignedHeaders(secret, { id, time: now(), body }),
      };
      return client.send({ url, method: 'POST', headers, body }, signal);
    },
    close: client.close,
  };
}
